// Runs one due job of a CronHorizontalPodAutoscaler.
import { type Clock, type Logger, sleep } from "@plimsoll/component-base";
import type { CompiledCronHpaJob, CronHpaBoundsPolicy } from "@plimsoll/core/cronhpa";
import { nextFiring } from "@plimsoll/core/schedules";
import { apiErrorText, type EventRecorder, isNotFound, type KubeClient } from "@plimsoll/kube";
import { type CronHpa, cronHpaKey, cronTargetKey, hpaKind } from "./cron-hpa.ts";
import type { JobStore } from "./job-store.ts";
import type { DueRun } from "./plan.ts";
import { type CronHpaRecord, type JobRecord, settle, warningText } from "./record.ts";
import { referenceTo } from "./reference.ts";
import { scaleHpa } from "./scale-hpa.ts";
import { type Attempt, type ScaleDeps, scaleWorkload } from "./scale-workload.ts";
import { readCronHpa } from "./write-status.ts";

export interface RunDueJobDeps {
  readonly reading: KubeClient;
  readonly scale: Omit<ScaleDeps, "mayWrite">;
  readonly jobs: JobStore;
  readonly events: Pick<EventRecorder, "record">;
  readonly clock: Clock;
  readonly log: Logger;
  readonly signal: AbortSignal;
}

type Ended = Pick<JobRecord, "state" | "message"> & {
  readonly event: { readonly type: "Normal" | "Warning"; readonly reason: string };
};

/**
 * Runs a due job, and saves the result in the store. "retry": nothing was done, and the failure may pass. Undefined:
 * nothing was to be done, or another process does it.
 */
export async function runDueJob(
  due: DueRun,
  mayWrite: () => boolean,
  deps: RunDueJobDeps,
): Promise<CronHpaRecord | "retry" | undefined> {
  const { clock, events, jobs, log } = deps;
  const cronHpa = cronHpaKey(due.record.object);
  let record: CronHpaRecord;
  try {
    // It may have been run, edited or deleted since: the watch could be behind.
    record = jobs.take(await readCronHpa(deps.reading, due.record.object));
  } catch (error) {
    if (isNotFound(error)) {
      jobs.drop(due.record.object);
      return undefined;
    }
    log.warn({ cronHpa, error: apiErrorText(error) }, "could not read the object before a scheduled run");
    return "retry";
  }
  const known = record.jobs[due.index];
  if (known === undefined || !isStillDue(known, due) || !isSameTarget(record.object, due.record.object))
    return undefined;
  if (!mayWrite()) return undefined;
  const ended = await outcome(due, { record, known, mayWrite, deps });
  if (ended === undefined || !mayWrite()) return undefined;
  const { event, ...result } = ended;
  const settled = settle(record, due.index, {
    ...result,
    message: [result.message, warningText(known.job)].filter((text) => text !== "").join(" "),
    dueMs: due.dueMs,
    lastProbeMs: probeTime(known, { record, dueMs: due.dueMs, nowMs: clock.nowMs() }),
  });
  jobs.put(settled);
  events.record(referenceTo(record.object), { ...event, message: result.message });
  const fields = {
    cronHpa,
    job: known.job.name,
    state: result.state,
    due: new Date(due.dueMs).toISOString(),
  };
  log.info({ ...fields, message: result.message }, "scheduled run");
  return settled;
}

function isStillDue({ nextMs, job }: JobRecord, due: DueRun): boolean {
  return nextMs !== undefined && nextMs <= due.dueMs && job.name === due.record.jobs[due.index]?.job.name;
}

function isSameTarget(one: CronHpa, other: CronHpa): boolean {
  return cronTargetKey(one) === cronTargetKey(other);
}

async function outcome(
  { decision, isLate, dueMs }: DueRun,
  context: {
    readonly record: CronHpaRecord;
    readonly known: JobRecord;
    readonly mayWrite: () => boolean;
    readonly deps: RunDueJobDeps;
  },
): Promise<Ended | undefined> {
  const { record, known, mayWrite, deps } = context;
  const { job } = known;
  const success = `cron hpa job ${job.name} executed successfully.`;
  const failure = "cron hpa failed to execute, because of";
  switch (decision.kind) {
    case "excluded":
      return succeeded(`${success} skip scaling activity,because of excludeDate (${decision.by}).`);
    case "missed": {
      const message = `${failure} the run of ${new Date(dueMs).toISOString()} was missed: ${decision.why}`;
      // A job that runs once waits for its next time.
      const state = job.isSingle ? "Submitted" : "Failed";
      return { state, message, event: { type: "Warning", reason: job.isSingle ? "OutOfDate" : "Failed" } };
    }
    case "run": {
      if (isLate) {
        const message = `rerun out of date job: ${job.name}`;
        deps.events.record(referenceTo(record.object), { type: "Warning", reason: "OutOfDate", message });
      }
      const { bounds } = record.compiled;
      const run = await runJob({ object: record.object, job, bounds }, { ...deps, ...deps.scale, mayWrite });
      if (run.result === "fenced") return undefined;
      if (run.result === "done") {
        if (run.warning !== undefined) {
          const message = `${job.name}: ${run.warning}`;
          deps.events.record(referenceTo(record.object), {
            type: "Warning",
            reason: "TargetSizeOutOfBounds",
            message,
          });
        }
        return succeeded(`${success} ${run.message}`);
      }
      return {
        state: "Failed",
        message: `${failure} ${run.message}`,
        event: { type: "Warning", reason: "Failed" },
      };
    }
  }
}

function succeeded(message: string): Ended {
  return { state: "Succeed", message, event: { type: "Normal", reason: "Succeed" } };
}

/**
 * The time of the last probe, from which a later process goes on: that of now, unless the job was due again meanwhile
 * or counts from its last run.
 */
function probeTime(
  { job }: JobRecord,
  context: { readonly record: CronHpaRecord; readonly dueMs: number; readonly nowMs: number },
): number {
  if (!job.plan.ok || job.plan.schedule.kind === "every") return context.dueMs;
  const nextMs = nextFiring(job.plan.schedule, context.dueMs, context.record.compiled.offset);
  return nextMs !== undefined && nextMs <= context.nowMs
    ? context.dueMs
    : Math.max(context.dueMs, context.nowMs);
}

const attempts = 4;
const pauseMs = 3000;

/** Scales as a job says; what fails is retried three times, every three seconds. */
async function runJob(
  request: {
    readonly object: CronHpa;
    readonly job: CompiledCronHpaJob;
    readonly bounds: CronHpaBoundsPolicy;
  },
  deps: ScaleDeps & { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Attempt> {
  const { kind, name, apiVersion } = request.object.spec.scaleTargetRef;
  const namespace = request.object.metadata.namespace ?? "default";
  const { targetSize: size } = request.job;
  for (let attempt = 1; ; attempt++) {
    const done =
      kind === hpaKind
        ? await scaleHpa({ namespace, name }, { size, bounds: request.bounds }, deps)
        : await scaleWorkload({ apiVersion, kind, namespace, name }, size, deps);
    if (done.result !== "failed") return done;
    if (attempt === attempts) {
      const message = `failed to scale ${kind} ${name} in ${namespace} namespace to ${size} after retrying ${attempts} times and exit,because of ${done.message}`;
      return { result: "failed", message };
    }
    await sleep(deps.clock, pauseMs, deps.signal);
    if (deps.signal.aborted || !deps.mayWrite()) return { result: "fenced" };
  }
}
