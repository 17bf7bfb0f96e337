import { isDeepStrictEqual } from "node:util";
import type { Clock, EventRecorder, KubeClient } from "@plimsoll/kube";
import { createAlarm } from "../alarm.ts";
import { createBackoff } from "../backoff.ts";
import { referenceTo } from "../hpa/act/act.ts";
import { type NativeHpa, projectHpa, splitKey } from "../hpa/native-hpa.ts";
import { createRunQueue } from "../hpa/run-queue.ts";
import type { Logger } from "../log.ts";
import type { CalendarFiles } from "../schedules/calendar-files.ts";
import { createScheduleReader } from "../schedules/reader.ts";
import type { Watch } from "../watch.ts";
import { boundsFinalizer, finalizersOf } from "./bounds-wla.ts";
import { type Reading, readDemand } from "./demand.ts";
import { createDisputes } from "./disputes.ts";
import { setFinalizer } from "./finalizer.ts";
import { boundsOf, type LiveHpa } from "./live-hpa.ts";
import { planBounds } from "./plan.ts";
import { publishOwn } from "./publish.ts";
import { boundsFailureText } from "./rights.ts";
import { missing, type Settled, settleBounds } from "./settle.ts";
import { createSight, hpaKey } from "./sight.ts";

export interface BoundsController {
  start(): void;
  stop(): Promise<void>;
  /** Some HPAs became this process's. */
  gained(): void;
}

export interface BoundsDeps {
  readonly hpas: Watch<NativeHpa>;
  readonly wlas: Watch<NativeHpa>;
  readonly client: KubeClient;
  readonly events: Pick<EventRecorder, "record">;
  readonly clock: Clock;
  readonly log: Logger;
  /** Asked by HPA. */
  readonly holds: (key: string) => boolean;
  /** iCalendar files that schedules name. */
  readonly calendars: CalendarFiles;
  /** How long somebody else is given way to, the first time and at most. */
  readonly patience: { readonly firstMs: number; readonly longestMs: number };
}

const retryMs = 15_000;
const longestRetryMs = 300_000;
/** Files of calendars change without telling. */
const lookAgainMs = 60_000;
const concurrency = 10;

/** A status that changed says nothing about bounds. */
function hasSameBounds(one: NativeHpa, other: NativeHpa): boolean {
  return one.metadata.uid === other.metadata.uid && isDeepStrictEqual(boundsOf(one), boundsOf(other));
}

/** Nor does one of a WorkloadAutoscaler. */
function hasSameDemand(one: NativeHpa, other: NativeHpa): boolean {
  const [a, b] = [one.metadata, other.metadata];
  return (
    a.uid === b.uid &&
    a.generation === b.generation &&
    a.deletionTimestamp === b.deletionTimestamp &&
    finalizersOf(one).includes(boundsFinalizer) === finalizersOf(other).includes(boundsFinalizer)
  );
}

/** Lets the bounds of HPAs follow the schedules of the WorkloadAutoscalers that point to them. */
export function createBoundsController(o: BoundsDeps): BoundsController {
  const { clock, client, log } = o;
  const nowMs = () => clock.nowMs();
  const reader = createScheduleReader(o.calendars);
  const backoff = createBackoff(retryMs);
  const disputes = createDisputes(o.patience);
  const sight = createSight(o.hpas, o.wlas);
  const queue = createRunQueue({ clock, concurrency, slowAfterMs: 500, slowLimit: 1000, run });
  const alarm = createAlarm(clock, look);
  let isRunning = false;

  o.hpas.subscribe(({ type, object, previous }) => {
    const key = hpaKey(object);
    if (type === "deleted") {
      disputes.drop(key);
      backoff.succeeded(key);
      sight.drop(object);
    }
    const isHeld = [object, previous].some((hpa) => hpa !== undefined && boundsOf(hpa).hasAnnotation);
    const isNews = type !== "modified" || previous === undefined || !hasSameBounds(object, previous);
    if (isNews && (isHeld || sight.isClaimed(key))) look(key);
  });
  o.wlas.subscribe((change) => {
    const { type, object, previous } = change;
    if (type === "deleted") {
      sight.drop(object);
      reader.drop(object.metadata.uid ?? "");
    }
    if (type === "modified" && previous !== undefined && hasSameDemand(object, previous)) return;
    for (const key of sight.concernedBy(change)) look(key);
  });

  return { start, stop, gained };

  function start(): void {
    isRunning = true;
    gained();
  }

  async function stop(): Promise<void> {
    isRunning = false;
    alarm.stop();
    await queue.stop();
  }

  function gained(): void {
    const pointed = sight.wlas().flatMap((object) => sight.concernedBy({ object }));
    for (const key of new Set([...pointed, ...sight.held()])) look(key);
  }

  function look(key: string): void {
    if (isRunning && o.holds(key)) void queue.push(key);
  }

  async function run(key: string): Promise<void> {
    const mayWrite = () => isRunning && o.holds(key);
    try {
      const nextMs = await settleOne(key, mayWrite);
      if (nextMs !== undefined) alarm.set(key, nextMs);
    } catch (error) {
      log.error({ hpa: key, err: error }, "moving bounds crashed; the others go on");
      alarm.set(key, nowMs() + backoff.failed(key, longestRetryMs));
    }
  }

  /** Gives when to look again. */
  async function settleOne(key: string, mayWrite: () => boolean): Promise<number | undefined> {
    if (!mayWrite()) return undefined;
    // Bounds that nobody seems to claim are given back: that must not be because the claims are not known yet.
    if (!o.hpas.isSynced || !o.wlas.isSynced) return nowMs() + retryMs;
    // What begins while this goes on must ring at once afterwards.
    const atMs = nowMs();
    const hpa = sight.hpa(key);
    const claims = sight.claimsOn(key);
    const winner = winnerOf(claims, hpa);
    const settled = await settle(key, { hpa, winner, mayWrite });
    if (settled.hpa !== undefined) sight.keep(projectHpa(settled.hpa));
    const { failure } = settled;
    let isDone = failure === undefined;
    if (failure !== undefined) {
      log.warn({ hpa: key, error: failure }, "could not move bounds; trying again");
      for (const wla of sight.waiting(key)) tellWaiting(wla, failure);
    }
    for (const wla of claims) {
      if (!mayWrite()) return undefined;
      const rival = wla === winner ? undefined : winner?.metadata.name;
      const about = { target: splitKey(key).name, reading: read(wla, hpa), settled, rival };
      const isWritten = await publishOwn(latestOf(wla), about, { ...o, sight, nowMs });
      isDone &&= isWritten;
    }
    for (const wla of sight.releasable(splitKey(key).namespace)) {
      const stuck = await withFinalizer(wla, false, mayWrite);
      if (stuck === undefined) continue;
      isDone = false;
      tellWaiting(wla, stuck);
    }
    if (isDone) backoff.succeeded(key);
    const times = [
      winner && read(winner, hpa, atMs).nextMs,
      settled.dispute?.untilMs,
      isDone ? undefined : nowMs() + backoff.failed(key, longestRetryMs),
      isDone && claims.length > 0 ? nowMs() + lookAgainMs : undefined,
    ];
    const earliest = Math.min(...times.filter((ms) => ms !== undefined));
    return Number.isFinite(earliest) ? earliest : undefined;
  }

  /** Whoever holds the bounds keeps them while it has something to say, then the first by name that has. */
  function winnerOf(claims: readonly NativeHpa[], hpa: NativeHpa | undefined): NativeHpa | undefined {
    const demanding = claims.filter((wla) => read(wla, hpa).demand !== undefined);
    const holder = hpa === undefined ? undefined : boundsOf(hpa).held?.by;
    return demanding.find(({ metadata }) => metadata.name === holder) ?? demanding[0] ?? claims[0];
  }

  function tellWaiting(wla: NativeHpa, why: string): void {
    if (wla.metadata.deletionTimestamp === undefined) return;
    o.events.record(referenceTo(wla), { type: "Warning", reason: "DeletionWaits", message: why });
  }

  /** Setting the finalizer may have given a newer one. */
  function latestOf(wla: NativeHpa): NativeHpa {
    return sight.wlas().find(({ metadata }) => metadata.uid === wla.metadata.uid) ?? wla;
  }

  function read(
    wla: NativeHpa,
    hpa: Pick<NativeHpa, "metadata" | "spec"> | undefined,
    atMs = nowMs(),
  ): Reading {
    const own = hpa === undefined ? undefined : planBounds({ ...boundsOf(hpa), demand: undefined }).own;
    return readDemand(wla, { nowMs: atMs, reader, own });
  }

  async function settle(
    key: string,
    {
      hpa,
      winner,
      mayWrite,
    }: { hpa: NativeHpa | undefined; winner: NativeHpa | undefined; mayWrite: () => boolean },
  ): Promise<Settled> {
    if (hpa === undefined) return missing;
    const demandOf = (of: NativeHpa | LiveHpa) =>
      winner === undefined ? undefined : read(winner, of).demand;
    const about = winner === undefined ? "" : `${winner.metadata.uid}|${winner.metadata.generation}`;
    const plan = planBounds({ ...boundsOf(hpa), demand: demandOf(hpa) });
    const known: Settled = { isThere: true, plan, did: "nothing" };
    const secure = () =>
      winner === undefined ? Promise.resolve(undefined) : withFinalizer(winner, true, mayWrite);
    if (plan.action.kind === "none") {
      // The way back stays secured while there is one.
      const failure = boundsOf(hpa).hasAnnotation ? await secure() : undefined;
      return failure === undefined ? known : { ...known, failure };
    }
    const dispute = disputes.open(key, { nowMs: nowMs(), about });
    if (plan.action.kind === "hold" && dispute !== undefined) return { ...known, dispute };
    return settleBounds({ key, ...splitKey(key) }, demandOf, {
      client,
      disputes,
      nowMs,
      about,
      mayWrite,
      secure,
    });
  }

  /** Gives why it could not be done. */
  async function withFinalizer(
    wla: NativeHpa,
    isWanted: boolean,
    mayWrite: () => boolean,
  ): Promise<string | undefined> {
    if (!mayWrite()) return "another process has it";
    try {
      const now = await setFinalizer(client, wla, isWanted);
      if (now !== undefined) sight.keep(now);
      return now !== undefined || !isWanted ? undefined : "the WorkloadAutoscaler is gone";
    } catch (error) {
      const text = boundsFailureText(error);
      log.warn({ wla: wla.metadata.name, error: text }, "could not write the finalizer; trying again");
      return text;
    }
  }
}
