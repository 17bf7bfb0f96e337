// What is remembered from one recorded decision to the next: our own proposals, and the changes that were made.
import {
  type DecideResult,
  formatInstant,
  type HpaMemory,
  type HpaSpec,
  type HpaStatus,
} from "@plimsoll/core";
import type { RecordedDecision } from "./recorded-decisions.ts";

/** Between two decisions. */
export interface ReplayState {
  readonly memory: HpaMemory | undefined;
  readonly status: HpaStatus | undefined;
}

/** A change that was made is remembered, whatever we decided. */
export function stateAfter(
  { decision, memory }: DecideResult,
  { atMs, current, recorded }: RecordedDecision,
): ReplayState {
  const ours = decision.scaleTo ?? current;
  const { status, beforeRescale: undo } = decision;
  if (ours === recorded) return { memory, status: { ...status, desiredReplicas: recorded } };
  const undone =
    undo === undefined
      ? memory
      : { ...memory, scaleUpEvents: undo.scaleUpEvents, scaleDownEvents: undo.scaleDownEvents };
  const { lastScaleTime: _, ...rest } = status;
  const scaledMs = recorded === current ? undo?.stored.lastScaleTime : formatInstant(atMs);
  return {
    memory: withChange(undone, { atMs, from: current, to: recorded }),
    status: {
      ...rest,
      ...(typeof scaledMs === "string" ? { lastScaleTime: scaledMs } : {}),
      desiredReplicas: recorded,
    },
  };
}

export function withChange(
  memory: HpaMemory,
  { atMs, from, to }: { readonly atMs: number; readonly from: number; readonly to: number },
): HpaMemory {
  if (from === to) return memory;
  const event = { change: Math.abs(to - from), atMs };
  const kept = (events: HpaMemory["scaleUpEvents"]) => events.filter((one) => atMs - one.atMs <= maxPeriodMs);
  return to > from
    ? { ...memory, scaleUpEvents: [...kept(memory.scaleUpEvents), event] }
    : { ...memory, scaleDownEvents: [...kept(memory.scaleDownEvents), event] };
}

/** The API allows no longer period. */
const maxPeriodMs = 1_800_000;
const usualDownMs = 300_000;

/** The longest time for which something that was remembered counts. */
export function windowOf({ behavior }: HpaSpec, downscaleStabilizationMs = usualDownMs): number {
  const rules = [behavior?.scaleUp, behavior?.scaleDown];
  const seconds = rules.flatMap((one) => [
    one?.stabilizationWindowSeconds ?? 0,
    ...(one?.policies ?? []).map(({ periodSeconds }) => periodSeconds),
  ]);
  const isDefault = behavior?.scaleDown?.stabilizationWindowSeconds === undefined;
  return Math.max(isDefault ? downscaleStabilizationMs : 0, ...seconds.map((one) => one * 1000));
}
