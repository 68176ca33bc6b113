import { distance } from 'fastest-levenshtein';

/** No known word is nearly as long. */
const LONGEST_WORD = 150;

/**
 * The known word that a misspelt one most likely means: the smallest number of inserted, deleted or replaced letters, at
 * most a third of the word and one at least; letter case counts for nothing. Undefined if none is that near. Among equals the first known word wins.
 */
export function nearest(word: string, known: readonly string[]): string | undefined {
  if (word.length > LONGEST_WORD) return undefined;
  const wanted = word.toLowerCase();
  const most = Math.max(1, Math.floor(wanted.length / 3));
  const distances = known.map((candidate) => distance(wanted, candidate.toLowerCase()));
  const least = Math.min(...distances);
  return least <= most ? known[distances.indexOf(least)] : undefined;
}
