// Counter-checks of what was read: when, how old, which pods, how exactly, by which rules.
import { type Pod, semanticsProfiles } from "@plimsoll/core";
import { earlierChange, type NamedChange, nearFactors, severalChanges } from "./checks-of-earlier.ts";
import { madePod, type ReplayedMetric } from "./inputs.ts";
import { areMissing, type CounterCheck, type MismatchCase } from "./mismatch.ts";
import type { RecordedDecision } from "./recorded-decisions.ts";
import { type PodsAt, type ShownAs, startOf } from "./recorded-pods.ts";
import type { RecordedPod } from "./recording.ts";

/** A pod has its first sample after two scrapes, where its metric is a rate. */
const youngMs = 60_000;

/** Parts of a period by which an instant is moved, near ones first. */
const shifts = [1, 2, 4, 8, 12, 16].flatMap((part) => [part / 16, -part / 16]);

/** The decision was made at another instant within a period. A clock that is known is right. */
export const checkClock: CounterCheck = (mismatch) => {
  const { decision, periodMs, isClockKnown } = mismatch;
  if (isClockKnown) return undefined;
  for (const shift of shifts) {
    const result = mismatch.tryInput({ atMs: decision.atMs + shift * periodMs });
    if (result === undefined) continue;
    return { evidence: `decided ${secondsText(shift * periodMs)} it gives ${decision.recorded}`, result };
  }
  if (areMissing(mismatch)) return checkMissing(mismatch);
  return earlierChange(mismatch, ({ atMs }) =>
    shifts.map((shift) => ({
      text: `another instant, ${secondsText(shift * periodMs)},`,
      change: { atMs: atMs + shift * periodMs },
    })),
  );
};

/** A decision that was not read proposed something else. */
function checkMissing(mismatch: MismatchCase): ReturnType<CounterCheck> {
  const { decision, state, periodMs } = mismatch;
  const { recorded, current } = decision;
  const atMs = decision.atMs - periodMs;
  const recommendations = state.memory?.recommendations ?? [];
  for (const replicas of new Set([recorded, current])) {
    const memory = {
      ...(state.memory ?? { scaleUpEvents: [], scaleDownEvents: [] }),
      recommendations: [...recommendations, { replicas, atMs }],
    };
    const result = mismatch.tryMemory(memory);
    if (result === undefined) continue;
    return {
      evidence: `with a proposal of ${replicas} at an instant that was not read it decides ${recorded}`,
      result,
    };
  }
  return undefined;
}

function secondsText(ms: number): string {
  return `${(Math.abs(ms) / 1000).toFixed(1)} s ${ms < 0 ? "earlier" : "later"}`;
}

/** The metrics API answered from a cache, or its server did not have the newest samples yet: young ones first. */
export const checkCacheAge: CounterCheck = (mismatch) => {
  const { cacheAgeMs, periodMs } = mismatch;
  const ages = cacheAgeMs > 2 * periodMs ? [2 * periodMs, cacheAgeMs] : [cacheAgeMs];
  for (const ageMs of ages) {
    const found = checkAge(mismatch, ageMs);
    if (found !== undefined) return found;
  }
  return undefined;
};

function checkAge(mismatch: MismatchCase, ageMs: number): ReturnType<CounterCheck> {
  const older = ({ atMs }: RecordedDecision): readonly NamedChange[] => olderSamples(mismatch, atMs, ageMs);
  const { decision } = mismatch;
  for (const { text, change } of older(decision)) {
    const result = mismatch.tryInput(change);
    if (result !== undefined) return { evidence: `with ${text} it decides ${decision.recorded}`, result };
  }
  return earlierChange(mismatch, older) ?? severalChanges(mismatch, older);
}

function olderSamples({ inputs }: MismatchCase, atMs: number, ageMs: number): readonly NamedChange[] {
  const instants = inputs.metrics.flatMap(({ samples }) => samples.instants(atMs - ageMs, atMs));
  return [...new Set(instants)]
    .filter((samplesMs) => samplesMs >= atMs - ageMs && samplesMs < atMs)
    .toSorted((a, b) => b - a)
    .map((samplesMs) => ({ text: `the samples of ${secondsText(samplesMs - atMs)}`, change: { samplesMs } }));
}

/** One pod that was just coming, going or changing was read before or after it did. */
export const checkPodLag: CounterCheck = (mismatch) => {
  const { inputs, decision, periodMs } = mismatch;
  if (inputs.pods.isEmpty || decision.isAbout) return checkMadePods(mismatch);
  for (const pod of inputs.pods.movingNear(decision.atMs, periodMs)) {
    for (const [text, shown] of podForms(mismatch, pod)) {
      const pods = (read: PodsAt) => inputs.pods.shownWith(read, pod.name, shown);
      const result = mismatch.tryInput({ pods });
      if (result === undefined) continue;
      return { evidence: `with pod ${pod.name} ${text} it decides ${decision.recorded}`, result };
    }
  }
  const unsampled = checkUnsampled(mismatch);
  if (unsampled !== undefined) return unsampled;
  return earlierChange(mismatch, (earlier) =>
    earlier.isAbout
      ? []
      : inputs.pods.movingNear(earlier.atMs, periodMs).flatMap((pod) =>
          podForms({ ...mismatch, decision: earlier }, pod).map(([text, shown]) => ({
            text: `pod ${pod.name} ${text}`,
            change: { pods: (read: PodsAt) => inputs.pods.shownWith(read, pod.name, shown) },
          })),
        ),
  );
};

/** Several pods that have just started may have had no sample yet, which a status does not say at all. */
function checkUnsampled(mismatch: MismatchCase): ReturnType<CounterCheck> {
  const { inputs, decision } = mismatch;
  const { atMs, recorded } = decision;
  const sampled = new Set(inputs.pods.at({ atMs }).sampled);
  const young = inputs.pods
    .movingNear(atMs, youngMs)
    .filter((pod) => sampled.has(pod.name) && startOf(pod) > atMs - youngMs)
    .toSorted((a, b) => startOf(b) - startOf(a))
    .map(({ name }) => name);
  for (let count = 1; count <= young.length; count++) {
    const result = mismatch.tryInput({ unsampled: new Set(young.slice(0, count)) });
    if (result === undefined) continue;
    const which = count === 1 ? "pod" : `${count} pods`;
    const evidence = `without a sample of the ${which} that started last it decides ${recorded}`;
    return { evidence, result };
  }
  return undefined;
}

function podForms(
  { inputs, decision }: MismatchCase,
  pod: RecordedPod,
): readonly (readonly [string, Pod | undefined])[] {
  const sinceMs = decision.atMs;
  const { startedMs = pod.createdMs } = pod;
  const form = (shown: Partial<ShownAs>): Pod =>
    inputs.pods.object(pod, {
      phase: "Running",
      isReady: false,
      sinceMs,
      startedMs,
      isDeleted: false,
      ...shown,
    });
  return [
    ["not there", undefined],
    ["Ready", form({ isReady: true, sinceMs: pod.ready[0]?.fromMs ?? startedMs })],
    ["not Ready", form({})],
    ["Pending", form({ phase: "Pending", startedMs: undefined })],
  ];
}

/** Nothing is known of pods: some of them may not have been Ready yet. */
function checkMadePods(mismatch: MismatchCase): ReturnType<CounterCheck> {
  const { inputs, decision } = mismatch;
  const { current, recorded } = decision;
  for (let unready = 1; unready < current; unready++) {
    const pods = ({ pods: read, active, ready, sampled }: PodsAt): PodsAt => ({
      pods: [
        ...read.slice(unready),
        ...Array.from({ length: unready }, (_, n) => madePod(`unready-${n}`, inputs.metrics, false)),
      ],
      active,
      ready: ready.slice(unready),
      sampled: sampled.slice(unready),
    });
    const result = mismatch.tryInput({ pods });
    if (result === undefined) continue;
    const which = unready === 1 ? "one pod that is" : `${unready} pods that are`;
    return { evidence: `with ${which} not Ready it decides ${recorded}`, result };
  }
  return undefined;
}

/** Pods of two owners were there: only those of one of them counted. */
export const checkRollout: CounterCheck = (mismatch) => {
  const { inputs, decision } = mismatch;
  if (inputs.pods.isEmpty || decision.isAbout) return undefined;
  const there = inputs.pods.at({ atMs: decision.atMs }).pods;
  const owners = [...new Set(there.map(ownerOf))];
  if (owners.length < 2) return undefined;
  for (const owner of owners) {
    const pods = (read: PodsAt): PodsAt => {
      const others = read.pods.filter((pod) => ownerOf(pod) !== owner);
      return others.reduce(
        (rest, pod) => inputs.pods.shownWith(rest, pod.metadata?.name ?? "", undefined),
        read,
      );
    };
    const result = mismatch.tryInput({ pods });
    if (result === undefined) continue;
    return { evidence: `with the pods of ${owner} alone it decides ${decision.recorded}`, result };
  }
  return undefined;
};

/** The name of a pod is that of its owner and its own part. */
function ownerOf({ metadata }: Pod): string {
  return (metadata?.name ?? "").replace(/-[^-]+$/, "");
}

/** Values were cut before they were written: half a unit of their last digit, either way. */
export const checkRounding: CounterCheck = (mismatch) => {
  for (const metric of mismatch.inputs.metrics) {
    const half = lastDigit(mismatch, metric) / 2;
    for (const plus of [half, -half]) {
      const result = mismatch.tryInput({ values: { metric: metric.index, change: { plus } } });
      if (result === undefined) continue;
      const { recorded } = mismatch.decision;
      return {
        evidence: `with metrics[${metric.index}] ${plus > 0 ? "+" : "−"}${half} it decides ${recorded}`,
        result,
      };
    }
  }
  return undefined;
};

const digits = [1, 0.1, 0.01, 0.001];
/** So many values are looked at. */
const maxLookedAt = 200;

/** The last digit that values of the metric have. */
function lastDigit({ recording, decision }: MismatchCase, { index, level }: ReplayedMetric): number {
  if (level !== "status") return 0.001;
  const first = recording.status.findIndex(({ atMs }) => atMs >= decision.atMs);
  const near = first < 0 ? [] : recording.status.slice(first, first + maxLookedAt);
  const values = near.flatMap(({ values: all }) => all[index] ?? []);
  const isWhole = (digit: number) =>
    values.every((value) => Math.abs(value / digit - Math.round(value / digit)) < 1e-6);
  return digits.find(isWhole) ?? 0.001;
}

/** The controller is of another release. */
export const checkSemantics: CounterCheck = (mismatch) => {
  for (const semantics of semanticsProfiles) {
    const result = mismatch.tryInput({ semantics });
    if (result === undefined) continue;
    return { evidence: `by the rules of ${semantics} it decides ${mismatch.decision.recorded}`, result };
  }
  return undefined;
};

/** The kubelet measures cpu at other instants than what was recorded. */
export const checkResourcePath: CounterCheck = (mismatch) => {
  for (const { index, level, spec } of mismatch.inputs.metrics) {
    const isCpu = (spec.resource ?? spec.containerResource)?.name === "cpu";
    if (!isCpu || level !== "series") continue;
    for (const times of nearFactors) {
      const result = mismatch.tryInput({ values: { metric: index, change: { times } } });
      if (result === undefined) continue;
      return { evidence: `with cpu × ${times} it decides ${mismatch.decision.recorded}`, result };
    }
  }
  return undefined;
};
