import { isDeepStrictEqual } from "node:util";
import { type EventRecorder, isConflict, type KubeClient } from "@plimsoll/kube";
import { apiErrorText } from "../errors.ts";
import { referenceTo } from "../hpa/act/act.ts";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Logger } from "../log.ts";
import { type SchedulesStatus, scheduleEvents, schedulesStatus } from "../schedules/own-status.ts";
import { type About, claimsOf, conditionsWith, scheduledOf, writeOwnStatus } from "./own-status.ts";
import type { Sight } from "./sight.ts";

export interface PublishDeps {
  readonly client: KubeClient;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: Logger;
  readonly sight: Sight;
  readonly nowMs: () => number;
}

/** Writes the conditions of a WorkloadAutoscaler where they changed, and tells what is new. False: try again later. */
export async function publishOwn(
  wla: NativeHpa,
  about: About,
  { client, events, log, sight, nowMs }: PublishDeps,
): Promise<boolean> {
  const stored = wla.status?.conditions ?? [];
  const claims = claimsOf(about);
  const conditions = conditionsWith(stored, claims, nowMs());
  const regarding = referenceTo(wla);
  const { did, plan } = about.settled;
  if (did !== "nothing" && plan !== undefined && about.rival === undefined) {
    const { minReplicas, maxReplicas } = plan.wanted;
    const message = `${about.target}: minReplicas ${minReplicas}, maxReplicas ${maxReplicas}`;
    events.record(regarding, {
      type: "Normal",
      reason: did === "held" ? "BoundsMoved" : "BoundsRestored",
      message,
    });
    log.info({ wla: wla.metadata.name, did, minReplicas, maxReplicas }, "bounds");
  }
  const scheduled = about.rival === undefined ? scheduledOf(about) : undefined;
  const schedules = scheduled && schedulesStatus(scheduled);
  const known = (wla.status as { readonly schedules?: SchedulesStatus } | undefined)?.schedules;
  if (conditions === undefined && isDeepStrictEqual(known, schedules)) return true;
  try {
    const written = await writeOwnStatus(client, wla, { conditions: conditions ?? stored, schedules });
    if (written !== undefined) sight.keep(written);
  } catch (error) {
    if (isConflict(error)) return false;
    log.warn(
      { wla: wla.metadata.name, error: apiErrorText(error) },
      "could not write the status; trying again",
    );
    return false;
  }
  for (const event of scheduled === undefined ? [] : scheduleEvents(wla, scheduled))
    events.record(regarding, event);
  for (const { type, isTrue, reason, message } of claims) {
    const known = stored.find((condition) => condition.type === type);
    const isBad = type === "Ready" ? !isTrue : type === "Conflict" && isTrue;
    // These are told as such.
    if (
      !isBad ||
      (type === "Ready" && (reason === "Conflict" || reason === "InvalidSchedule")) ||
      known?.reason === reason
    )
      continue;
    events.record(regarding, { type: "Warning", reason, message });
  }
  return true;
}
