/** Which nodes an event concerns: by name, by zone (its label's value or `region:zone`), or by labels. */
export type Target =
  | { readonly nodes: readonly string[] }
  | { readonly zone: string }
  | { readonly selector: Readonly<Record<string, string>> };

/** A Kubernetes object as it stands in the scenario. */
export type RawObject = Readonly<Record<string, unknown>>;

/** What happens. */
export type Happening =
  | { readonly kind: 'stopKubelet' | 'startKubelet'; readonly target: Target }
  | {
      readonly kind: 'addTaint';
      readonly target: Target;
      readonly taint: {
        readonly key: string;
        readonly value: string;
        readonly effect: string;
        readonly timeAdded?: string;
      };
    }
  | {
      readonly kind: 'removeTaint';
      readonly target: Target;
      /** Without an effect, the taints of every effect go. */
      readonly taint: { readonly key: string; readonly effect?: string };
    }
  | {
      readonly kind: 'setCondition';
      readonly target: Target;
      readonly condition: { readonly type: string; readonly status: string; readonly reason: string };
    }
  | { readonly kind: 'createPod' | 'updatePod' | 'createNode'; readonly object: RawObject }
  | { readonly kind: 'deletePod'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'deleteNode'; readonly name: string }
  | { readonly kind: 'restartController'; readonly downForMs: number };

/** Something that happens at a moment, in ms from the start. */
export interface ScenarioEvent {
  readonly atMs: number;
  readonly happening: Happening;
}

/** An outage to play: an `OutageScenario` of a file. Events in the order of the file. */
export interface Scenario {
  readonly durationMs: number;
  readonly events: readonly ScenarioEvent[];
}
