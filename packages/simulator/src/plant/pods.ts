// The pods of one workload: how many there are, and what becomes of them.
import type { Pod } from "@plimsoll/core";
import { createTimedHeap } from "./heap.ts";
import { podSpec, type SimulatedPod } from "./pod.ts";
import { becomeReady, crash, createPod, happen, newLife, schedulePod, terminate } from "./pod-life.ts";
import { type PodEvent, type PodsOptions, type PodWorld, showChange } from "./pod-world.ts";
import { scaleDownOrder } from "./scale-down-order.ts";

/** The pods of a workload, and how they change. */
export interface Pods {
  readonly nextMs: number;
  /** All that are there, those that are being deleted included. */
  readonly all: readonly SimulatedPod[];
  /** The same as the API shows them; another list after each change. */
  readonly objects: readonly Pod[];
  /** Without those that are being deleted: what the target's status counts. */
  readonly active: number;
  readonly ready: number;
  /** Without a node. */
  readonly waiting: number;
  /** Created since the start. */
  readonly created: number;
  readonly crashes: number;
  /** Makes the changes that are due; the flow is at this instant. */
  step(atMs: number): void;
  /** Ends containers with more memory than their limit; the flow is at this instant. */
  endOverLimit(atMs: number): void;
  scaleTo(atMs: number, replicas: number): void;
}

/** Pods at the start are so old that nothing about them is young, and have counted so many requests. */
const ageAtStartMs = 3_600_000;
const servedAtStart = 1e6;

/** The pods of a workload at the start: all Ready. */
export function createPods(options: PodsOptions): Pods {
  const { workload } = options;
  const common = {
    namespace: workload.namespace,
    labels: { app: workload.name },
    spec: podSpec(workload.pod),
  };
  const world: PodWorld = {
    ...options,
    common,
    events: createTimedHeap<PodEvent>(),
    queued: new Map(),
    all: [],
    objects: undefined,
    counts: undefined,
    ordinals: 0,
    crashes: 0,
  };
  for (let created = 0; created < workload.replicas; created++) addOldPod(world);
  const { events } = world;
  return {
    get nextMs() {
      return events.nextMs;
    },
    get all() {
      return world.all;
    },
    get objects() {
      return (world.objects ??= world.all.map(({ object }) => object));
    },
    get active() {
      return countsOf(world).active;
    },
    get ready() {
      return countsOf(world).ready;
    },
    get waiting() {
      return world.queued.size;
    },
    get created() {
      return world.ordinals - workload.replicas;
    },
    get crashes() {
      return world.crashes;
    },
    step: (atMs) => step(world, atMs),
    endOverLimit: (atMs) => endOverLimit(world, atMs),
    scaleTo: (atMs, replicas) => scaleTo(world, atMs, replicas),
  };
}

function addOldPod(world: PodWorld): void {
  const { startMs, nodes } = world;
  const bornMs = startMs - ageAtStartMs;
  const pod = createPod(world, bornMs);
  pod.node = nodes?.pool.require(nodes.need) ?? 0;
  pod.startMs = bornMs;
  pod.lives.push(newLife(bornMs));
  becomeReady(world, pod, startMs);
  for (const life of pod.lives) life.opened -= servedAtStart;
  pod.readinessMs = bornMs;
  showChange(world, pod);
}

function step(world: PodWorld, atMs: number): void {
  while (world.events.nextMs <= atMs) {
    const event = world.events.take();
    if (event === undefined) return;
    const isCurrent = event.stage === event.pod.stage && event.restarts === event.pod.restarts;
    if (isCurrent && world.all.includes(event.pod)) happen(world, event, atMs);
  }
}

/** All that serve have the same share of the requests in flight. */
function endOverLimit(world: PodWorld, atMs: number): void {
  const { memory, limits } = world.workload.pod;
  const { serving, inFlight } = world.flow;
  if (limits.memory === undefined || serving === 0) return;
  if (memory.base + (memory.perInFlight * inFlight) / serving <= limits.memory) return;
  for (const pod of world.all.filter(({ stage }) => stage === "ready")) crash(world, pod, atMs);
}

function scaleTo(world: PodWorld, atMs: number, replicas: number): void {
  const active = world.all.filter(isActive);
  for (let missing = replicas - active.length; missing > 0; missing--)
    schedulePod(world, createPod(world, atMs), atMs);
  if (active.length <= replicas) return;
  for (const pod of scaleDownOrder(active).slice(0, active.length - replicas)) terminate(world, pod, atMs);
}

function isActive({ stage }: SimulatedPod): boolean {
  return stage !== "deleting";
}

function countsOf(world: PodWorld): NonNullable<PodWorld["counts"]> {
  return (world.counts ??= {
    active: world.all.filter(isActive).length,
    ready: world.all.filter(({ stage }) => stage === "ready").length,
  });
}
