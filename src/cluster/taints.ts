/** A taint. `timeAdded` is kept as written, byte for byte; undefined where absent or null. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: string | undefined;
}

/** A toleration; empty operator means Equal, empty effect and key match all. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  readonly tolerationSeconds: number | undefined;
}
