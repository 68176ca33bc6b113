import { BYTE, JsonScanner } from '../cluster/json-scanner.ts';
import type { ByteSource } from './byte-source.ts';
import { Stepper } from './stepper.ts';

/** Looks ahead for the kind of a list that says it behind its items, as sorted keys do; reads the file once more. */
export async function findListKind(reopen: () => Promise<ByteSource>, listAt: number): Promise<string | undefined> {
  const source = await reopen();
  try {
    const stepper = new Stepper(source, new JsonScanner());
    await stepper.skipTo(listAt);
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
