// Invariant: replicas stay within the bounds of the specification, as schedules move them at that moment.

import { createScheduleReader, readInline, shareSchedules } from "@plimsoll/calendars";
import { boundsWith, type ScheduleSpec, scheduleState } from "@plimsoll/core/schedules";
import { hostileNamespace } from "../objects/hostile.ts";
import type { CreateInvariant, Outcome, World } from "../run/world.ts";
import { type Decided, isActive, keyOfDecided, storedOfDecided } from "./decisions.ts";
import { createAfterRestore } from "./restores.ts";

/** An evaluation whose object is edited again and again may count by what its schedules said at its beginning. */
const maxEvaluationMs = 120_000;

interface Spec {
  readonly minReplicas?: number;
  readonly maxReplicas: number;
  readonly schedules?: readonly ScheduleSpec[];
}

/** Checked by the store where it has the very specification that was decided by, and by the clock of the process. */
export const withinBounds: CreateInvariant = (world) => {
  const readBounds = createBoundsReader(world);
  const isAfterRestore = createAfterRestore(world);

  function problemOf(decided: Decided): Outcome {
    const { input, result } = decided;
    const { scaleTo } = result.decision;
    const { namespace = "", uid, generation } = input.hpa.metadata ?? {};
    if (scaleTo === undefined || !isActive(decided) || namespace === hostileNamespace) return undefined;
    const stored = storedOfDecided(world, decided);
    if (stored === undefined || stored.metadata.generation !== generation) return undefined;
    const isWithin = (atMs: number): boolean => {
      const { minReplicas, maxReplicas } = readBounds(`${namespace}/${uid ?? ""}`, stored.spec as Spec, atMs);
      return scaleTo >= minReplicas && scaleTo <= maxReplicas;
    };
    if (isWithin(input.nowMs) || isWithin(input.nowMs - maxEvaluationMs)) return true;
    return `${decided.process} scales ${keyOfDecided(decided)} to ${String(scaleTo)}, which is not within its bounds`;
  }

  return {
    name: "within-bounds",
    observe: (observation) =>
      observation.kind === "decided" && !isAfterRestore() ? problemOf(observation) : undefined,
  };
};

/** The bounds of a specification at an instant. */
function createBoundsReader({ time }: Pick<World, "time">) {
  const clock = { nowMs: () => time.nowMs, after: time.after };
  const shared = shareSchedules({ clock, calendarDirectory: undefined, runTask: readInline });
  const reader = createScheduleReader({ ...shared, onRead: () => {} });
  return (key: string, { minReplicas = 1, maxReplicas, schedules = [] }: Spec, atMs: number) => {
    const bounds = { minReplicas, maxReplicas };
    if (schedules.length === 0) return bounds;
    const read = reader.read(key, schedules, { bounds, nowMs: atMs });
    return boundsWith(bounds, scheduleState(read.schedules, atMs));
  };
}
