import type { Announcement } from '../cluster/posting.ts';
import type { ClusterStore } from '../cluster/store.ts';
import type { ClusterEvent, EventWriter } from '../kube/events.ts';
import type { LifecyclePorts } from '../kube/lifecycle-ports.ts';
import type { Clock } from '../lib/clock.ts';
import { NodeLifecycleController } from '../node-lifecycle/controller.ts';
import { observingLifecyclePorts } from '../node-lifecycle/observing.ts';
import { LIFECYCLE_DEFAULTS } from '../node-lifecycle/options.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import { TaintEvictionController } from '../taint-eviction/controller.ts';
import { observingPorts } from '../taint-eviction/observing.ts';
import { TAINT_EVICTION_DEFAULTS } from '../taint-eviction/options.ts';
import type { LifecycleSettings } from './lifecycle-flags.ts';

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
}

/** The running controllers, for metrics and reports; one that was not asked for is undefined. */
export interface Controllers {
  readonly lifecycle: NodeLifecycleController | undefined;
  readonly eviction: TaintEvictionController | undefined;
  /** Begins nothing more, and resolves when what was under way has ended. */
  stop(): Promise<void>;
}

/** Starts the controllers; they begin as soon as the store is synced. */
export function startControllers(parts: ControllerParts): Controllers {
  const { names, store, clock, observe } = parts;
  const lifecycle = names.includes('node-lifecycle')
    ? new NodeLifecycleController({
        ...{ store, clock, observe, ports: lifecyclePortsOf(parts) },
        options: { ...LIFECYCLE_DEFAULTS, ...parts.settings.lifecycle },
      })
    : undefined;
  const eviction = names.includes('taint-eviction')
    ? new TaintEvictionController({
        ...{ store, clock, observe, ports: evictionPortsOf(parts) },
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

function lifecyclePortsOf({ mode, ports, events }: ControllerParts) {
  if (mode === 'observe') return observingLifecyclePorts(ports);
  return { ...ports, announce: (it: Announcement) => events.write(eventOf(it, 'evenkeel-node-lifecycle')) };
}

function evictionPortsOf({ mode, ports, events }: ControllerParts) {
  if (mode === 'observe') return observingPorts(ports);
  return { ...ports, announce: (it: Announcement) => events.write(eventOf(it, 'evenkeel-taint-eviction')) };
}

/** The words of kube-controller-manager under our own name, or we would take our events for its own. */
function eventOf({ regarding, type, reason, message }: Announcement, reportingController: string): ClusterEvent {
  return { type, reason, action: reason, note: message, regarding, reportingController };
}
