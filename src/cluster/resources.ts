import { formatQuantity, milliValue, parseQuantity, unitValue } from './quantity.ts';

/**
 * Amounts by resource name, as whole numbers: cpu in millicores, everything else in units (bytes, pods, devices), both
 * rounded up as the API server does. A name that is absent was not given; an explicit 0 is kept.
 */
export type Resources = Readonly<Record<string, number>>;

/**
 * A resource list of the API in whole numbers (strategies.md 2.3: cpu in millicores, the rest in units, rounded up). A
 * name whose amount the API server would refuse is left out.
 */
export function parseResources(raw: Readonly<Record<string, string | number>>): Resources {
  const amounts: [string, number][] = [];
  for (const [name, value] of Object.entries(raw)) {
    const quantity = parseQuantity(value);
    if (quantity) amounts.push([name, name === 'cpu' ? milliValue(quantity) : unitValue(quantity)]);
  }
  return Object.fromEntries(amounts);
}

/** The amount of one resource, 0 where it is not given. */
export function amountOf(resources: Resources, name: string): number {
  return Object.hasOwn(resources, name) ? (resources[name] ?? 0) : 0;
}

/** Sum, name by name; has every name that one of the two has. */
export function addResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (x, y) => x + y);
}

/** Difference, name by name, negative where `b` is larger; has every name that one of the two has. */
export function subtractResources(a: Resources, b: Resources): Resources {
  return combine(a, b, (x, y) => x - y);
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
  if (name === 'cpu') return amount % 1000 === 0 ? String(amount / 1000) : `${amount}m`;
  return isBytes(name) ? formatBytes(amount) : String(amount);
}

function combine(a: Resources, b: Resources, operation: (x: number, y: number) => number): Resources {
  const result: Record<string, number> = {};
  for (const name of Object.keys({ ...a, ...b })) result[name] = operation(amountOf(a, name), amountOf(b, name));
  return result;
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
    if (amount !== 0 && amount % 2 ** power === 0) return `${amount / 2 ** power}${suffix}`;
  }
  return Number.isSafeInteger(amount) ? formatQuantity({ nano: BigInt(amount) * 1_000_000_000n }) : String(amount);
}
