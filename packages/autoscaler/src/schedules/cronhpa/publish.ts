// Publishes the status of a CronHorizontalPodAutoscaler.
import type { Logger } from "@plimsoll/component-base";
import { apiErrorText, type EventRecorder, isConflict, isNotFound, type KubeClient } from "@plimsoll/kube";
import { cronHpaKey } from "./cron-hpa.ts";
import type { JobStore } from "./job-store.ts";
import { type CronHpaRecord, isBroken, statusOf } from "./record.ts";
import { referenceTo } from "./reference.ts";
import { isSameStatus, readCronHpa, writeCronHpaStatus } from "./write-status.ts";

export interface PublishDeps {
  readonly client: KubeClient;
  readonly jobs: JobStore;
  readonly events: Pick<EventRecorder, "record">;
  readonly log: Logger;
}

const tries = 5;

/**
 * Writes the status where it is not what it should be. On a conflict the object is read again, and what others wrote
 * stays. False: retry later.
 */
export async function publish(
  wanted: CronHpaRecord,
  mayWrite: () => boolean,
  { client, jobs, events, log }: PublishDeps,
): Promise<boolean> {
  let record = wanted;
  const cronHpa = cronHpaKey(record.object);
  for (let attempt = 1; ; attempt++) {
    const status = statusOf(record);
    if (!mayWrite() || isSameStatus(record.object.status, status)) return true;
    try {
      const stored = await writeCronHpaStatus(client, record.object, status);
      announce(record, events);
      jobs.take(stored);
      return true;
    } catch (error) {
      if (isNotFound(error)) {
        jobs.drop(record.object);
        return true;
      }
      if (!isConflict(error) || attempt === tries) {
        log.warn({ cronHpa, error: apiErrorText(error) }, "could not write the status; retrying");
        return false;
      }
    }
    try {
      record = jobs.take(await readCronHpa(client, record.object));
    } catch (error) {
      if (!isNotFound(error)) return false;
      jobs.drop(record.object);
      return true;
    }
  }
}

/** What a new status says for the first time of jobs that cannot be run, or are not what they look like. */
function announce({ object, jobs }: CronHpaRecord, events: Pick<EventRecorder, "record">): void {
  const before = object.status.conditions ?? [];
  for (const { job, jobId, state, message } of jobs) {
    const isReported = before.some((condition) => condition.jobId === jobId && condition.message === message);
    if (isReported) continue;
    if (isBroken({ state, message }))
      events.record(referenceTo(object), { type: "Warning", reason: "Failed", message });
    if (state !== "Submitted" || before.some((condition) => condition.jobId === jobId)) continue;
    for (const warning of job.warnings) {
      events.record(referenceTo(object), {
        type: "Warning",
        ...warning,
        message: `${job.name}: ${warning.message}`,
      });
    }
  }
}
