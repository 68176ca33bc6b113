import type { PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import { pick, type Scorer } from './scorer.ts';
import type { State } from '../state.ts';

/**
 * ImageLocality: how much of the pod's images a node has already, images on few nodes counting for less (rule S25). Found once per spec. A dump says little about it where nodes list no images: then all score 0.
 */
export function imageLocalityScorer(state: State): Scorer {
  let catalog: Catalog | undefined;
  const scoresOf = keyedBy((spec: PodSpec) => scoresByNodeIndex(spec, (catalog ??= catalogOf(state.nodeIndexes))));
  return {
    name: 'ImageLocality',
    weight: 1,
    score: ({ spec }, nodeIndexes, scores) => {
      const column = scoresOf(spec);
      if (column.length > 0) pick(scores, nodeIndexes, column);
      else scores.fill(0);
      return true;
    },
  };
}

/** An image by one of its names: where it is, and its size in bytes as the first node tells it. */
interface Stored {
  readonly nodeIndexes: Set<number>;
  readonly sizeBytes: number;
}

interface Catalog {
  readonly nodes: number;
  readonly images: ReadonlyMap<string, Stored>;
}

function catalogOf({ nodes }: NodeIndexes): Catalog {
  const images = new Map<string, Stored>();
  nodes.forEach((node, nodeIndex) => {
    for (const { names, sizeBytes } of node.images) {
      for (const name of names) {
        const stored = images.get(name) ?? { nodeIndexes: new Set(), sizeBytes };
        stored.nodeIndexes.add(nodeIndex);
        images.set(name, stored);
      }
    }
  });
  return { nodes: nodes.length, images };
}

const MIB = 2 ** 20;
/** Below this an image is pulled in no time; above that per container more makes no difference. */
const LEAST_BYTES = 23 * MIB;
const MOST_BYTES_A_CONTAINER = 1000 * MIB;

/** Nothing if no node has one of the images. */
function scoresByNodeIndex(spec: PodSpec, { nodes, images }: Catalog): Uint8Array {
  const stored = imagesOf(spec).flatMap((name) => images.get(name) ?? []);
  if (stored.length === 0) return NOTHING;
  const bytes = new Float64Array(nodes);
  for (const { nodeIndexes, sizeBytes } of stored) {
    const counted = Math.trunc((nodeIndexes.size / nodes) * sizeBytes);
    for (const nodeIndex of nodeIndexes) bytes[nodeIndex] = (bytes[nodeIndex] ?? 0) + counted;
  }
  const most = MOST_BYTES_A_CONTAINER * Math.max(spec.containers.length + spec.initContainers.length, 1);
  return Uint8Array.from(bytes, (sum) => {
    const clamped = Math.min(Math.max(sum, LEAST_BYTES), most);
    return Math.trunc((100 * (clamped - LEAST_BYTES)) / (most - LEAST_BYTES));
  });
}

const NOTHING = new Uint8Array();

/** Names as nodes list them; one image that two containers share counts twice. */
function imagesOf({ containers, initContainers, volumes }: PodSpec): readonly string[] {
  const mounted = volumes.flatMap((volume) => (volume.kind === 'image' ? volume.image : []));
  return [...[...initContainers, ...containers].map(({ image }) => image), ...mounted].map(tagged);
}

/** A name with neither tag nor digest means the tag `latest`; the colon of a registry's port is no tag. */
function tagged(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
