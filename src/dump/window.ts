import { SLACK } from '../cluster/bytes/json-scanner.ts';
import type { ByteSource } from './byte-source.ts';

const SIZE = 1 << 20;
/** No Kubernetes object comes near it (etcd refuses more than 1.5 MB); lists inside lists may. */
const LARGEST_VALUE = 64 * SIZE;

/**
 * The part of a file that is in memory: slides forward, grows only for a value that is larger than itself. After `end`
 * stands a 0, as the scanner wants it.
 */
export class Window {
  bytes: Buffer = Buffer.allocUnsafeSlow(SIZE);
  end = 0;
  /** Where in the file the first byte of `bytes` is. */
  offset = 0;
  readonly #source: ByteSource;
  #ended = false;

  constructor(source: ByteSource) {
    this.#source = source;
    this.bytes[0] = 0;
  }

  /** Drops what is before `keepFrom`, moves the rest to the front and reads on. False at the end of the file. */
  async more(keepFrom: number): Promise<boolean> {
    this.#slide(keepFrom);
    if (this.#ended) return false;
    const room = this.bytes.subarray(0, this.bytes.length - 1 - SLACK);
    const length = await this.#source.read(room, this.end);
    this.end += length;
    this.bytes[this.end] = 0;
    this.#ended = length === 0;
    return !this.#ended;
  }

  /** Whether the kept part has become larger than any object can be. */
  get isOverfull(): boolean {
    return this.end > LARGEST_VALUE;
  }

  #slide(keepFrom: number): void {
    const kept = this.end - keepFrom;
    if (keepFrom === 0 && kept * 2 <= this.bytes.length) return;
    const target = kept * 2 > this.bytes.length ? Buffer.allocUnsafeSlow(this.bytes.length * 2) : this.bytes;
    this.bytes.copy(target, 0, keepFrom, this.end);
    this.bytes = target;
    this.offset += keepFrom;
    this.end = kept;
    target[kept] = 0;
  }
}
