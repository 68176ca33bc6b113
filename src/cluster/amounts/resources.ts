import { addQuantities, formatQuantity, milliValue, parseQuantity, thousandths, type Quantity } from './quantity.ts';

/**
 * Amounts by resource name: cpu in millicores, everything else in units (bytes, pods, devices). What is compared is whole;
 * what one container asks for may have thousandths of a byte, until all of a pod is added up (`roundUp`). A name that is
 * absent was not given; an explicit 0 is kept.
 */
export type Resources = Readonly<Record<string, number>>;

/** A resource list as somebody has written it. */
export type RawResources = Readonly<Record<string, string | number>>;

/**
 * A resource list of the API. Each quantity is rounded up to a thousandth of a core or unit, as an API server does when it
 * stores a pod: two containers of `0.1m` ask for 2m. A name whose amount the API server would refuse is left out.
 */
export function parseAmounts(raw: RawResources): Resources {
  return Object.fromEntries(
    quantitiesOf(raw).map(([name, quantity]) => [name, name === 'cpu' ? milliValue(quantity) : thousandths(quantity)]),
  );
}

/** The same in whole numbers: cpu in millicores, the rest in units. */
export function parseResources(raw: RawResources): Resources {
  return roundUp(parseAmounts(raw));
}

/**
 * Lists added exactly, then rounded up: measurements, which come in billionths of a core. Only the names that every list
 * has; undefined for no lists.
 */
export function sumMeasured(lists: readonly RawResources[]): Resources | undefined {
  const [first, ...rest] = lists.map((raw) => new Map(quantitiesOf(raw)));
  if (!first) return undefined;
  const sum = rest.reduce((total, next) => {
    const both = [...total].filter(([name]) => next.has(name));
    return new Map(both.map(([name, quantity]) => [name, addQuantities(quantity, next.get(name) ?? { nano: 0n })]));
  }, first);
  return parseResources(Object.fromEntries([...sum].map(([name, quantity]) => [name, formatQuantity(quantity)])));
}

/** Whole numbers, rounded away from zero; the list itself where it has only such. */
export function roundUp(resources: Resources): Resources {
  const entries = Object.entries(resources);
  if (entries.every(([, amount]) => Number.isInteger(amount))) return resources;
  return Object.fromEntries(entries.map(([name, amount]) => [name, Math.sign(amount) * Math.ceil(Math.abs(amount))]));
}

/** The amount of one resource, 0 where it is not given. */
export function amountOf(resources: Resources, name: string): number {
  return Object.hasOwn(resources, name) ? (resources[name] ?? 0) : 0;
}

/** Sum, name by name; has every name that one of the two has. */
export function addResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (x, y) => exact(x + y));
}

/** Difference, name by name, negative where `b` is larger; has every name that one of the two has. */
export function subtractResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (x, y) => exact(x - y));
}

/** The larger amount, name by name; a name that only one of the two has keeps its amount, negative ones too. */
export function maxResources(a: Resources, b: Resources): Resources {
  const result: Record<string, number> = { ...a };
  for (const name of Object.keys(b)) {
    result[name] = Object.hasOwn(a, name) ? Math.max(amountOf(a, name), amountOf(b, name)) : amountOf(b, name);
  }
  return result;
}

/**
 * An amount as an operator would write it: cpu as `500m` or `2`, bytes in the largest binary unit that divides them
 * (`1536Mi`), else in decimal ones (`1500M`), everything else as a plain number. Never rounded.
 */
export function formatAmount(name: string, amount: number): string {
  if (name === 'cpu') return amount % 1000 === 0 ? digits(amount / 1000) : `${digits(amount)}m`;
  return isBytes(name) ? formatBytes(amount) : digits(amount);
}

/** The number without an exponent, however large. */
function digits(amount: number): string {
  return Math.abs(amount) < 1e21 ? String(amount) : BigInt(amount).toString();
}

function combine(a: Resources, b: Resources, operation: (x: number, y: number) => number): Resources {
  const result: Record<string, number> = {};
  for (const name of Object.keys({ ...a, ...b })) result[name] = operation(amountOf(a, name), amountOf(b, name));
  return result;
}

/** Takes away what binary fractions add to thousandths: 0.1 + 0.2 is 0.3. */
function exact(amount: number): number {
  return Number.isInteger(amount) ? amount : Math.round(amount * 1000) / 1000;
}

function quantitiesOf(raw: RawResources): readonly (readonly [name: string, Quantity])[] {
  return Object.entries(raw).flatMap(([name, value]) => {
    const quantity = parseQuantity(value);
    return quantity ? [[name, quantity] as const] : [];
  });
}

function isBytes(name: string): boolean {
  return name === 'memory' || name === 'ephemeral-storage' || name === 'storage' || name.startsWith('hugepages-');
}

function formatBytes(amount: number): string {
  for (const [suffix, power] of [
    ['Ei', 60],
    ['Pi', 50],
    ['Ti', 40],
    ['Gi', 30],
    ['Mi', 20],
    ['Ki', 10],
  ] as const) {
    if (amount !== 0 && amount % 2 ** power === 0) return `${digits(amount / 2 ** power)}${suffix}`;
  }
  return Number.isSafeInteger(amount) ? formatQuantity({ nano: BigInt(amount) * 1_000_000_000n }) : digits(amount);
}
