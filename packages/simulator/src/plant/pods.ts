// The pods of one workload: created, started, Ready, crashed, deleted.
import type { Pod } from "@plimsoll/core";
import { createHeap } from "../loop/heap.ts";
import type { Workload } from "../loop/scenario.ts";
import { drawDelay, exponential } from "../random/distributions.ts";
import { type RandomStream, randomStream } from "../random/stream.ts";
import type { Flow } from "./flow.ts";
import type { Nodes, Waiting } from "./nodes.ts";
import { type PodStage, type PodWorkload, podObject, podSpec, type SimulatedPod } from "./pod.ts";
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
  readonly started: number;
  readonly crashes: number;
  /** Makes the changes that are due; the flow is at this instant. */
  step(atMs: number): void;
  scaleTo(atMs: number, replicas: number): void;
}

/** What pods are made from. */
export interface PodsOptions {
  readonly workload: Workload;
  readonly seed: number;
  readonly flow: Flow;
  readonly startMs: number;
  readonly nodes: { readonly pool: Nodes; readonly need: number } | undefined;
  /** Containers that ended so long ago are forgotten. */
  readonly keptMs: number;
}

interface PodEvent {
  readonly atMs: number;
  readonly pod: SimulatedPod;
  readonly kind: "place" | "run" | "ready" | "crash" | "drained" | "gone";
  /** Of the pod when the event was made: after a crash or a deletion it means nothing. */
  readonly stage: PodStage;
  readonly restarts: number;
}

/** Pods at the start are so old that nothing about them is young. */
const ageAtStartMs = 3_600_000;
const firstBackoffMs = 10_000;
const longestBackoffMs = 300_000;
const hourMs = 3_600_000;

/** The pods of a workload at the start: all Ready. */
export function createPods(options: PodsOptions): Pods {
  const { workload, flow, nodes } = options;
  const { pod: model } = workload;
  const common: PodWorkload = {
    namespace: workload.namespace,
    labels: { app: workload.name },
    spec: podSpec(model),
  };
  const events = createHeap<PodEvent>();
  const queued = new Map<SimulatedPod, Waiting>();
  let all: SimulatedPod[] = [];
  let objects: readonly Pod[] | undefined;
  let ordinals = 0;
  let crashes = 0;

  const stream = (purpose: string, { ordinal, restarts }: SimulatedPod): RandomStream =>
    randomStream(options.seed, `${workload.name}/${purpose}/${restarts}`, ordinal);
  const after = (pod: SimulatedPod, atMs: number, kind: PodEvent["kind"]): void =>
    events.add({ atMs, pod, kind, stage: pod.stage, restarts: pod.restarts });
  const changed = (pod: SimulatedPod): void => {
    pod.object = podObject(pod, common);
    objects = undefined;
  };

  const create = (atMs: number): SimulatedPod => {
    const ordinal = ordinals++;
    const bare = {
      ordinal,
      name: `${workload.name}-${ordinal}`,
      createdMs: atMs,
      stage: "waiting" as PodStage,
      startMs: undefined,
      readinessMs: atMs,
      restarts: 0,
      node: undefined,
      deletedMs: undefined,
      isServing: false,
      lives: [],
    };
    const pod: SimulatedPod = { ...bare, object: podObject(bare, common) };
    all.push(pod);
    objects = undefined;
    return pod;
  };
  const placed = (pod: SimulatedPod, node: number, atMs: number): void => {
    queued.delete(pod);
    pod.node = node;
    pod.stage = "starting";
    pod.startMs = atMs;
    pod.readinessMs = atMs;
    changed(pod);
    after(pod, atMs + drawDelay(model.start.pull, stream("pull", pod)), "run");
  };
  const place = (pod: SimulatedPod, atMs: number): void => {
    if (nodes === undefined) return placed(pod, 0, atMs);
    const found = nodes.pool.place(atMs, nodes.need, (node, placedMs) => placed(pod, node, placedMs));
    if (typeof found === "number") placed(pod, found, atMs);
    else queued.set(pod, found);
  };
  const run = (pod: SimulatedPod, atMs: number): void => {
    pod.stage = "running";
    pod.lives.push(newLife(atMs));
    changed(pod);
    after(pod, atMs + drawDelay(model.start.ready, stream("ready", pod)), "ready");
  };
  const ready = (pod: SimulatedPod, atMs: number): void => {
    pod.stage = "ready";
    pod.readinessMs = atMs;
    serve(pod, flow, atMs);
    changed(pod);
    if (model.crashesPerHour === 0) return;
    const crashMs = atMs + exponential(stream("crash", pod), hourMs / model.crashesPerHour);
    after(pod, crashMs, "crash");
  };
  const crash = (pod: SimulatedPod, atMs: number): void => {
    crashes++;
    stopServing(pod, flow, atMs);
    const life = pod.lives.at(-1);
    if (life !== undefined) life.endMs = atMs;
    while ((pod.lives[0]?.endMs ?? Infinity) < atMs - options.keptMs) pod.lives.shift();
    pod.stage = "crashed";
    pod.readinessMs = atMs;
    const backoffMs = Math.min(longestBackoffMs, firstBackoffMs * 2 ** pod.restarts);
    pod.restarts++;
    changed(pod);
    after(pod, atMs + backoffMs, "run");
  };
  const remove = (pod: SimulatedPod, atMs: number): void => {
    all = all.filter((one) => one !== pod);
    objects = undefined;
    stopServing(pod, flow, atMs);
    const waiting = queued.get(pod);
    if (waiting !== undefined) nodes?.pool.forget(atMs, waiting);
    else if (pod.node !== undefined) nodes?.pool.free(atMs, pod.node, nodes.need);
    queued.delete(pod);
  };
  const terminate = (pod: SimulatedPod, atMs: number): void => {
    if (pod.node === undefined) return remove(pod, atMs);
    pod.stage = "deleting";
    pod.deletedMs = atMs;
    changed(pod);
    after(pod, atMs + Math.min(model.drainMs, model.terminationMs), "drained");
    after(pod, atMs + model.terminationMs, "gone");
  };
  const happen = ({ kind, pod }: PodEvent, atMs: number): void => {
    if (kind === "place") place(pod, atMs);
    else if (kind === "run") run(pod, atMs);
    else if (kind === "ready") ready(pod, atMs);
    else if (kind === "crash") crash(pod, atMs);
    else if (kind === "gone") remove(pod, atMs);
    else {
      stopServing(pod, flow, atMs);
      changed(pod);
    }
  };
  const isActive = ({ stage }: SimulatedPod): boolean => stage !== "deleting";

  for (let count = 0; count < workload.replicas; count++) {
    const bornMs = options.startMs - ageAtStartMs;
    const pod = create(bornMs);
    const node = nodes?.pool.place(options.startMs, nodes.need, () => undefined);
    pod.node = typeof node === "number" ? node : 0;
    pod.startMs = bornMs;
    pod.lives.push(newLife(bornMs));
    ready(pod, options.startMs);
    pod.readinessMs = bornMs;
    changed(pod);
  }
  return {
    get nextMs() {
      return events.nextMs;
    },
    get all() {
      return all;
    },
    get objects() {
      return (objects ??= all.map(({ object }) => object));
    },
    get active() {
      return count(all, isActive);
    },
    get ready() {
      return count(all, ({ stage }) => stage === "ready");
    },
    get waiting() {
      return queued.size;
    },
    get started() {
      return ordinals - workload.replicas;
    },
    get crashes() {
      return crashes;
    },
    step(atMs) {
      while (events.nextMs <= atMs) {
        const event = events.take();
        if (event === undefined) return;
        const isCurrent = event.stage === event.pod.stage && event.restarts === event.pod.restarts;
        if (isCurrent && all.includes(event.pod)) happen(event, atMs);
      }
    },
    scaleTo(atMs, replicas) {
      const active = all.filter(isActive);
      for (let missing = replicas - active.length; missing > 0; missing--) {
        const pod = create(atMs);
        after(pod, atMs + drawDelay(model.start.schedule, stream("schedule", pod)), "place");
      }
      if (active.length <= replicas) return;
      for (const pod of scaleDownOrder(active).slice(0, active.length - replicas)) terminate(pod, atMs);
    },
  };
}

function newLife(startMs: number): SimulatedPod["lives"][number] {
  const never = { endMs: Infinity, servesFromMs: Infinity, servesUntilMs: Infinity };
  return { startMs, ...never, opened: 0, closed: 0 };
}

function serve(pod: SimulatedPod, flow: Flow, atMs: number): void {
  const life = pod.lives.at(-1);
  if (life === undefined || pod.isServing) return;
  pod.isServing = true;
  flow.serving++;
  life.servesFromMs = atMs;
  life.opened = flow.servedPerPod;
}

function stopServing(pod: SimulatedPod, flow: Flow, atMs: number): void {
  const life = pod.lives.at(-1);
  if (life === undefined || !pod.isServing) return;
  pod.isServing = false;
  flow.serving--;
  life.servesUntilMs = atMs;
  life.closed = flow.servedPerPod;
}

function count(pods: readonly SimulatedPod[], matches: (pod: SimulatedPod) => boolean): number {
  let found = 0;
  for (const pod of pods) if (matches(pod)) found++;
  return found;
}
