import { type EventRecorder, isConflict, type KubeClient } from "@plimsoll/kube";
import { apiErrorText } from "../errors.ts";
import { referenceTo } from "../hpa/act/act.ts";
import type { NativeHpa } from "../hpa/native-hpa.ts";
import type { Logger } from "../log.ts";
import { claimsOf, conditionsWith, writeOwnStatus } from "./own-status.ts";
import type { Settled } from "./settle.ts";
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
  about: Parameters<typeof claimsOf>[0],
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
  if (conditions === undefined) return true;
  for (const { type, isTrue, reason, message } of claims) {
    const known = stored.find((condition) => condition.type === type);
    const isBad = type === "Ready" ? !isTrue : type === "Conflict" && isTrue;
    // A conflict is told once, as such.
    if (!isBad || (type === "Ready" && reason === "Conflict") || known?.reason === reason) continue;
    events.record(regarding, { type: "Warning", reason, message });
  }
  try {
    const written = await writeOwnStatus(client, wla, conditions);
    if (written !== undefined) sight.keep(written);
    return true;
  } catch (error) {
    // One that changed comes round again with its change.
    if (isConflict(error)) return false;
    log.warn(
      { wla: wla.metadata.name, error: apiErrorText(error) },
      "could not write the status; trying again",
    );
    return false;
  }
}
