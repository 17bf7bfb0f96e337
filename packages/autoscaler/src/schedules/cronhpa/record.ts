// The state of jobs, from the status and from their runs.
import { formatInstant, instantMs } from "@plimsoll/core";
import type { CompiledCronHpa, CompiledCronHpaJob, CronHpaJob } from "@plimsoll/core/cronhpa";
import { nextFiring } from "@plimsoll/core/schedules";
import type { CronHpa, CronHpaCondition, CronHpaStatus } from "./cron-hpa.ts";

/** What is known of one job. */
export interface JobRecord {
  readonly job: CompiledCronHpaJob;
  readonly jobId: string;
  readonly state: CronHpaCondition["state"];
  readonly lastProbeMs: number;
  readonly message: string;
  /** What was due until then is settled. */
  readonly settledMs: number;
  /** The first time after that at which it is due; undefined when it never is, or not again. */
  readonly nextMs: number | undefined;
}

/** What is known of one object, by its specification, its stored status and what was done since. */
export interface CronHpaRecord {
  readonly object: CronHpa;
  readonly compiled: CompiledCronHpa;
  readonly jobs: readonly JobRecord[];
}

/** A clock that was set back is waited for so long; what lies further ahead was never the time. */
const maxAheadMs = 65 * 60_000;

/**
 * Brings the record up to date with the object. A job whose name, schedule, size and runOnce are as they were goes on
 * where it was, by memory or by the stored conditions, whichever knows more; any other begins now.
 */
export function updateRecord(
  object: CronHpa,
  before: CronHpaRecord | undefined,
  context: { readonly compiled: CompiledCronHpa; readonly nowMs: number; readonly newId: () => string },
): CronHpaRecord {
  const memory = before?.object.metadata.uid === object.metadata.uid ? before : undefined;
  const past = memory?.object.spec ?? object.status;
  const isSameTarget = sameTarget(past.scaleTargetRef, object.spec.scaleTargetRef);
  const isSameExclusions = sameSet(past.excludeDates ?? [], object.spec.excludeDates);
  const isSameZone = memory === undefined || memory.compiled.timeZone === context.compiled.timeZone;
  const storedOf = byNameInOrder(object.status.conditions ?? []);
  const knownOf = byNameInOrder((memory?.jobs ?? []).map((known) => ({ ...known, name: known.job.name })));

  const jobs = context.compiled.jobs.map((job): JobRecord => {
    const stored = storedOf(job.name);
    const known = knownOf(job.name);
    const last = latest(
      known !== undefined && isSameJob(known.job, job) ? known : undefined,
      stored !== undefined && isSameJob(stored, job) ? fromCondition(stored, job) : undefined,
    );
    const settledMs =
      last === undefined || !isSameZone ? context.nowMs : bounded(last.settledMs, context.nowMs);
    if (!job.plan.ok) return broken(object, job, { last, context });
    const isFresh = last === undefined || !isSameTarget || isBroken(last);
    if (isFresh || !isSameExclusions) {
      const from = isFresh ? context.nowMs : settledMs;
      return scheduled(begun(job, context), { ...context, settledMs: Math.floor(from / 1000) * 1000 });
    }
    return scheduled({ ...last, job }, { ...context, settledMs });
  });
  return { object, compiled: context.compiled, jobs };
}

/** The same record after one of its jobs was settled: run, skipped or given up. */
export function settle(
  record: CronHpaRecord,
  index: number,
  result: Pick<JobRecord, "state" | "message" | "lastProbeMs"> & { readonly dueMs: number },
): CronHpaRecord {
  const { dueMs, ...rest } = result;
  return {
    ...record,
    jobs: record.jobs.map((job, at) =>
      at === index
        ? scheduled(
            { ...job, ...rest },
            { compiled: record.compiled, settledMs: Math.max(dueMs, job.settledMs) },
          )
        : job,
    ),
  };
}

/** What the object's status should say. */
export function statusOf({ object, jobs }: CronHpaRecord): CronHpaStatus {
  const { scaleTargetRef, excludeDates } = object.spec;
  return {
    scaleTargetRef,
    ...(excludeDates.length === 0 ? {} : { excludeDates }),
    conditions: jobs.map(({ job, jobId, state, lastProbeMs, message }) => ({
      name: job.name,
      jobId,
      schedule: job.schedule,
      targetSize: job.targetSize,
      runOnce: job.runOnce,
      state,
      lastProbeTime: formatInstant(lastProbeMs),
      ...(message === "" ? {} : { message }),
    })),
  };
}

function begun(job: CompiledCronHpaJob, context: { readonly nowMs: number; readonly newId: () => string }) {
  const message = job.warnings.length === 0 ? "" : warningText(job);
  return { job, jobId: context.newId(), state: "Submitted" as const, lastProbeMs: context.nowMs, message };
}

/** Of a job that cannot be run; the reason is its message. */
function broken(
  { metadata }: CronHpa,
  job: CompiledCronHpaJob,
  { last, context }: { last: JobRecord | undefined; context: { nowMs: number; newId: () => string } },
): JobRecord {
  const reason = job.plan.ok ? "" : job.plan.message;
  const message = `${brokenPrefix} ${job.name} in ${metadata.name} namespace ${metadata.namespace ?? ""},because of ${reason}`;
  const isKnown = last?.state === "Failed" && last.message === message;
  return {
    job,
    jobId: last?.jobId ?? context.newId(),
    state: "Failed",
    lastProbeMs: isKnown ? last.lastProbeMs : context.nowMs,
    message,
    settledMs: context.nowMs,
    nextMs: undefined,
  };
}

const brokenPrefix = "Failed to create cron hpa job";

/** Whether a job never began; once it can, it starts once more. */
export function isBroken({ state, message }: Pick<JobRecord, "state" | "message">): boolean {
  return state === "Failed" && message.startsWith(brokenPrefix);
}

/** Behind messages, which users search for by how they begin. */
export function warningText({ warnings }: CompiledCronHpaJob): string {
  return warnings.map(({ message }) => `Warning: ${message}.`).join(" ");
}

function scheduled(
  job: Omit<JobRecord, "settledMs" | "nextMs">,
  context: { readonly compiled: CompiledCronHpa; readonly settledMs: number },
): JobRecord {
  const isOver = job.job.isSingle && job.state !== "Submitted";
  const { plan } = job.job;
  const nextMs =
    isOver || !plan.ok ? undefined : nextFiring(plan.schedule, context.settledMs, context.compiled.offset);
  return { ...job, settledMs: context.settledMs, nextMs };
}

function fromCondition(stored: CronHpaCondition, job: CompiledCronHpaJob): JobRecord {
  const lastProbeMs = instantMs(stored.lastProbeTime) ?? 0;
  const { jobId, state, message = "" } = stored;
  return { job, jobId, state, lastProbeMs, message, settledMs: lastProbeMs, nextMs: undefined };
}

/** Another process may have run the job since; what was written later is right. */
function latest(known: JobRecord | undefined, stored: JobRecord | undefined): JobRecord | undefined {
  if (known === undefined || stored === undefined) return known ?? stored;
  const isNewer = stored.lastProbeMs > known.lastProbeMs && stored.lastProbeMs > known.settledMs;
  return isNewer ? stored : known;
}

function bounded(settledMs: number, nowMs: number): number {
  return settledMs > nowMs + maxAheadMs ? nowMs : settledMs;
}

function isSameJob(one: CronHpaJob, other: CronHpaJob): boolean {
  return (
    one.schedule === other.schedule && one.targetSize === other.targetSize && one.runOnce === other.runOnce
  );
}

type Target = CronHpa["spec"]["scaleTargetRef"];

function sameTarget(one: Target | undefined, other: Target): boolean {
  return one?.kind === other.kind && one.name === other.name && one.apiVersion === other.apiVersion;
}

function sameSet(one: readonly string[], other: readonly string[]): boolean {
  const [a, b] = [new Set(one), new Set(other)];
  return a.size === b.size && [...a].every((text) => b.has(text));
}

/** Takes the first of a name, then the second: the schema allows several. */
function byNameInOrder<T extends { readonly name: string }>(
  items: readonly T[],
): (name: string) => T | undefined {
  const shelves = new Map<string, T[]>();
  for (const item of items) {
    const shelf = shelves.get(item.name);
    if (shelf === undefined) shelves.set(item.name, [item]);
    else shelf.push(item);
  }
  return (name) => shelves.get(name)?.shift();
}
