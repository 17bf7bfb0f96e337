import type { Change, Clock } from "@plimsoll/kube";
import type { DecisionStore } from "../explain/decision-log.ts";
import type { Logger } from "../log.ts";
import { type Share, shareForPass } from "../metrics-client/share.ts";
import type { Objects } from "../objects.ts";
import type { PodIndex } from "../pods/pod-index.ts";
import type { PodView } from "../pods/pod-view.ts";
import type { Telemetry } from "../telemetry.ts";
import type { Watch } from "../watch.ts";
import { keyOf, type NativeHpa, splitKey } from "./native-hpa.ts";
import { type HpaRecords, isQuiet, keepQuiet } from "./records.ts";
import type { Rivals } from "./rivals.ts";
import { createRunQueue, type RunQueue } from "./run-queue.ts";
import { createSchedule } from "./schedule.ts";

export interface Controller {
  /** Between start and stop. */
  readonly isRunning: boolean;
  start(): void;
  stop(): Promise<void>;
  /** Evaluates every HPA once, with metric calls shared among all of them. */
  evaluateAll(): Promise<void>;
  /** Evaluates one object out of turn. */
  wake(key: string): void;
  /** The objects that pass the test are this process's from now on. */
  gained(isMine: (key: string) => boolean): void;
  /** They are not any more. */
  lost(wasMine: (key: string) => boolean): void;
  readonly queue: Pick<RunQueue, "waiting" | "slow">;
}

/** A run that takes longer is waiting for somebody slow and makes room for the next. */
const slowAfterMs = 500;
const slowPerWorker = 50;
/** Exceptions in a row after which an object is left alone for a while. */
const crashesBeforeQuarantine = 3;
const quarantinePeriods = 20;

/** Decides when which HPA is evaluated: by schedule, at once when new or edited, never twice at a time. */
export function createController(o: {
  readonly objects: Objects;
  readonly pods: Watch<PodView>;
  readonly podIndex: PodIndex;
  readonly records: HpaRecords;
  readonly rivals: Rivals;
  readonly decisions: DecisionStore;
  readonly telemetry: () => Telemetry;
  /** Told of every status that anybody wrote. */
  readonly onStatus: (key: string, hpa: NativeHpa) => void;
  readonly onForgotten: (key: string) => void;
  readonly holds: (key: string) => boolean;
  readonly evaluate: (key: string, share: Share) => Promise<void>;
  /** What evaluations that are close together share. */
  readonly share: Share;
  readonly clock: Clock;
  readonly log: Logger;
  readonly periodMs: number;
  readonly concurrency: number;
}): Controller {
  /** Evaluations asked for by a pass over all objects share that pass's calls. */
  const passShares = new Map<string, Share>();
  let isRunning = false;

  const queue = createRunQueue({
    clock: o.clock,
    concurrency: o.concurrency,
    slowAfterMs,
    slowLimit: o.concurrency * slowPerWorker,
    run,
  });
  const schedule = createSchedule({ clock: o.clock, periodMs: o.periodMs, due });

  o.pods.subscribe((change) => o.podIndex.apply(change));
  o.objects.subscribe(onChange);

  return {
    get isRunning() {
      return isRunning;
    },
    start,
    stop,
    evaluateAll,
    wake,
    gained,
    lost,
    queue,
  };

  function start(): void {
    isRunning = true;
    schedule.start();
  }

  async function stop(): Promise<void> {
    isRunning = false;
    schedule.stop();
    await queue.stop();
  }

  async function evaluateAll(): Promise<void> {
    const share = shareForPass();
    await Promise.all(
      heldKeys().map((key) => {
        passShares.set(key, share);
        return queue.push(key);
      }),
    );
  }

  function wake(key: string): void {
    if (isRunning && o.holds(key)) void queue.push(key);
  }

  function heldKeys(): readonly string[] {
    return o.objects.list().map(keyOf).filter(o.holds);
  }

  function gained(isMine: (key: string) => boolean): void {
    if (!isRunning) return;
    for (const key of heldKeys()) if (isMine(key)) queue.offer(key);
  }

  function lost(wasMine: (key: string) => boolean): void {
    for (const hpa of o.objects.list()) {
      const key = keyOf(hpa);
      if (!wasMine(key)) continue;
      queue.drop(key);
      passShares.delete(key);
      o.records.reset(key);
    }
  }

  function onChange(change: Change<NativeHpa>): void {
    const hpa = change.object;
    const key = keyOf(hpa);
    if (change.type === "deleted") {
      forget(key);
      return;
    }
    o.rivals.put(hpa);
    if (change.previous?.status !== hpa.status) o.onStatus(key, hpa);
    schedule.add(key, hpa.wla?.tuning.syncPeriodMs);
    // What is there at the start waits for its turn: ten thousand at once would be a burst.
    if (isRunning && o.holds(key) && (change.type === "added" || isEdited(change.previous, hpa)))
      void queue.push(key);
  }

  function forget(key: string): void {
    const { namespace } = splitKey(key);
    schedule.remove(key);
    queue.drop(key);
    passShares.delete(key);
    o.podIndex.drop(namespace, key);
    o.rivals.drop(key);
    o.records.drop(key);
    o.decisions.drop(key);
    o.onForgotten(key);
    o.telemetry().drop(key);
  }

  function due(key: string, lateMs: number): void {
    if (!o.holds(key)) return;
    const hpa = o.objects.get(key);
    if (hpa === undefined) return;
    const isResting = isQuiet(o.records.of(hpa), o.clock.nowMs());
    o.telemetry().turn({ lateMs, isSkipped: isResting || !queue.offer(key) });
  }

  async function run(key: string): Promise<void> {
    const share = passShares.get(key) ?? o.share;
    passShares.delete(key);
    try {
      await o.evaluate(key, share);
      recordOf(key, (record) => {
        record.crashes = 0;
      });
    } catch (error) {
      o.telemetry().crashed();
      o.log.error({ hpa: key, err: error }, "evaluation crashed; the others go on");
      recordOf(key, (record) => {
        record.crashes++;
        if (record.crashes < crashesBeforeQuarantine) return;
        keepQuiet(record, o.clock.nowMs(), quarantinePeriods * o.periodMs);
        o.log.error({ hpa: key, crashes: record.crashes }, "left alone for a while; an edit brings it back");
      });
    }
  }

  function recordOf(key: string, change: (record: ReturnType<HpaRecords["of"]>) => void): void {
    const hpa = o.objects.get(key);
    if (hpa !== undefined) change(o.records.of(hpa));
  }
}

/** A change that asks for a decision at once: of the spec, of who drives, or of the object itself. */
function isEdited(before: NativeHpa | undefined, after: NativeHpa): boolean {
  if (before === undefined) return false;
  return (
    before.metadata.uid !== after.metadata.uid ||
    JSON.stringify(before.metadata.annotations) !== JSON.stringify(after.metadata.annotations) ||
    JSON.stringify(before.wla?.storedSpec ?? before.spec) !==
      JSON.stringify(after.wla?.storedSpec ?? after.spec)
  );
}
