// Nodes: places for pods by their requests, added while pods wait, removed when they are empty.
import { drawDelay } from "../random/distributions.ts";
import { randomStream } from "../random/stream.ts";
import type { NodePool, PodModel } from "../scenario.ts";

/** Where pods are placed. */
export interface Nodes {
  /** The next change by itself: a node that is there, or is removed. */
  readonly nextMs: number;
  readonly count: number;
  /** The number of a node; or the pod waits, and `placed` is called when there is one. */
  place(atMs: number, need: number, placed: Waiting["placed"]): Waiting | number;
  /** A place at the start, on a node of its own where there is none. */
  require(need: number): number;
  free(atMs: number, node: number, need: number): void;
  /** The pod waits no longer. */
  forget(waiting: Waiting): void;
  step(atMs: number): void;
}

/** A pod in the queue of the scheduler. */
export interface Waiting {
  readonly need: number;
  readonly placed: (node: number, atMs: number) => void;
}

interface Node {
  readonly id: number;
  /** The part of it that is free, 0–1. */
  free: number;
  /** Infinity while it has pods. */
  removeMs: number;
}

interface State {
  readonly pool: NodePool;
  readonly seed: number;
  readonly nodes: Node[];
  readonly queue: Waiting[];
  /** When nodes that were requested are there, ascending. */
  readonly arriving: number[];
  made: number;
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
  const state: State = { pool, seed, nodes: [], queue: [], arriving: [], made: 0 };
  const { nodes, queue, arriving } = state;
  while (nodes.length < pool.initial) addNode(state, Infinity);
  return {
    get nextMs() {
      return nodes.reduce((next, { removeMs }) => Math.min(next, removeMs), arriving[0] ?? Infinity);
    },
    get count() {
      return nodes.length;
    },
    place(atMs, need, placed) {
      const node = take(state, need);
      if (node !== undefined) return node.id;
      const waiting = { need, placed };
      queue.push(waiting);
      provision(state, atMs);
      return waiting;
    },
    require(need) {
      if (!nodes.some(({ free }) => free >= need - epsilon)) addNode(state, Infinity);
      return take(state, need)?.id ?? 0;
    },
    free(atMs, id, need) {
      const node = nodes.find((one) => one.id === id);
      if (node === undefined) return;
      node.free += need;
      placeWaiting(state, atMs);
      if (node.free >= 1 - epsilon && nodes.length > pool.initial) node.removeMs = atMs + pool.removeAfterMs;
    },
    forget(waiting) {
      const at = queue.indexOf(waiting);
      if (at >= 0) queue.splice(at, 1);
    },
    step: (atMs) => step(state, atMs),
  };
}

function step(state: State, atMs: number): void {
  const { nodes, arriving, pool } = state;
  while ((arriving[0] ?? Infinity) <= atMs) {
    arriving.shift();
    addNode(state, atMs + pool.removeAfterMs);
    placeWaiting(state, atMs);
    // Pods may not fill nodes, so that more of them are needed than all pods together take.
    provision(state, atMs);
  }
  const idle = nodes.findIndex(({ removeMs }) => removeMs <= atMs);
  if (idle < 0) return;
  if (nodes.length > pool.initial) nodes.splice(idle, 1);
  else for (const node of nodes) node.removeMs = Infinity;
}

function addNode(state: State, removeMs: number): void {
  state.nodes.push({ id: state.made++, free: 1, removeMs });
}

/** The first node that has room. */
function take({ nodes }: State, need: number): Node | undefined {
  const node = nodes.find(({ free }) => free >= need - epsilon);
  if (node === undefined) return undefined;
  node.free -= need;
  node.removeMs = Infinity;
  return node;
}

/** As many as the pods that wait need, beside those that are on their way. */
function provision({ pool, seed, nodes, queue, arriving, made }: State, atMs: number): void {
  const waiting = queue.reduce((sum, { need }) => sum + need, 0);
  while (arriving.length < waiting - epsilon && nodes.length + arriving.length < pool.max) {
    const luck = randomStream(seed, "nodes/provisioning", made + arriving.length);
    arriving.push(atMs + drawDelay(pool.provisioning, luck));
    arriving.sort((a, b) => a - b);
  }
}

function placeWaiting(state: State, atMs: number): void {
  const { queue } = state;
  for (let at = 0; at < queue.length; ) {
    const waiting = queue[at];
    const node = waiting === undefined ? undefined : take(state, waiting.need);
    if (waiting === undefined || node === undefined) {
      at++;
      continue;
    }
    queue.splice(at, 1);
    waiting.placed(node.id, atMs);
  }
}
