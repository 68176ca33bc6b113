import { KnownPrints } from './byte-print.ts';
import type { LeafType, Shape } from '../decode/decode-fields.ts';
import { KeyTable } from './key-table.ts';

/** What a compiled shape is: a leaf by its type, or one of the others. `apart` is read apart from the object it stands in. */
export type CompiledType = LeafType | 'object' | 'list' | 'map' | 'filtered-map' | 'shared' | 'split' | 'apart';

/**
 * A shape prepared for reading bytes: its keys stand in a hash table, a shared value keeps what was read before. All
 * kinds of shapes have all properties, in one order: what the reader's loops meet then has one layout in memory, and
 * reads several times as fast.
 */
export interface Compiled {
  readonly is: CompiledType;
  /** Of an object or a filtered map. */
  readonly keys: KeyTable;
  /** Of an object, in the order of the keys. */
  readonly fields: readonly Compiled[];
  /** What a list or map holds, or what is shared. */
  readonly item: Compiled | undefined;
  /** Of a list and of its entries: how many fields those must have that have others, too. */
  readonly least: number;
  /** Of a split object: how the field is read that stands apart. */
  readonly apart: Compiled | undefined;
  /** Of a shared value. */
  readonly known: KnownPrints;
}

const NO_KEYS = new KeyTable([]);
const NO_FIELDS: readonly Compiled[] = Object.freeze([]);
const NONE_KNOWN = new KnownPrints();

/** Prepares a shape; `known` keeps what was prepared, since parts of the table occur several times. */
export function compile(shape: Shape, known: Map<Shape, Compiled>): Compiled {
  let compiled = known.get(shape);
  if (!compiled) {
    compiled = prepare(shape, known);
    known.set(shape, compiled);
  }
  return compiled;
}

function prepare(shape: Shape, known: Map<Shape, Compiled>): Compiled {
  switch (shape.is) {
    case 'list': {
      const item = compile(shape.item, known);
      const { least } = shape;
      return compiled({ is: 'list', item: least > 0 ? compiled({ ...item, least }) : item, least });
    }
    case 'map': {
      const item = compile(shape.item, known);
      return shape.only
        ? compiled({ is: 'filtered-map', item, keys: new KeyTable([...shape.only]) })
        : compiled({ is: 'map', item });
    }
    case 'object':
      return objectOf(shape.keys, fieldsOf(shape.fields, known));
    case 'shared':
      return compiled({ is: 'shared', item: compile(shape.item, known), known: new KnownPrints() });
    case 'split': {
      const { rest, key } = shape;
      const item = objectOf([...rest.keys, key], [...fieldsOf(rest.fields, known), compiled({ is: 'apart' })]);
      return compiled({ is: 'split', item, apart: compile(shape.apart, known), known: new KnownPrints() });
    }
    default:
      return compiled({ is: shape.is });
  }
}

function fieldsOf(fields: readonly Shape[], known: Map<Shape, Compiled>): readonly Compiled[] {
  return fields.map((field) => compile(field, known));
}

function objectOf(keys: readonly string[], fields: readonly Compiled[]): Compiled {
  return compiled({ is: 'object', keys: new KeyTable(keys), fields });
}

function compiled(given: Partial<Compiled> & Pick<Compiled, 'is'>): Compiled {
  return {
    is: given.is,
    keys: given.keys ?? NO_KEYS,
    fields: given.fields ?? NO_FIELDS,
    item: given.item,
    least: given.least ?? 0,
    apart: given.apart,
    known: given.known ?? NONE_KNOWN,
  };
}
