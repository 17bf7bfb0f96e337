// Which pods are there at an instant, and which change near it, without a look at all pods of a long recording.
import type { RecordedPod, RecordedSpan } from "./recording.ts";

const bucketMs = 3_600_000;

/** Pods in the order in which they were given. `spanOf` is when a pod may be there, `instantsOf` when it changes. */
export function createPodsByTime(
  pods: readonly RecordedPod[],
  of: {
    readonly spanOf: (pod: RecordedPod) => RecordedSpan;
    readonly instantsOf: (pod: RecordedPod) => readonly number[];
  },
) {
  const lastMs = pods.reduce((last, pod) => Math.max(last, ...of.instantsOf(pod).filter(Number.isFinite)), 0);
  const lastBucket = bucketOf(lastMs);
  const there = new Map<number, number[]>();
  const moving = new Map<number, Set<number>>();
  for (const [at, pod] of pods.entries()) {
    const { fromMs, toMs } = of.spanOf(pod);
    // Behind the last instant nothing changes any more.
    const end = Math.min(bucketOf(toMs), lastBucket + 1);
    for (let bucket = bucketOf(fromMs); bucket <= end; bucket++) listOf(there, bucket).push(at);
    for (const instant of of.instantsOf(pod)) setOf(moving, bucketOf(instant)).add(at);
  }
  const podsOf = (positions: Iterable<number>): readonly RecordedPod[] =>
    [...positions].flatMap((at) => pods[at] ?? []);
  return {
    /** Of these some may be just outside of the instant. */
    around: (atMs: number): readonly RecordedPod[] =>
      podsOf(there.get(Math.min(bucketOf(atMs), lastBucket + 1)) ?? []),
    /** Pods with an instant of theirs within so much of an instant, that distance included. */
    movingNear(atMs: number, withinMs: number): readonly RecordedPod[] {
      const found = new Set<number>();
      for (let bucket = bucketOf(atMs - withinMs); bucket <= bucketOf(atMs + withinMs); bucket++) {
        for (const at of moving.get(bucket) ?? []) found.add(at);
      }
      const isNear = (pod: RecordedPod): boolean =>
        of.instantsOf(pod).some((instant) => Math.abs(instant - atMs) <= withinMs);
      return podsOf([...found].toSorted((a, b) => a - b)).filter(isNear);
    },
  };
}

function bucketOf(atMs: number): number {
  return Math.floor(atMs / bucketMs);
}

function listOf(map: Map<number, number[]>, key: number): number[] {
  const list = map.get(key) ?? [];
  map.set(key, list);
  return list;
}

function setOf(map: Map<number, Set<number>>, key: number): Set<number> {
  const set = map.get(key) ?? new Set();
  map.set(key, set);
  return set;
}
