import type { CronHpaDefaults } from "@plimsoll/core";
import { createAlarm } from "../alarm.ts";
import { createBackoff } from "../backoff.ts";
import { createRunQueue } from "../hpa/run-queue.ts";
import type { Watch } from "../watch.ts";
import { type CarryOutDeps, carryOut } from "./carry-out.ts";
import type { CronHpa } from "./cron-hpa.ts";
import { createLedger } from "./ledger.ts";
import { planRuns } from "./plan.ts";
import { publish } from "./publish.ts";

export interface CronHpaController {
  start(): void;
  stop(): Promise<void>;
  /** Some targets became this process's. */
  gained(): void;
  /** Some are not any more. */
  lost(): void;
}

export interface CronHpaSettings extends CronHpaDefaults {
  /** A run that was missed, because no process was there, is caught up for so long. */
  readonly missedRunsMs: number;
}

const retryMs = 1000;
/** A run that is due waits no longer than this for a server that is back; a status does. */
const longestRetryMs = { run: 15_000, status: 300_000 };
const concurrency = 10;

/** Runs the jobs of CronHorizontalPodAutoscalers when they are due, target by target. */
export function createCronHpaController(
  o: Omit<CarryOutDeps, "ledger" | "signal"> & {
    readonly settings: CronHpaSettings;
    readonly objects: Pick<Watch<CronHpa>, "subscribe">;
    /** Asked by target, so that all objects of one target have one process. */
    readonly holds: (targetKey: string) => boolean;
    readonly newId: () => string;
  },
): CronHpaController {
  const { clock, settings } = o;
  const { missedRunsMs, ...defaults } = settings;
  const stopping = new AbortController();
  const ledger = createLedger({ defaults, nowMs: () => clock.nowMs(), newId: o.newId });
  const deps: CarryOutDeps = { ...o, ledger, signal: stopping.signal };
  const queue = createRunQueue({ clock, concurrency, slowAfterMs: 500, slowLimit: 1000, run });
  const alarm = createAlarm(clock, look);
  const backoff = createBackoff(retryMs);
  let isRunning = false;

  o.objects.subscribe((change) => {
    for (const targetKey of ledger.apply(change)) look(targetKey);
  });

  return { start, stop, gained, lost };

  function start(): void {
    isRunning = true;
    gained();
  }

  async function stop(): Promise<void> {
    isRunning = false;
    stopping.abort();
    alarm.stop();
    await queue.stop();
  }

  function gained(): void {
    for (const targetKey of ledger.targets()) look(targetKey);
  }

  function lost(): void {
    for (const targetKey of ledger.targets()) if (!o.holds(targetKey)) ledger.forget(targetKey);
  }

  function look(targetKey: string): void {
    if (isRunning && o.holds(targetKey)) void queue.push(targetKey);
  }

  /** All that is to be done about one target now. */
  async function run(targetKey: string): Promise<void> {
    const mayWrite = () => isRunning && o.holds(targetKey);
    const publishDeps = { ...deps, client: deps.scale.client };
    let isSettled = true;
    try {
      for (const due of planRuns(ledger.recordsOf(targetKey), { nowMs: clock.nowMs(), missedRunsMs })) {
        const done = await carryOut(due, mayWrite, deps);
        if (done === "again") isSettled = false;
        else if (done !== undefined) await publish(done, mayWrite, publishDeps);
      }
      for (const record of ledger.recordsOf(targetKey)) {
        const isWritten = await publish(record, mayWrite, publishDeps);
        isSettled &&= isWritten;
      }
    } catch (error) {
      isSettled = false;
      o.log.error({ target: targetKey, err: error }, "scheduled runs crashed; the others go on");
    }
    if (!o.holds(targetKey)) {
      ledger.forget(targetKey);
      backoff.succeeded(targetKey);
      return;
    }
    const records = ledger.recordsOf(targetKey);
    const nowMs = clock.nowMs();
    const times = records.flatMap(({ jobs }) => jobs.flatMap(({ nextMs }) => nextMs ?? []));
    const due = times.filter((ms) => ms <= nowMs);
    if (isSettled || records.length === 0) {
      backoff.succeeded(targetKey);
      if (times.length > 0) alarm.set(targetKey, Math.min(...times));
      return;
    }
    const waitMs = backoff.failed(targetKey, due.length > 0 ? longestRetryMs.run : longestRetryMs.status);
    alarm.set(targetKey, Math.min(nowMs + waitMs, ...times.filter((ms) => ms > nowMs)));
  }
}
