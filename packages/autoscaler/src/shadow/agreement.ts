// Counts how decisions in shadow compare with those of the controller that manages the object.
import type { KeyedEntries } from "@plimsoll/component-base";
import type { Decision, Verdict } from "@plimsoll/core";
import type { ShadowItem, ShadowSummary } from "@plimsoll/decisions";
import { type ScalingObject, splitKey } from "../objects/scaling-object.ts";
import { type Difference, firstDifference } from "./difference.ts";

export interface Agreement {
  /** After each evaluation in shadow, with the status as it was then. */
  decided(
    key: string,
    evaluated: {
      readonly decision: Decision;
      readonly status: ScalingObject["status"];
      readonly nowMs: number;
    },
  ): void;
  /** The other controller wrote a status. */
  observed(key: string, status: ScalingObject["status"], nowMs: number): void;
  /** How the two compare now; undefined before the first comparison. */
  verdictOf(key: string): Verdict | undefined;
  drop(key: string): void;
  readonly entries: KeyedEntries;
  summary(): ShadowSummary;
}

export type ShadowResult = "agree" | "differ" | "unsettled";

interface Track {
  agreed: number;
  differed: number;
  unsettled: number;
  readonly sinceMs: number;
  /** Our decision with which the other controller has not agreed yet. */
  open: { readonly desiredReplicas: number; readonly sinceMs: number } | undefined;
  /** The result that was counted last. */
  result: ShadowResult | undefined;
  last: ShadowItem["lastDifference"];
}

export interface AgreementOptions {
  readonly periodMs: number;
  readonly onResult: (key: string, result: ShadowResult, difference: Difference | undefined) => void;
}

/**
 * The two controllers read the cluster at different moments, so a decision is compared with the other one's status at
 * that moment and, if they differ, with its status during the next two periods. Only a decision that still differs then
 * is a difference; one that agrees after a change of ours is not counted either way.
 */
export function createAgreement({ periodMs, onResult }: AgreementOptions): Agreement {
  const tracks = new Map<string, Track>();
  const maxApartMs = 2 * periodMs;
  const close = (key: string, track: Track, result: ShadowResult, difference?: Difference): void => {
    track.open = undefined;
    track.result = result;
    if (result === "agree") track.agreed++;
    else if (result === "differ") track.differed++;
    else track.unsettled++;
    onResult(key, result, difference);
  };
  return {
    decided(key, { decision, status, nowMs }) {
      if (status === undefined || (status.conditions ?? []).length === 0) return;
      const track = tracks.get(key) ?? newTrack(nowMs);
      tracks.set(key, track);
      if (isSame(decision, status)) {
        if (track.open !== undefined) close(key, track, "unsettled");
        close(key, track, "agree");
        return;
      }
      track.open ??= { desiredReplicas: decision.desiredReplicas, sinceMs: nowMs };
      if (nowMs - track.open.sinceMs < maxApartMs) return;
      const difference = firstDifference(decision, status);
      if (difference !== undefined) track.last = { ...difference, at: new Date(nowMs).toISOString() };
      close(key, track, "differ", difference);
    },
    observed(key, status) {
      const track = tracks.get(key);
      if (track?.open === undefined || status === undefined) return;
      if ((status.desiredReplicas ?? 0) === track.open.desiredReplicas) close(key, track, "agree");
    },
    verdictOf: (key) => verdictOf(tracks.get(key)),
    drop: (key) => tracks.delete(key),
    entries: tracks,
    summary: () => summaryOf(tracks),
  };
}

/** A difference is one only after two periods: until then the other status may follow. */
function verdictOf(track: Track | undefined): Verdict | undefined {
  if (track === undefined) return undefined;
  if (track.result === "differ") return "differs";
  if (track.open !== undefined) return "lagging";
  return track.result === undefined ? undefined : "agrees";
}

function newTrack(sinceMs: number): Track {
  return {
    agreed: 0,
    differed: 0,
    unsettled: 0,
    sinceMs,
    open: undefined,
    result: undefined,
    last: undefined,
  };
}

function summaryOf(tracks: ReadonlyMap<string, Track>): ShadowSummary {
  const items = [...tracks].map(([key, track]) => itemOf(key, track));
  const sum = (count: (track: Track) => number) =>
    [...tracks.values()].reduce((total, track) => total + count(track), 0);
  const agreed = sum((track) => track.agreed);
  const differed = sum((track) => track.differed);
  return {
    total: {
      objects: tracks.size,
      apart: sum((track) => (track.open === undefined ? 0 : 1)),
      agreed,
      differed,
      unsettled: sum((track) => track.unsettled),
      agreement: ratio(agreed, differed),
      since: tracks.size === 0 ? "" : new Date(earliest(tracks)).toISOString(),
    },
    items: items.sort(byDifferences),
  };
}

/** What several processes compared, each on its own objects. */
export function mergedSummary(summaries: readonly ShadowSummary[]): ShadowSummary {
  const sum = (count: (total: ShadowSummary["total"]) => number) =>
    summaries.reduce((all, { total }) => all + count(total), 0);
  const agreed = sum((total) => total.agreed);
  const differed = sum((total) => total.differed);
  const since = summaries.flatMap(({ total }) => (total.since === "" ? [] : [total.since])).sort()[0] ?? "";
  return {
    total: {
      objects: sum((total) => total.objects),
      apart: sum((total) => total.apart),
      agreed,
      differed,
      unsettled: sum((total) => total.unsettled),
      agreement: ratio(agreed, differed),
      since,
    },
    items: summaries.flatMap(({ items }) => items).sort(byDifferences),
  };
}

function byDifferences(one: ShadowItem, other: ShadowItem): number {
  return other.differed - one.differed || one.agreement - other.agreement;
}

/** Where nothing could be decided, the count wanted is the one stored: then the conditions have to say the same. */
function isSame(decision: Decision, status: NonNullable<ScalingObject["status"]>): boolean {
  if (decision.desiredReplicas !== (status.desiredReplicas ?? 0)) return false;
  const failed = decision.trace.some((step) => step.kind === "result" && step.action === "error");
  return !failed || firstDifference(decision, status) === undefined;
}

function itemOf(key: string, { agreed, differed, unsettled, sinceMs, open, last }: Track): ShadowItem {
  return {
    ...splitKey(key),
    agreed,
    differed,
    unsettled,
    agreement: ratio(agreed, differed),
    since: new Date(sinceMs).toISOString(),
    isApart: open !== undefined,
    ...(last === undefined ? {} : { lastDifference: last }),
  };
}

function ratio(agreed: number, differed: number): number {
  return agreed + differed === 0 ? 1 : agreed / (agreed + differed);
}

function earliest(tracks: ReadonlyMap<string, Track>): number {
  let sinceMs = Number.MAX_SAFE_INTEGER;
  for (const track of tracks.values()) sinceMs = Math.min(sinceMs, track.sinceMs);
  return sinceMs;
}
