import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { reportUsage } from './usage.ts';

// What we compare with: the file read and parsed as a whole; run as a process of its own.
const path = process.argv[2] ?? '';
const bytes = readFileSync(path);
const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
const { items } = JSON.parse(text) as { items: readonly { readonly kind: string }[] };
const count = (kind: string): number => items.filter((item) => item.kind === kind).length;
reportUsage(count('Node'), count('Pod'));
