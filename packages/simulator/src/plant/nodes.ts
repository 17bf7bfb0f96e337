// Nodes: places for pods by their requests, added while pods wait, removed when they are empty.
import type { NodePool, PodModel } from "../loop/scenario.ts";
import { drawDelay } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";

/** Where pods are placed. */
export interface Nodes {
  /** The next change by itself: a node that is ready, or is removed. */
  readonly nextMs: number;
  readonly count: number;
  /** A node, or undefined: the pod waits, and `placed` is called when there is one. */
  place(atMs: number, need: number, placed: (node: number, atMs: number) => void): Waiting | number;
  free(atMs: number, node: number, need: number): void;
  /** A pod that waits no longer. */
  forget(atMs: number, waiting: Waiting): void;
  step(atMs: number): void;
}

/** A pod in the queue of the scheduler. */
export interface Waiting {
  readonly need: number;
  readonly placed: (node: number, atMs: number) => void;
}

interface Node {
  readonly id: number;
  free: number;
  /** Infinity while it has pods. */
  removeMs: number;
}

/** What one pod takes of a node, 0–1. */
export function needOf({ requests }: Pick<PodModel, "requests">, pool: NodePool): number {
  return Math.max(
    1 / pool.podsPerNode,
    pool.cpu === undefined ? 0 : (requests.cpu ?? 0) / pool.cpu,
    pool.memory === undefined ? 0 : (requests.memory ?? 0) / pool.memory,
  );
}

/** Sums of parts of a node are not exact. */
const epsilon = 1e-9;

/** The nodes of a cluster at its start. */
export function createNodes(pool: NodePool, seed: number): Nodes {
  const nodes: Node[] = [];
  const queue: Waiting[] = [];
  /** When nodes that were requested are there, ascending. */
  const arriving: number[] = [];
  let made = 0;

  const add = (): Node => {
    const node = { id: made++, free: 1, removeMs: Infinity };
    nodes.push(node);
    return node;
  };
  const take = (need: number): Node | undefined => {
    const node = nodes.find(({ free }) => free >= need - epsilon);
    if (node === undefined) return undefined;
    node.free -= need;
    node.removeMs = Infinity;
    return node;
  };
  /** As many as the pods that wait need, beside those that are on their way. */
  const provision = (atMs: number): void => {
    const waiting = queue.reduce((sum, { need }) => sum + need, 0);
    while (arriving.length < waiting - epsilon && nodes.length + arriving.length < pool.max) {
      const stream = randomStream(seed, "nodes/provisioning", made + arriving.length);
      arriving.push(atMs + drawDelay(pool.provisioning, stream));
      arriving.sort((a, b) => a - b);
    }
  };
  const placeWaiting = (atMs: number): void => {
    for (let at = 0; at < queue.length; ) {
      const waiting = queue[at];
      const node = waiting === undefined ? undefined : take(waiting.need);
      if (waiting === undefined || node === undefined) at++;
      else {
        queue.splice(at, 1);
        waiting.placed(node.id, atMs);
      }
    }
  };
  while (nodes.length < pool.initial) add();

  return {
    get nextMs() {
      return nodes.reduce((next, { removeMs }) => Math.min(next, removeMs), arriving[0] ?? Infinity);
    },
    get count() {
      return nodes.length;
    },
    place(atMs, need, placed) {
      const node = take(need);
      if (node !== undefined) return node.id;
      const waiting = { need, placed };
      queue.push(waiting);
      provision(atMs);
      return waiting;
    },
    free(atMs, id, need) {
      const node = nodes.find((one) => one.id === id);
      if (node === undefined) return;
      node.free += need;
      placeWaiting(atMs);
      if (node.free >= 1 - epsilon && nodes.length > pool.initial) node.removeMs = atMs + pool.removeAfterMs;
    },
    forget(_, waiting) {
      const at = queue.indexOf(waiting);
      if (at >= 0) queue.splice(at, 1);
    },
    step(atMs) {
      while ((arriving[0] ?? Infinity) <= atMs) {
        arriving.shift();
        add().removeMs = atMs + pool.removeAfterMs;
        placeWaiting(atMs);
      }
      const idle = nodes.findIndex(({ removeMs }) => removeMs <= atMs);
      if (idle < 0) return;
      if (nodes.length > pool.initial) nodes.splice(idle, 1);
      else for (const node of nodes) node.removeMs = Infinity;
    },
  };
}
