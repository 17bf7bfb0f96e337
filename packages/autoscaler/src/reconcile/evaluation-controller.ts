// The keyed controller of evaluations, with a sync period for each object.
import type { Clock, KeyedEntries, Logger } from "@plimsoll/component-base";
import { createKeyedController, type KeyedController, type ReconcileResult } from "@plimsoll/kube";
import { type Share, shareForPass } from "@plimsoll/observe";
import type { Telemetry } from "../telemetry/telemetry.ts";

/** Runs the evaluation of each key: by period, or when it is enqueued, never twice at a time. */
export interface Runs
  extends Pick<KeyedController, "waiting" | "slow" | "enqueue" | "gained" | "lost" | "stop"> {
  /** Of an object without its own. */
  readonly periodMs: number;
  /** Everything that is kept by key. */
  readonly entries: Readonly<Record<string, KeyedEntries>>;
  /** Runs every key once, with metric queries shared among all of them. */
  runAll(keys: readonly string[]): Promise<void>;
}

export interface RunsDeps {
  /** Does nothing for a key that this process does not own at that moment: it may come back without an event. */
  readonly evaluate: (key: string, share: Share) => Promise<ReconcileResult | undefined>;
  /** The evaluations of an object crash again and again. */
  readonly onCrashing: (key: string, message: string) => void;
  /** What evaluations that are close together share. */
  readonly share: Share;
  readonly telemetry: Pick<Telemetry, "crashed" | "period">;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Pick<Logger, "error">;
  readonly periodMs: number;
  readonly concurrency: number;
}

/** Exceptions in a row that are worth an event. */
const crashesBeforeEvent = 3;
const maxBackoffPeriods = 20;

export function createRuns(deps: RunsDeps): Runs {
  const { periodMs, telemetry } = deps;
  /** Evaluations that a pass over all objects wanted share that pass's queries. */
  const passShares = new Map<string, Share>();
  const runs = createKeyedController({
    clock: deps.clock,
    random: deps.random,
    periodMs,
    concurrency: deps.concurrency,
    backoff: { baseMs: periodMs, maxMs: maxBackoffPeriods * periodMs },
    reconcile(key) {
      const share = passShares.get(key) ?? deps.share;
      passShares.delete(key);
      return deps.evaluate(key, share);
    },
    onError: (key, error, failures) => reportCrash(key, { error, failures }, deps),
    observer: { period: (_, { lateMs, isSkipped }) => telemetry.period({ lateMs, isSkipped }) },
  });
  return {
    get waiting() {
      return runs.waiting;
    },
    get slow() {
      return runs.slow;
    },
    periodMs,
    entries: { ...runs.entries, passes: passShares },
    enqueue: runs.enqueue,
    gained: runs.gained,
    lost(key) {
      runs.lost(key);
      passShares.delete(key);
    },
    stop: runs.stop,
    async runAll(keys) {
      const share = shareForPass();
      for (const key of keys) passShares.set(key, share);
      await Promise.all(keys.map(runs.enqueueAndWait));
    },
  };
}

function reportCrash(
  key: string,
  { error, failures }: { readonly error: unknown; readonly failures: number },
  { telemetry, log, periodMs, onCrashing }: RunsDeps,
): void {
  telemetry.crashed();
  log.error({ hpa: key, err: error }, "evaluation crashed; other objects are not affected");
  if (failures < crashesBeforeEvent) return;
  const maxSeconds = (maxBackoffPeriods * periodMs) / 1000;
  const message = `the evaluation crashed ${failures} times in a row. This is a bug in the autoscaler; see its log. It retries less and less often, at least every ${maxSeconds} s, and at once when you edit the object`;
  onCrashing(key, message);
  log.error(
    { hpa: key, crashes: failures },
    "evaluation backs off after crashes; edit the object to retry at once",
  );
}
