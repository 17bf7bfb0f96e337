// The pods of a recording as the API showed them at an instant.
import { formatInstant, type Pod, preparePod } from "@plimsoll/core";
import { lastAtOrBefore } from "@plimsoll/simulator/parts";
import { createPodsByTime } from "./pods-by-time.ts";
import type { RecordedPod } from "./recording.ts";

/** The pods at an instant. */
export interface PodsAt {
  readonly pods: readonly Pod[];
  /** Of those that are not being deleted. */
  readonly active: number;
  /** Names of those that are Ready and not being deleted. */
  readonly ready: readonly string[];
  /** Of the Ready ones those that have been there for long enough to have a sample. */
  readonly sampled: readonly string[];
  /** These have none, whatever was recorded of them. */
  readonly unsampled?: ReadonlySet<string>;
}

/** When what is read. */
export interface PodsMoment {
  /** What a decision did is not seen by it: creation and deletion count once their second is over. */
  readonly atMs: number;
  /** Absent: the same. */
  readonly readinessMs?: number;
}

export interface RecordedPods {
  /** There is none in the whole recording. */
  readonly isEmpty: boolean;
  at(moment: PodsMoment): PodsAt;
  /** Pods of which an instant lies within so much of this one. */
  movingNear(atMs: number, withinMs: number): readonly RecordedPod[];
  /** The same pods with one of them in another form; undefined: without it. */
  shownWith(at: PodsAt, name: string, pod: Pod | undefined): PodsAt;
  object(pod: RecordedPod, shown: ShownAs): Pod;
}

export interface ShownAs {
  readonly phase: "Pending" | "Running";
  readonly isReady: boolean;
  readonly sinceMs: number;
  readonly startedMs: number | undefined;
  readonly isDeleted: boolean;
}

/** The kubelet and the deletion of a pod take no longer: after it the pod is left out, where its end is unknown. */
const goneAfterMs = 600_000;
const secondMs = 1000;
/** Between two changes of pods they are the same; a cause is looked for in the last window again and again. */
const maxCached = 64;

export interface RecordedPodsOptions {
  /** The containers of a pod, of which a recording may know none. */
  readonly withRequests: (pod: RecordedPod) => NonNullable<Pod["spec"]>;
  /** From the start of a pod to its first sample. */
  readonly sampleDelayMs: number;
}

export function createRecordedPods(
  recorded: readonly RecordedPod[],
  { withRequests, sampleDelayMs }: RecordedPodsOptions,
): RecordedPods {
  const sorted = recorded.toSorted((a, b) => a.createdMs - b.createdMs);
  const specs = new Map(sorted.map((pod) => [pod, withRequests(pod)]));
  const sampledMs = (pod: RecordedPod): number => sampleDelayMs + startOf(pod);
  const ofSamples = sampleDelayMs === 0 ? [] : sorted.map(sampledMs);
  const instants = [...new Set([...sorted.flatMap(instantsOf), ...ofSamples])].toSorted((a, b) => a - b);
  const byTime = createPodsByTime(sorted, { spanOf, instantsOf });
  const newest = new Map<RecordedPod, { readonly shown: ShownAs; readonly object: Pod }>();
  // A pod is seldom shown otherwise than at the decision before.
  const object = (pod: RecordedPod, shown: ShownAs): Pod => {
    const made = newest.get(pod);
    if (made !== undefined && isSame(made.shown, shown)) return made.object;
    const own = podObject(pod, specs.get(pod) ?? {}, shown);
    newest.set(pod, { shown, object: own });
    return own;
  };
  const read = ({ atMs, readinessMs = atMs }: PodsMoment): PodsAt => {
    const there = byTime.around(atMs).filter((pod) => isThere(pod, atMs));
    const shown = there.map((pod) => ({ pod, as: shownAt(pod, atMs, readinessMs) }));
    const active = shown.filter(({ as }) => !as.isDeleted);
    const ready = active.filter(({ as }) => as.isReady);
    const names = ready.map(({ pod }) => pod.name);
    const sampled = ready.filter(({ pod }) => sampledMs(pod) <= readinessMs).map(({ pod }) => pod.name);
    return {
      pods: shown.map(({ pod, as }) => object(pod, as)),
      active: active.length,
      ready: names,
      sampled: sampleDelayMs === 0 ? names : sampled,
    };
  };
  const cache = new Map<number, PodsAt>();
  return {
    isEmpty: sorted.length === 0,
    object,
    at(moment) {
      if (moment.readinessMs !== undefined) return read(moment);
      const from = lastAtOrBefore(instants, moment.atMs);
      const cached = cache.get(from);
      if (cached !== undefined) return cached;
      const [oldest] = cache.size >= maxCached ? cache.keys() : [];
      if (oldest !== undefined) cache.delete(oldest);
      const made = read(moment);
      cache.set(from, made);
      return made;
    },
    movingNear: byTime.movingNear,
    shownWith: (at, name, pod) => withPod(at, name, pod),
  };
}

/** When its processes may have begun. */
export function startOf({ createdMs, startedMs = createdMs, runningMs = startedMs }: RecordedPod): number {
  return runningMs;
}

function withPod({ pods, sampled }: PodsAt, name: string, pod: Pod | undefined): PodsAt {
  const others = pods.filter(({ metadata }) => metadata?.name !== name);
  const all = pod === undefined ? others : [...others, pod];
  const active = all.filter(({ metadata }) => metadata?.deletionTimestamp === undefined);
  const ready = active.filter(({ status }) => status?.conditions?.[0]?.status === "True");
  const names = ready.map(({ metadata }) => metadata?.name ?? "");
  const before = new Set(sampled);
  const own = names.filter((one) => one === name || before.has(one));
  return { pods: all, active: active.length, ready: names, sampled: own };
}

/** What was asked for at an instant is there when its second is over. */
function isOver(instantMs: number, { uncertaintyMs }: RecordedPod, atMs: number): boolean {
  return instantMs + Math.min(uncertaintyMs, secondMs) <= atMs;
}

function isThere(pod: RecordedPod, atMs: number): boolean {
  const { createdMs, deletedMs = Infinity, goneMs = deletedMs + goneAfterMs } = pod;
  return isOver(createdMs, pod, atMs) && goneMs > atMs;
}

/** When `isThere` may be so. */
function spanOf({ createdMs, deletedMs = Infinity, goneMs = deletedMs + goneAfterMs }: RecordedPod) {
  return { fromMs: createdMs, toMs: goneMs };
}

/** Readiness comes from elsewhere: in the middle of what is known of its instant. */
function hasCome(instantMs: number, { uncertaintyMs }: RecordedPod, atMs: number): boolean {
  return instantMs + Math.min(uncertaintyMs, secondMs) / 2 <= atMs;
}

function shownAt(pod: RecordedPod, atMs: number, readinessMs: number): ShownAs {
  const { startedMs, runningMs = startedMs, ready, deletedMs } = pod;
  const begun = ready.findLast(({ fromMs }) => hasCome(fromMs, pod, readinessMs));
  const ended = hasCome(begun?.toMs ?? Infinity, pod, readinessMs) ? begun?.toMs : undefined;
  const isPast = (instantMs = Infinity): boolean => hasCome(instantMs, pod, readinessMs);
  const isDeleted = isOver(deletedMs ?? Infinity, pod, atMs);
  if (begun === undefined) {
    return {
      phase: isPast(runningMs) ? "Running" : "Pending",
      isReady: false,
      sinceMs: startedMs ?? pod.createdMs,
      startedMs: isPast(startedMs) ? startedMs : undefined,
      isDeleted,
    };
  }
  return {
    phase: "Running",
    isReady: ended === undefined,
    sinceMs: ended ?? begun.fromMs,
    startedMs: startedMs ?? pod.createdMs,
    isDeleted,
  };
}

function isSame(a: ShownAs, b: ShownAs): boolean {
  const isAlike = a.phase === b.phase && a.isReady === b.isReady && a.isDeleted === b.isDeleted;
  return isAlike && a.sinceMs === b.sinceMs && a.startedMs === b.startedMs;
}

function podObject(pod: RecordedPod, spec: NonNullable<Pod["spec"]>, shown: ShownAs): Pod {
  const { phase, isReady, sinceMs, startedMs, isDeleted } = shown;
  const conditions = [
    { type: "Ready", status: isReady ? "True" : "False", lastTransitionTime: formatInstant(sinceMs) },
  ];
  return preparePod({
    metadata: {
      name: pod.name,
      ...(isDeleted ? { deletionTimestamp: formatInstant(pod.deletedMs ?? pod.createdMs) } : {}),
    },
    spec,
    status: {
      phase,
      ...(startedMs === undefined ? {} : { startTime: formatInstant(startedMs), conditions }),
    },
  });
}

/** Where what the API shows of it changes. */
function instantsOf(pod: RecordedPod): readonly number[] {
  const { createdMs, startedMs, runningMs, ready, deletedMs, goneMs, uncertaintyMs } = pod;
  const over = Math.min(uncertaintyMs, secondMs);
  const spans = ready.flatMap(({ fromMs, toMs }) => (toMs === undefined ? [fromMs] : [fromMs, toMs]));
  const own = [startedMs, runningMs, ...spans].filter((instant) => instant !== undefined);
  const asked = deletedMs === undefined ? [createdMs] : [createdMs, deletedMs];
  const end = goneMs ?? (deletedMs === undefined ? undefined : deletedMs + goneAfterMs);
  const gone = end === undefined ? [] : [end];
  return [...own.map((instant) => instant + over / 2), ...asked.map((instant) => instant + over), ...gone];
}
