// Decides when the jobs of which target are run.
import type { EntryMeter } from "@plimsoll/component-base";
import type { CronHpaDefaults } from "@plimsoll/core/cronhpa";
import { createKeyedController, type ReconcileResult } from "@plimsoll/kube";
import type { Watch } from "../../informers/watch.ts";
import type { Ownership } from "../../leadership/coordination.ts";
import { fenced } from "../../leadership/fenced.ts";
import { meterEntries } from "../../telemetry/entries.ts";
import type { CronHpa } from "./cron-hpa.ts";
import { createJobStore } from "./job-store.ts";
import { planRuns } from "./plan.ts";
import { publish } from "./publish.ts";
import { type RunDueJobDeps, runDueJob } from "./run-due-job.ts";

export interface CronHpaSettings extends CronHpaDefaults {
  /** A run that was missed, because no process was there, is caught up for so long. */
  readonly missedRunsMs: number;
}

/** Targets are owned, and so all objects of them. */
interface ControllerDeps extends Omit<RunDueJobDeps, "jobs" | "signal">, Ownership {
  readonly settings: CronHpaSettings;
  readonly objects: Pick<Watch<CronHpa>, "subscribe">;
  readonly random: () => number;
  readonly newId: () => string;
  readonly meter?: EntryMeter | undefined;
}

const backoff = { baseMs: 1000, maxMs: 300_000 } as const;
/** A job that is due waits no longer than this for a server that is back; a status up to the backoff's maximum. */
const maxDueRetryMs = 15_000;
const concurrency = 10;

/** Runs the jobs of CronHorizontalPodAutoscalers when they are due, target by target. */
export function createCronHpaController(deps: ControllerDeps) {
  const { clock, has, log, owns, random, settings } = deps;
  const { missedRunsMs, ...defaults } = settings;
  const jobs = createJobStore({ ...deps, defaults });
  const stopping = new AbortController();
  const context: RunContext = { ...deps, jobs, signal: stopping.signal, missedRunsMs };
  let isRunning = false;
  const controller = createKeyedController({
    clock,
    random,
    owns,
    concurrency,
    backoff,
    reconcile: (targetKey, signal) =>
      reconcileTarget(targetKey, () => !signal.aborted && owns(targetKey), context),
    onError: (target, error) =>
      log.error({ target, err: error }, "scheduled runs crashed; other objects are not affected"),
  });
  meterEntries(deps.meter, "cron_hpa", jobs.entries);
  meterEntries(deps.meter, "cron_hpa_runs", controller.entries);
  const enqueue = (targetKey: string): void => {
    if (isRunning && has(targetKey)) controller.enqueue(targetKey);
  };
  const enqueueAll = (): void => {
    for (const targetKey of jobs.targets()) enqueue(targetKey);
  };

  deps.objects.subscribe((change) => {
    for (const targetKey of jobs.apply(change)) enqueue(targetKey);
  });

  return {
    start(): void {
      isRunning = true;
      enqueueAll();
    },
    async stop(): Promise<void> {
      isRunning = false;
      stopping.abort();
      await controller.stop();
    },
    /** Some targets became this process's. */
    gained: enqueueAll,
    /** Some are not any more. */
    lost(): void {
      for (const targetKey of jobs.targets()) {
        if (has(targetKey)) continue;
        controller.lost(targetKey);
        jobs.forget(targetKey);
      }
    },
  };
}

interface RunContext extends RunDueJobDeps {
  readonly missedRunsMs: number;
}

/** All that is to be done about one target now. */
async function reconcileTarget(
  targetKey: string,
  mayWrite: () => boolean,
  context: RunContext,
): Promise<ReconcileResult> {
  const { clock, jobs, log, scale } = context;
  const client = fenced(scale.client, mayWrite);
  const deps = { ...context, client, scale: { ...scale, client } };
  let isDone = false;
  try {
    const isRun = await runDueJobs(targetKey, mayWrite, deps);
    isDone = (await publishAll(targetKey, mayWrite, deps)) && isRun;
  } catch (error) {
    // What is due is retried sooner than other failures.
    log.error({ target: targetKey, err: error }, "scheduled runs crashed; other objects are not affected");
  }
  if (!mayWrite()) return {};
  const records = jobs.recordsOf(targetKey);
  const times = records.flatMap((record) => record.jobs.flatMap(({ nextMs }) => nextMs ?? []));
  if (isDone || records.length === 0) return requeueAt(times);
  const nowMs = clock.nowMs();
  const later = times.filter((ms) => ms > nowMs);
  const retry = later.length < times.length ? { maxMs: maxDueRetryMs } : {};
  return { ...requeueAt(later), retry };
}

function requeueAt(times: readonly number[]): ReconcileResult {
  return times.length === 0 ? {} : { requeueAtMs: Math.min(...times) };
}

/** False when one of them is to be retried. */
async function runDueJobs(
  targetKey: string,
  mayWrite: () => boolean,
  deps: RunContext & Parameters<typeof publish>[2],
): Promise<boolean> {
  const { clock, jobs, missedRunsMs } = deps;
  let isDone = true;
  for (const due of planRuns(jobs.recordsOf(targetKey), { nowMs: clock.nowMs(), missedRunsMs })) {
    const result = await runDueJob(due, mayWrite, deps);
    if (result === "retry") isDone = false;
    else if (result !== undefined) await publish(result, mayWrite, deps);
  }
  return isDone;
}

async function publishAll(
  targetKey: string,
  mayWrite: () => boolean,
  deps: Parameters<typeof publish>[2],
): Promise<boolean> {
  let isDone = true;
  for (const record of deps.jobs.recordsOf(targetKey)) {
    const isWritten = await publish(record, mayWrite, deps);
    isDone &&= isWritten;
  }
  return isDone;
}
