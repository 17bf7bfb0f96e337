// The decisions of a recording: what the count was at each instant of the controller, and what it became.
import { lastAtOrBefore, lastBefore } from "@plimsoll/simulator/parts";
import type { RecordedPod, RecordedStep, Recording, StatusTriple } from "./recording.ts";

/** One decision that was recorded. */
export interface RecordedDecision {
  readonly atMs: number;
  /** Replicas before. */
  readonly current: number;
  /** Replicas that it decided. */
  readonly recorded: number;
  /** The first status that was read after it, and before the next. */
  readonly triple: StatusTriple | undefined;
  /** Its instant is that of the status. */
  readonly isAbout: boolean;
}

const secondMs = 1000;

/** A change of the count, and the pod that dates it; undefined where none does. */
interface CountChange {
  readonly step: RecordedStep;
  readonly from: number;
  readonly mark: { readonly atMs: number; readonly uncertaintyMs: number } | undefined;
}

/** Whole seconds at which pods were created or asked to go because the count changed: marks of the clock. */
export function clockMarks(recording: Pick<Recording, "scale" | "pods">): readonly number[] {
  const marks = countChanges(recording).flatMap(({ step, mark }) => {
    const atMs = mark?.atMs ?? (step.earliestMs === step.atMs ? step.atMs : undefined);
    return atMs === undefined ? [] : [Math.floor(atMs / secondMs) * secondMs];
  });
  return [...new Set(marks)].toSorted((a, b) => a - b);
}

/** At each of the instants, which ascend. */
export function decisionsAt(recording: Recording, instants: readonly number[]): readonly RecordedDecision[] {
  const { scale, status } = recording;
  const counts = new Map<number, number>();
  let initial = scale[0]?.value;
  let behind = -1;
  for (const change of countChanges(recording)) {
    const first = Math.max(behind, decisionOf(change, instants));
    // One change per decision: a second one was made by the next, unless it was seen before that.
    const isNext = counts.has(first) && (instants[first + 1] ?? Infinity) <= change.step.atMs;
    const at = first + (isNext ? 1 : 0);
    behind = at;
    if (at < 0) initial = change.step.value;
    else counts.set(at, change.step.value);
  }
  if (initial === undefined) return [];
  const statusMs = status.map(({ atMs }) => atMs);
  let current = initial;
  return instants.map((atMs, at) => {
    const recorded = counts.get(at) ?? current;
    const triple = status[lastAtOrBefore(statusMs, atMs) + 1];
    const isOfIt = triple !== undefined && triple.atMs <= (instants[at + 1] ?? Infinity);
    const decision = { atMs, current, recorded, triple: isOfIt ? triple : undefined, isAbout: false };
    current = recorded;
    return decision;
  });
}

/** A period of the controller is longer than one of scrapes by what a sync takes: what is as old as a window is over. */
const driftMs = 1;
const maxDriftMs = 1000;

/** Each status once. With instants, it is of the last one before it; without, it is dated about when it was read. */
export function decisionsOfStatus(
  status: readonly StatusTriple[],
  { instants, periodMs }: { readonly instants: readonly number[] | undefined; readonly periodMs: number },
): readonly RecordedDecision[] {
  const decisions: RecordedDecision[] = [];
  const isEach = spanOf(status) < 1.5 * periodMs * (status.length - 1);
  for (const triple of status) {
    const at = instants === undefined ? -1 : lastBefore(instants, triple.atMs);
    const aboutMs = triple.atMs + (isEach ? (decisions.length * driftMs) % maxDriftMs : 0);
    const atMs = instants === undefined ? aboutMs : instants[at];
    const last = decisions.at(-1);
    if (atMs === undefined || atMs <= (last?.atMs ?? -Infinity)) continue;
    const { currentReplicas: current, desiredReplicas: recorded } = triple;
    // The same change cannot be made twice: the status was read twice.
    if (instants === undefined && current !== recorded && isSame(last?.triple, triple)) continue;
    decisions.push({ atMs, current, recorded, triple, isAbout: instants === undefined });
  }
  return decisions;
}

function spanOf(status: readonly StatusTriple[]): number {
  const [first, last] = [status[0], status.at(-1)];
  return first === undefined || last === undefined ? 0 : last.atMs - first.atMs;
}

function isSame(a: StatusTriple | undefined, b: StatusTriple): boolean {
  return (
    a !== undefined &&
    a.currentReplicas === b.currentReplicas &&
    a.desiredReplicas === b.desiredReplicas &&
    a.values.every((value, at) => value === b.values[at])
  );
}

function countChanges({ scale, pods }: Pick<Recording, "scale" | "pods">): readonly CountChange[] {
  const created = marksOf(pods, ({ createdMs }) => createdMs);
  // Seen between two scrapes only, it says less than the count does.
  const deleted = marksOf(pods, ({ deletedMs, uncertaintyMs }) =>
    uncertaintyMs > secondMs ? undefined : deletedMs,
  );
  return scale.slice(1).flatMap((step, at) => {
    const from = scale[at]?.value ?? step.value;
    if (from === step.value) return [];
    return [{ step, from, mark: markOf(step, step.value > from ? created : deleted) }];
  });
}

interface Marks {
  readonly instants: readonly number[];
  readonly marks: readonly { readonly atMs: number; readonly uncertaintyMs: number }[];
}

function marksOf(pods: readonly RecordedPod[], of: (pod: RecordedPod) => number | undefined): Marks {
  const marks = pods
    .flatMap((pod) => {
      const atMs = of(pod);
      return atMs === undefined ? [] : [{ atMs, uncertaintyMs: pod.uncertaintyMs }];
    })
    .toSorted((a, b) => a.atMs - b.atMs);
  return { instants: marks.map(({ atMs }) => atMs), marks };
}

/** The first pod that came or went where the count may have changed: where it is known exactly, none is needed. */
function markOf({ atMs, earliestMs }: RecordedStep, { instants, marks }: Marks): CountChange["mark"] {
  if (atMs === earliestMs) return { atMs, uncertaintyMs: 0 };
  const mark = marks[lastAtOrBefore(instants, earliestMs - secondMs) + 1];
  return mark !== undefined && mark.atMs <= atMs ? mark : undefined;
}

/** Position of the decision that made it; -1: before the first. */
function decisionOf({ step, mark }: CountChange, instants: readonly number[]): number {
  if (mark === undefined) return lastAtOrBefore(instants, step.atMs);
  const { atMs, uncertaintyMs } = mark;
  return uncertaintyMs === 0
    ? lastAtOrBefore(instants, atMs)
    : lastBefore(instants, atMs + Math.min(uncertaintyMs, secondMs));
}
