import type { Command } from 'commander';
import { nearest } from '../findings/nearest.ts';

/** Adds to commander's message on an unknown flag the flag that begins most like it, where commander has none. */
export function withSuggestion(message: string, root: Command): string {
  const [, typed] = /unknown option '(--[^'=]+)/u.exec(message) ?? [];
  if (typed === undefined || message.includes('Did you mean')) return message;
  const flags = root.commands.flatMap(({ options }) => options.flatMap(({ long }) => long ?? []));
  const starts = flags.map((flag) => flag.slice(0, typed.length));
  const meant = flags[starts.indexOf(nearest(typed, starts) ?? '')];
  return meant === undefined ? message : `${message}(Did you mean ${meant}?)\n`;
}
