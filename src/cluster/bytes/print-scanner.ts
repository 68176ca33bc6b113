import type { BytePrint } from './byte-print.ts';
import type { Compiled } from './compiled-shape.ts';
import { BYTE, JsonScanner } from './json-scanner.ts';
import type { KeyTable } from './key-table.ts';

/** Structure in a print; keys and numbers of fields follow. No JSON token contains these bytes. */
const MARK = { object: 1, field: 2, list: 3, item: 4, map: 5, end: 6, present: 7 } as const;
const NULL = 110;

/** Takes the print of a value: a walk by the table that copies what is read and makes nothing of it. */
export class PrintScanner extends JsonScanner {
  /** Where the field that is read apart stood in the last print, -1 if nowhere. */
  apartAt = -1;
  /** Of the object that was read or printed last: how many keys of the table have a value, and how many others. */
  protected known = 0;
  protected others = 0;

  /** Prints the value at the present position and passes over it. */
  print(field: Compiled, print: BytePrint): void {
    const first = this.peek();
    switch (field.is) {
      case 'object':
        if (first === BYTE.brace) this.#printObject(field, print);
        else this.#printToken(print);
        break;
      case 'list':
        if (first === BYTE.open) this.#printList(field, print);
        else this.#printToken(print);
        break;
      case 'map':
      case 'filtered-map':
        if (first === BYTE.brace) this.#printMap(field, print);
        else this.#printToken(print);
        break;
      case 'shared':
        if (field.item) this.print(field.item, print);
        break;
      case 'apart':
        this.apartAt = this.pos;
        this.skipValue();
        break;
      case 'present':
        this.skipValue();
        print.mark(first === NULL ? MARK.end : MARK.present);
        break;
      default:
        this.#printToken(print);
    }
  }

  /** The number of the key just read, -1 if the table does not have it. */
  find(table: KeyTable): number {
    return this.keyEscaped ? table.keys.indexOf(this.keyText()) : table.find(this);
  }

  /** Whether the object that was read or printed last stays in its list, as `isKept` says of parsed JSON. */
  protected isKept(least: number): boolean {
    return least === 0 || this.others === 0 || this.known >= least;
  }

  #printObject(shape: Compiled, print: BytePrint): void {
    let known = 0;
    let others = 0;
    print.mark(MARK.object);
    let more = this.enter(BYTE.unbrace);
    while (more) {
      this.key();
      const index = this.find(shape.keys);
      const field = index < 0 ? undefined : shape.fields[index];
      const isGiven = shape.least > 0 && this.peek() !== NULL ? 1 : 0;
      if (field) {
        known += isGiven;
        print.mark(MARK.field);
        print.mark(32 + index);
        this.print(field, print);
      } else {
        others += isGiven;
        this.skipValue();
      }
      more = this.more(BYTE.unbrace);
    }
    print.mark(MARK.end);
    this.known = known;
    this.others = others;
  }

  #printList({ item, least }: Compiled, print: BytePrint): void {
    print.mark(MARK.list);
    let more = this.enter(BYTE.close);
    while (more && item) {
      const before = print.length;
      print.mark(MARK.item);
      if (item.is === 'object' && this.peek() === BYTE.brace) {
        this.#printObject(item, print);
        if (!this.isKept(least)) print.cut(before);
      } else this.print(item, print);
      more = this.more(BYTE.close);
    }
    print.mark(MARK.end);
  }

  #printMap(shape: Compiled, print: BytePrint): void {
    const isFiltered = shape.is === 'filtered-map';
    print.mark(MARK.map);
    let more = this.enter(BYTE.unbrace);
    while (more && shape.item) {
      this.key();
      if (isFiltered && this.find(shape.keys) < 0) this.skipValue();
      else {
        print.mark(MARK.field);
        print.add(this.bytes, this.keyStart, this.keyEnd);
        print.mark(MARK.end);
        this.print(shape.item, print);
      }
      more = this.more(BYTE.unbrace);
    }
    print.mark(MARK.end);
  }

  #printToken(print: BytePrint): void {
    const start = this.pos;
    this.skipValue();
    print.add(this.bytes, start, this.pos);
  }
}
