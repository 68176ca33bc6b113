import { BYTE, JsonScanner } from '../cluster/bytes/json-scanner.ts';
import type { ByteSource } from './byte-source.ts';
import { Stepper } from './stepper.ts';

/** Opens a file once more, at this byte where that is possible. */
export type Reopen = (from: number) => Promise<ByteSource>;

/** The kind of a list that says it behind its items, as sorted keys do, from any of its items on; leaves the scanner anywhere. */
export function kindBehind(scanner: JsonScanner): string | undefined {
  do scanner.skipValue();
  while (scanner.more(BYTE.close));
  while (scanner.more(BYTE.unbrace)) {
    scanner.key();
    if (scanner.keyText() === 'kind') return textAt(scanner);
    scanner.skipValue();
  }
  return undefined;
}

/** The same for a list that is too long to look through in memory: reads the file once more. */
export async function findListKind(reopen: Reopen, listAt: number): Promise<string | undefined> {
  const source = await reopen(listAt);
  try {
    const stepper = new Stepper(source, new JsonScanner());
    await stepper.skipTo(listAt - source.offset);
    return await kindIn(stepper);
  } finally {
    await source.close();
  }
}

async function kindIn(stepper: Stepper<JsonScanner>): Promise<string | undefined> {
  const { scanner } = stepper;
  let more = await stepper.step(() => scanner.peek() === BYTE.brace && scanner.enter(BYTE.unbrace));
  while (more) {
    const key = await stepper.step(() => {
      scanner.key();
      return scanner.keyText();
    });
    if (key === 'kind') return stepper.step(() => textAt(scanner));
    if (key === 'items') await skipItems(stepper);
    else await stepper.step(() => scanner.skipValue());
    more = await stepper.step(() => scanner.more(BYTE.unbrace));
  }
  return undefined;
}

async function skipItems(stepper: Stepper<JsonScanner>): Promise<void> {
  const { scanner } = stepper;
  if ((await stepper.step(() => scanner.peek())) !== BYTE.open) {
    await stepper.step(() => scanner.skipValue());
    return;
  }
  let more = await stepper.step(() => scanner.enter(BYTE.close));
  while (more) {
    more = await stepper.step(() => {
      scanner.skipValue();
      return scanner.more(BYTE.close);
    });
  }
}

function textAt(scanner: JsonScanner): string | undefined {
  const isText = scanner.peek() === BYTE.quote;
  const start = scanner.pos + 1;
  scanner.skipValue();
  return isText ? scanner.textBetween(start, scanner.pos - 1) : undefined;
}
