import { readDump } from '../../src/dump/read-dump.ts';
import { reportUsage } from './usage.ts';

// Reads the dump as the program does; run as a process of its own.
const { contents } = await readDump([process.argv[2] ?? '']);
reportUsage(contents.nodes.length, contents.pods.length);
