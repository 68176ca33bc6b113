/** A graph of at most 31 vertices: for each vertex a bit mask of its neighbours. */
export type Neighbours = readonly number[];

interface Best {
  size: number;
  mask: number;
}

/**
 * The smallest set of vertices, as a bit mask, that touches every edge. Among sets of equal size the one whose highest
 * vertex is lowest, then whose second highest is, and so on: the smallest number. Exact, by branching on a vertex with
 * the most edges: either it goes, or all its neighbours do. 16 vertices take at most a few thousand steps.
 */
export function smallestCover(neighbours: Neighbours): number {
  const best: Best = { size: Infinity, mask: 0 };
  const all = neighbours.reduce((mask, edges, vertex) => (edges === 0 ? mask : mask | (1 << vertex)), 0);
  branch(neighbours, { undecided: all, taken: 0 }, best);
  return best.mask;
}

function branch(neighbours: Neighbours, at: { undecided: number; taken: number }, best: Best): void {
  const vertex = busiest(neighbours, at.undecided);
  const size = countBits(at.taken);
  if (vertex === undefined) {
    if (size < best.size || (size === best.size && at.taken < best.mask)) Object.assign(best, { size, mask: at.taken });
    return;
  }
  if (size + 1 > best.size) return;
  const edges = (neighbours[vertex] ?? 0) & at.undecided;
  const rest = at.undecided & ~(1 << vertex);
  branch(neighbours, { undecided: rest, taken: at.taken | (1 << vertex) }, best);
  branch(neighbours, { undecided: rest & ~edges, taken: at.taken | edges }, best);
}

/** The undecided vertex with the most undecided neighbours; undefined once no edge is left. */
function busiest(neighbours: Neighbours, undecided: number): number | undefined {
  let found: number | undefined;
  let most = 0;
  neighbours.forEach((edges, vertex) => {
    const degree = undecided & (1 << vertex) ? countBits(edges & undecided) : 0;
    if (degree > most) {
      most = degree;
      found = vertex;
    }
  });
  return found;
}

function countBits(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count += 1;
  return count;
}
