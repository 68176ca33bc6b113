import type { ObjectEvent } from '../../cluster/updates.ts';
import type { ClusterStore } from '../../cluster/store.ts';
import type { ClusterEvent, EventWriter } from '../../kube/write/events.ts';
import type { LifecyclePorts } from '../../kube/write/lifecycle-ports.ts';
import type { Clock } from '../../lib/clock.ts';
import { NodeLifecycleController } from '../../node-lifecycle/controller.ts';
import { observingLifecyclePorts } from '../../node-lifecycle/ports.ts';
import { LIFECYCLE_DEFAULTS } from '../../node-lifecycle/options.ts';
import type { ObserveLifecycle } from '../../outcomes/lifecycle.ts';
import { TaintEvictionController } from '../../taint-eviction/controller.ts';
import { TAINT_EVICTION_DEFAULTS } from '../../taint-eviction/options.ts';
import { observingPorts } from '../../taint-eviction/ports.ts';
import type { LifecycleSettings } from './flags.ts';
import { WhatIf } from './what-if.ts';

/** The controllers, as `--controllers` names them. */
export type LifecycleControllerName = 'node-lifecycle' | 'taint-eviction';

/** What the controllers are made of. */
export interface ControllerParts {
  readonly names: readonly LifecycleControllerName[];
  readonly mode: 'observe' | 'act';
  readonly settings: LifecycleSettings;
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly ports: LifecyclePorts;
  readonly events: EventWriter;
  readonly observe: ObserveLifecycle;
  /** How long a pass over the nodes took. */
  readonly passed?: (pass: { readonly durationMs: number; readonly nodes: number }) => void;
}

/** The running controllers, for metrics and reports; one that was not asked for is undefined. */
export interface Controllers {
  readonly lifecycle: NodeLifecycleController | undefined;
  readonly eviction: TaintEvictionController | undefined;
  /** Begins nothing more, and resolves when what was under way has ended. */
  stop(): Promise<void>;
}

/**
 * Starts the controllers; they begin as soon as the store is synced. Where node-lifecycle only observes, the evicter sees
 * the taints that it would have added.
 */
export function startControllers(parts: ControllerParts): Controllers {
  const { names, clock, observe } = parts;
  const whatIf = parts.mode === 'observe' && names.includes('node-lifecycle') ? new WhatIf(parts.store) : undefined;
  const store = whatIf?.store ?? parts.store;
  const lifecycle = names.includes('node-lifecycle')
    ? new NodeLifecycleController({
        ...{ store, clock, random: Math.random, observe, ports: lifecyclePortsOf(parts, whatIf) },
        ...(parts.passed && { passed: parts.passed }),
        options: { ...LIFECYCLE_DEFAULTS, ...parts.settings.lifecycle },
      })
    : undefined;
  const eviction = names.includes('taint-eviction')
    ? new TaintEvictionController({
        ...{ store, clock, random: Math.random, observe, ports: evictionPortsOf(parts, whatIf) },
        options: { ...TAINT_EVICTION_DEFAULTS, ...parts.settings.eviction, mode: parts.mode },
        ...(lifecycle && { isPaused: (nodeName: string) => lifecycle.isPaused(nodeName) }),
      })
    : undefined;
  eviction?.start();
  lifecycle?.start();
  return {
    lifecycle,
    eviction,
    async stop() {
      await Promise.all([lifecycle?.stop(), eviction?.stop()]);
    },
  };
}

function lifecyclePortsOf({ mode, ports, events }: ControllerParts, whatIf: WhatIf | undefined) {
  if (mode === 'observe') {
    const observing = observingLifecyclePorts(reading(ports, whatIf));
    return whatIf ? { ...observing, patchNode: whatIf.patching(observing.patchNode) } : observing;
  }
  return { ...ports, recordEvent: (it: ObjectEvent) => events.write(eventOf(it, 'evenkeel-node-lifecycle')) };
}

function evictionPortsOf({ mode, ports, events }: ControllerParts, whatIf: WhatIf | undefined) {
  if (mode === 'observe') return observingPorts(reading(ports, whatIf));
  return { ...ports, recordEvent: (it: ObjectEvent) => events.write(eventOf(it, 'evenkeel-taint-eviction')) };
}

/** What would be has to be read where it is considered once more, too. */
function reading(ports: LifecyclePorts, whatIf: WhatIf | undefined): LifecyclePorts {
  return whatIf ? { ...ports, getNode: whatIf.reading(ports.getNode) } : ports;
}

/** The words of kube-controller-manager under our own name, or we would take our events for its own. */
function eventOf({ regarding, type, reason, message }: ObjectEvent, reportingController: string): ClusterEvent {
  return { type, reason, action: reason, note: message, regarding, reportingController };
}
