// What the pods of one workload share, and what each change of one of them does to it.
import type { Pod } from "@plimsoll/core";
import { type RandomStream, randomStream } from "../random/stream.ts";
import type { Workload } from "../scenario.ts";
import type { Flow } from "./flow.ts";
import type { TimedHeap } from "./heap.ts";
import type { Nodes, Waiting } from "./nodes.ts";
import { type PodStage, type PodWorkload, podObject, type SimulatedPod } from "./pod.ts";

/** What pods are made from. */
export interface PodsOptions {
  readonly workload: Workload;
  readonly seed: number;
  readonly flow: Flow;
  readonly startMs: number;
  readonly nodes: { readonly pool: Nodes; readonly need: number } | undefined;
  /** Containers that ended so long ago are forgotten. */
  readonly keptMs: number;
  /** Brings the workload up to an instant, before a change that comes from outside: a node. */
  readonly advance: (atMs: number) => void;
}

/** Something that happens to a pod, if it is then still in the stage that it was in when the event was made. */
export interface PodEvent {
  readonly atMs: number;
  readonly pod: SimulatedPod;
  readonly kind: "place" | "run" | "ready" | "crash" | "drained" | "gone";
  readonly stage: PodStage;
  readonly restarts: number;
}

/** The pods of one workload; the fields that change are changed by the functions of `pod-life.ts`. */
export interface PodWorld extends PodsOptions {
  readonly common: PodWorkload;
  readonly events: TimedHeap<PodEvent>;
  readonly queued: Map<SimulatedPod, Waiting>;
  all: SimulatedPod[];
  /** As the API shows them; undefined: to be listed again. */
  objects: readonly Pod[] | undefined;
  /** Undefined: to be counted again. */
  counts: { readonly active: number; readonly ready: number } | undefined;
  ordinals: number;
  crashes: number;
}

/** The luck of a pod: by its ordinal, so that it is the same under every specification. */
export function luckOf(world: PodWorld, purpose: string, { ordinal, restarts }: SimulatedPod): RandomStream {
  return randomStream(world.seed, `${world.workload.name}/${purpose}/${restarts}`, ordinal);
}

export function addEvent(world: PodWorld, pod: SimulatedPod, atMs: number, kind: PodEvent["kind"]): void {
  world.events.add({ atMs, pod, kind, stage: pod.stage, restarts: pod.restarts });
}

/** Shows the pod as it is now. */
export function showChange(world: PodWorld, pod: SimulatedPod): void {
  pod.object = podObject(pod, world.common);
  forgetLists(world);
}

/** What was listed and counted is no longer so. */
export function forgetLists(world: PodWorld): void {
  world.objects = undefined;
  world.counts = undefined;
}

/** From now on the pod takes requests. */
export function startServing({ flow }: PodWorld, pod: SimulatedPod, atMs: number): void {
  const life = pod.lives.at(-1);
  if (life === undefined || pod.isServing) return;
  pod.isServing = true;
  flow.serving++;
  life.servesFromMs = atMs;
  life.opened = flow.servedPerPod;
}

/** It takes none any more. */
export function stopServing({ flow }: PodWorld, pod: SimulatedPod, atMs: number): void {
  const life = pod.lives.at(-1);
  if (life === undefined || !pod.isServing) return;
  pod.isServing = false;
  flow.serving--;
  life.servesUntilMs = atMs;
  life.closed = flow.servedPerPod;
}
