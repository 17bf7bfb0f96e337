// Detects another client that writes the status or replicas of an object that we manage.
import { isDeepStrictEqual } from "node:util";
import { backoffMs } from "@plimsoll/component-base";
import { isOlder } from "@plimsoll/kube";
import { fieldManager, isSibling } from "../../objects/field-managers.ts";
import type { FieldWriter } from "../../objects/field-writer.ts";
import { reclaimOf } from "../../objects/ownership.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { ObjectState } from "../remember/state.ts";
import type { Conflict, ConflictLimits, Contest, Yielded } from "./conflict.ts";

const builtInManager = "kube-controller-manager";
/** A change sooner than this after our own write undoes it, however short the period. */
const minUndoneMs = 60_000;
/** Between two writes of replicas that are undone each time. */
const maxBackoffMs = 300_000;
/** Between two such writes when the second is a need for more than was ever undone. */
const maxNeedMs = 60_000;
/** A client that returns within this time continues its old count. */
const rememberedMs = 300_000;
/** The period of another controller, until two of its writes say more: the default of the built-in one, or more. */
const writerPeriodMs = { least: 15_000, most: 60_000 };
/** Another controller has ended after this many silent periods. */
const silentPeriods = 3;

type KnownConflict = Pick<ObjectState, "contest" | "lastScale">;

/** An object that we only watch, and the status that we wrote last. */
interface YieldedState extends Pick<ObjectState, "lastWritten"> {
  readonly yielded: Yielded;
}

/** Whether the replicas were written by an autoscaler: this program, or the built-in one. */
export function isAutoscaler({ manager }: FieldWriter): boolean {
  return manager === fieldManager || manager === builtInManager;
}

/**
 * Only controllers write an object's status: one that is newer than our last and differs from it was written by another
 * controller, or by another installation of this one. One that is suspect counts again once we have written over it.
 */
export function isForeignStatus(
  stored: ScalingObject,
  {
    lastWritten,
    isStatusUncertain,
    hasStored,
    suspect,
  }: Pick<ObjectState, "lastWritten" | "isStatusUncertain" | "hasStored" | "suspect">,
): boolean {
  if (lastWritten === undefined || isStatusUncertain) return false;
  if (!hasStored && stored.statusWriter?.manager === fieldManager) return false;
  if (lastWritten.metadata.uid !== stored.metadata.uid) return false;
  const isAfterOurs = ({ metadata }: ScalingObject) =>
    isOlder(lastWritten.metadata.resourceVersion, metadata.resourceVersion);
  if (!isAfterOurs(stored) || isDeepStrictEqual(stored.status, lastWritten.status)) return false;
  const seen = suspect !== undefined && isAfterOurs(suspect.seen) ? suspect.seen : lastWritten;
  return !isDeepStrictEqual(stored.status, seen.status);
}

/** Another controller's first status ends our management; under our own name it takes two, one soon after the other. */
export function statusConflict(
  state: ObjectState,
  stored: ScalingObject,
  { nowMs, periodMs }: ConflictLimits & { readonly nowMs: number },
): Pick<Conflict, "yielded" | "suspect"> {
  const { suspect } = state;
  if (!isForeignStatus(stored, state)) return { yielded: undefined, suspect };
  const { status: seen, statusWriter } = stored;
  const windowMs = Math.max(rememberedMs, silentPeriods * periodMs);
  const isSecond = suspect !== undefined && nowMs - suspect.lastMs <= windowMs;
  if (statusWriter?.manager === fieldManager && !isSecond)
    return { yielded: undefined, suspect: { lastMs: nowMs, seen: stored } };
  const by = nameOf(statusWriter);
  const ownMs = Math.max(writerPeriodMs.least, Math.min(periodMs, writerPeriodMs.most));
  const first = { sinceMs: nowMs, count: 0, periodMs: ownMs, lastMs: nowMs };
  const yielded = oneMoreOf(returned(state.former, by, nowMs) ?? first, nowMs);
  return { yielded: { ...yielded, by, seen, reclaim: reclaimOf(stored) }, suspect: undefined };
}

/** What is known of the controller when it writes again soon after we took the object over: then it had not ended. */
function returned(former: Yielded | undefined, by: string, nowMs: number): Yielded | undefined {
  return former?.by === by && nowMs - former.lastMs <= rememberedMs ? former : undefined;
}

type Writes = Pick<Yielded, "sinceMs" | "lastMs" | "count" | "periodMs">;

/** Another write: the time since the one before is its period, unless that is longer than a period is taken for. */
function oneMoreOf({ sinceMs, lastMs, count, periodMs: knownMs }: Writes, nowMs: number): Writes {
  const periodMs = Math.max(knownMs, Math.min(nowMs - lastMs, writerPeriodMs.most));
  return { sinceMs, lastMs: nowMs, count: count + 1, periodMs };
}

/** What is known of the other controller after one more look at the object. */
export function followed(state: YieldedState, stored: ScalingObject, nowMs: number): Yielded {
  const { isUnwatched: _, ...yielded } = state.yielded;
  if (!hasWritten(state, stored)) return yielded;
  const { status: seen, statusWriter } = stored;
  return { ...yielded, ...oneMoreOf(yielded, nowMs), by: nameOf(statusWriter), seen };
}

/** When we manage the object again, if the other controller stays silent. */
export function takeOverMs({ lastMs, periodMs }: Yielded): number {
  return lastMs + silentPeriods * periodMs;
}

/** Whether the object is ours again: the other controller is silent, or the object's annotation changed. */
export function isOver(state: YieldedState, stored: ScalingObject, nowMs: number): boolean {
  const { yielded } = state;
  if (yielded.reclaim !== reclaimOf(stored)) return true;
  return nowMs >= takeOverMs(yielded) && (yielded.isUnwatched === true || !hasWritten(state, stored));
}

/** A WorkloadAutoscaler's status says who has the object: that one we wrote. */
function hasWritten({ yielded: { seen }, lastWritten }: YieldedState, { status }: ScalingObject): boolean {
  if (isDeepStrictEqual(status, seen)) return false;
  return lastWritten === undefined || !isDeepStrictEqual(status, lastWritten.status);
}

/** Whether these replicas, found by an evaluation, replaced those that we had written shortly before. */
export function isOverwritten(
  { lastScale }: Pick<ObjectState, "lastScale">,
  found: number,
  { nowMs, periodMs }: { readonly nowMs: number; readonly periodMs: number },
): boolean {
  if (lastScale === undefined || lastScale.replicas === found) return false;
  const ageMs = nowMs - lastScale.atMs;
  return ageMs >= 0 && ageMs <= undoneMs(periodMs);
}

/** The contest if it goes on; undefined once a write of ours has lasted. */
export function contestNow(contest: Contest | undefined, nowMs: number): Contest | undefined {
  return contest !== undefined && nowMs < contest.quietMs ? contest : undefined;
}

/** When these replicas may be written: a need for more than was ever undone does not wait for the whole backoff. */
export function nextWriteMs(
  { highest, lastMs, nextWriteMs: atMs }: Contest,
  { from, to }: { readonly from: number; readonly to: number },
): number {
  return to > from && to > highest ? Math.min(atMs, lastMs + maxNeedMs) : atMs;
}

/**
 * Replicas that another client sets back are written again at the next evaluation, as upstream does. A client that keeps
 * doing so, such as one that applies a manifest with `spec.replicas`, gets our writes at growing intervals.
 */
export function scaleConflict(
  state: KnownConflict,
  read: { readonly found: number; readonly writer: FieldWriter | undefined; readonly nowMs: number },
  { periodMs }: ConflictLimits,
): Pick<Conflict, "contest" | "overwritten" | "lastScale"> {
  const { lastScale } = state;
  const { found, writer, nowMs } = read;
  const isForgotten = state.contest !== undefined && nowMs - state.contest.quietMs > rememberedMs;
  const contest = isForgotten ? undefined : state.contest;
  const known = { contest, overwritten: undefined, lastScale };
  if (lastScale === undefined) return known;
  if (lastScale.replicas === found && nowMs - lastScale.atMs <= undoneMs(periodMs)) return known;
  const compared = { ...known, lastScale: undefined };
  if (!isOverwritten(state, found, { nowMs, periodMs })) return compared;
  // Another part of this program, which an operator enabled.
  if (writer !== undefined && isSibling(writer.manager)) return compared;
  return {
    ...compared,
    contest: undoneOnceMore(contest, { by: nameOf(writer), wrote: lastScale.replicas, nowMs, periodMs }),
    overwritten: { wrote: lastScale.replicas, found, manager: writer?.manager },
  };
}

function undoneOnceMore(
  before: Contest | undefined,
  undone: Pick<Contest, "by"> & { readonly wrote: number; readonly nowMs: number; readonly periodMs: number },
): Contest {
  const { by, wrote, nowMs, periodMs } = undone;
  const count = (before?.count ?? 0) + 1;
  const isRare = count === 1 || periodMs >= maxBackoffMs;
  const waitMs = isRare ? 0 : backoffMs(count - 1, { baseMs: periodMs, maxMs: maxBackoffMs });
  const atMs = nowMs + waitMs;
  return {
    by,
    sinceMs: before?.sinceMs ?? nowMs,
    lastMs: nowMs,
    count,
    highest: Math.max(before?.highest ?? 0, wrote),
    nextWriteMs: atMs,
    // An evaluation writes it a period later, and the next ones look whether it lasts.
    quietMs: atMs + periodMs + undoneMs(periodMs),
  };
}

function undoneMs(periodMs: number): number {
  return Math.max(2 * periodMs, minUndoneMs);
}

function nameOf(writer: FieldWriter | undefined): string {
  if (writer === undefined) return "an unknown client";
  return writer.manager === fieldManager ? `another ${fieldManager}` : writer.manager;
}
