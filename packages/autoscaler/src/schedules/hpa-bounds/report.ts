// Writes status and events of a WorkloadAutoscaler that moves bounds.
import { isDeepStrictEqual } from "node:util";
import type { StoredHpaCondition } from "@plimsoll/core";
import { scheduleEvents, schedulesStatus } from "@plimsoll/core/schedules";
import { apiErrorText, isConflict } from "@plimsoll/kube";
import { referenceTo } from "../../objects/reference.ts";
import type { ScalingObject } from "../../objects/scaling-object.ts";
import type { BoundsRun } from "./context.ts";
import {
  type About,
  conditionsOf,
  type OwnCondition,
  type OwnStatus,
  scheduledOf,
  storedConditions,
  writeOwnStatus,
} from "./own-status.ts";

type ReportDeps = Pick<BoundsRun, "client" | "clock" | "events" | "index" | "log">;

/** Writes the status of a WorkloadAutoscaler where it changed, and records events of what is new. False: retry later. */
export async function report(wla: ScalingObject, about: About, deps: ReportDeps): Promise<boolean> {
  reportBounds(wla, about, deps);
  const stored = wla.status?.conditions ?? [];
  const conditions = conditionsOf(about);
  const changed = storedConditions(stored, conditions, deps.clock.nowMs());
  const scheduled = about.movedBy === undefined ? scheduledOf(about) : undefined;
  const schedules = scheduled && schedulesStatus(scheduled);
  if (changed === undefined && isDeepStrictEqual(wla.status?.schedules, schedules)) return true;
  if (!(await write(wla, { conditions: changed ?? stored, schedules }, deps))) return false;
  const warnings = conditions.filter((condition) => isNews(condition, stored)).map(warningOf);
  const started = scheduled === undefined ? [] : scheduleEvents(scheduled, wla.status);
  for (const event of [...started, ...warnings]) deps.events.record(referenceTo(wla), event);
  return true;
}

function reportBounds(
  wla: ScalingObject,
  { target, outcome, movedBy }: About,
  { events, log }: ReportDeps,
): void {
  const { did, plan } = outcome;
  if (did === "nothing" || plan === undefined || movedBy !== undefined) return;
  const { minReplicas, maxReplicas } = plan.wanted;
  const message = `${target}: minReplicas ${minReplicas}, maxReplicas ${maxReplicas}`;
  const reason = did === "moved" ? "BoundsMoved" : "BoundsRestored";
  events.record(referenceTo(wla), { type: "Normal", reason, message });
  log.info({ wla: wla.metadata.name, did, minReplicas, maxReplicas }, "bounds");
}

async function write(
  wla: ScalingObject,
  status: OwnStatus,
  { client, index, log }: ReportDeps,
): Promise<boolean> {
  try {
    const written = await writeOwnStatus(client, wla, status);
    if (written !== undefined) index.put(written);
    return true;
  } catch (error) {
    if (!isConflict(error)) {
      const fields = { wla: wla.metadata.name, error: apiErrorText(error) };
      log.warn(fields, "could not write the status; retrying");
    }
    return false;
  }
}

/** Whether a condition is worth a warning that no other event gives. */
function isNews({ type, isTrue, reason }: OwnCondition, stored: readonly StoredHpaCondition[]): boolean {
  const isBad = type === "Ready" ? !isTrue : type === "Conflict" && isTrue;
  const hasOwnEvent = type === "Ready" && (reason === "Conflict" || reason === "InvalidSchedule");
  const before = stored.find((condition) => condition.type === type);
  return isBad && !hasOwnEvent && before?.reason !== reason;
}

function warningOf({ reason, message }: OwnCondition) {
  return { type: "Warning" as const, reason, message };
}
