// The life of a pod, step by step; each step plans the next one.
import { hourMs } from "@plimsoll/core/internal/values";
import { drawDelay, exponential } from "../random/distributions.ts";
import { type ContainerLife, podObject, type SimulatedPod } from "./pod.ts";
import {
  addEvent,
  forgetLists,
  luckOf,
  type PodEvent,
  type PodWorld,
  showChange,
  startServing,
  stopServing,
} from "./pod-world.ts";

/** How long the kubelet waits before it starts a container again, by its restarts. */
const restartDelaysMs = [10_000, 20_000, 40_000, 80_000, 160_000, 300_000];

/** A pod without a node. */
export function createPod(world: PodWorld, atMs: number): SimulatedPod {
  const ordinal = world.ordinals++;
  const bare = {
    ordinal,
    name: `${world.workload.name}-${ordinal}`,
    createdMs: atMs,
    stage: "waiting",
    startMs: undefined,
    readinessMs: atMs,
    restarts: 0,
    node: undefined,
    deletedMs: undefined,
    isServing: false,
    lives: [] as ContainerLife[],
  } as const;
  const pod: SimulatedPod = { ...bare, object: podObject(bare, world.common) };
  world.all.push(pod);
  forgetLists(world);
  return pod;
}

/** The scheduler will look at it. */
export function schedulePod(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  const { schedule } = world.workload.pod.start;
  addEvent(world, pod, atMs + drawDelay(schedule, luckOf(world, "schedule", pod)), "place");
}

/** What is due happens. */
export function happen(world: PodWorld, { kind, pod }: PodEvent, atMs: number): void {
  switch (kind) {
    case "place":
      return place(world, pod, atMs);
    case "run":
      return run(world, pod, atMs);
    case "ready":
      return becomeReady(world, pod, atMs);
    case "crash":
      return crash(world, pod, atMs);
    case "drained":
      stopServing(world, pod, atMs);
      return showChange(world, pod);
    case "gone":
      return remove(world, pod, atMs);
  }
}

function place(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  const { nodes, queued } = world;
  if (nodes === undefined) return placed(world, pod, { node: 0, atMs });
  const found = nodes.pool.place(atMs, nodes.need, (node, placedMs) => {
    world.advance(placedMs);
    queued.delete(pod);
    placed(world, pod, { node, atMs: placedMs });
  });
  if (typeof found === "number") placed(world, pod, { node: found, atMs });
  else queued.set(pod, found);
}

function placed(
  world: PodWorld,
  pod: SimulatedPod,
  { node, atMs }: { readonly node: number; readonly atMs: number },
): void {
  pod.node = node;
  pod.stage = "starting";
  pod.startMs = atMs;
  pod.readinessMs = atMs;
  showChange(world, pod);
  addEvent(world, pod, atMs + drawDelay(world.workload.pod.start.pull, luckOf(world, "pull", pod)), "run");
}

function run(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  pod.stage = "running";
  pod.lives.push(newLife(atMs));
  showChange(world, pod);
  addEvent(
    world,
    pod,
    atMs + drawDelay(world.workload.pod.start.ready, luckOf(world, "ready", pod)),
    "ready",
  );
}

/** The counters of a container that starts now. */
export function newLife(startMs: number): ContainerLife {
  const never = { endMs: Infinity, servesFromMs: Infinity, servesUntilMs: Infinity };
  return { startMs, ...never, opened: 0, closed: 0 };
}

export function becomeReady(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  const { crashesPerHour } = world.workload.pod;
  pod.stage = "ready";
  pod.readinessMs = atMs;
  startServing(world, pod, atMs);
  showChange(world, pod);
  if (crashesPerHour === 0) return;
  addEvent(world, pod, atMs + exponential(luckOf(world, "crash", pod), hourMs / crashesPerHour), "crash");
}

/** The container ends, and starts again after a delay that doubles each time. */
export function crash(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  world.crashes++;
  stopServing(world, pod, atMs);
  const life = pod.lives.at(-1);
  if (life !== undefined) life.endMs = atMs;
  while ((pod.lives[0]?.endMs ?? Infinity) < atMs - world.keptMs) pod.lives.shift();
  pod.stage = "crashed";
  pod.readinessMs = atMs;
  const delayMs = restartDelaysMs[pod.restarts] ?? restartDelaysMs.at(-1) ?? 0;
  pod.restarts++;
  showChange(world, pod);
  addEvent(world, pod, atMs + delayMs, "run");
}

/** A pod without a node is gone at once; another one has time to end. */
export function terminate(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  if (pod.node === undefined) return remove(world, pod, atMs);
  const { drainMs, terminationMs } = world.workload.pod;
  pod.stage = "deleting";
  pod.deletedMs = atMs;
  showChange(world, pod);
  addEvent(world, pod, atMs + Math.min(drainMs, terminationMs), "drained");
  addEvent(world, pod, atMs + terminationMs, "gone");
}

function remove(world: PodWorld, pod: SimulatedPod, atMs: number): void {
  const { nodes, queued } = world;
  world.all = world.all.filter((one) => one !== pod);
  forgetLists(world);
  stopServing(world, pod, atMs);
  const waiting = queued.get(pod);
  if (waiting !== undefined) nodes?.pool.forget(waiting);
  else if (pod.node !== undefined) nodes?.pool.free(atMs, pod.node, nodes.need);
  queued.delete(pod);
}
