// Reconciles the bounds of one HPA with the schedules of its WorkloadAutoscaler.
import type { ReconcileResult } from "@plimsoll/kube";
import { fenced } from "../../leadership/fenced.ts";
import { namespaceOf, projectHpa, type ScalingObject, splitKey } from "../../objects/scaling-object.ts";
import { type Reading, readerKey, readRequest } from "./bounds-request.ts";
import type { BoundsContext, BoundsRun } from "./context.ts";
import { putFinalizer, removeFinalizers, reportWaiting } from "./finalizers.ts";
import { boundsOf } from "./live-hpa.ts";
import { type BoundsOutcome, missing, moveBounds } from "./move-bounds.ts";
import { planBounds } from "./plan.ts";
import { report } from "./report.ts";

interface Observation {
  readonly atMs: number;
  readonly hpa: ScalingObject | undefined;
  readonly wlas: readonly ScalingObject[];
  /** The one whose schedules the bounds follow. */
  readonly chosen: ScalingObject | undefined;
}

const syncRetryMs = 15_000;
/** Files of calendars change without an event. */
const recheckMs = 60_000;
/** Calendars are read elsewhere. */
const pendingMs = 1000;

/** Brings the bounds of one HPA to what schedules want of them. `mayWrite` is called before every write. */
export async function reconcileBounds(
  key: string,
  mayWrite: () => boolean,
  context: BoundsContext,
): Promise<ReconcileResult> {
  const { clock, hpas, index, wlas } = context;
  const { namespace } = splitKey(key);
  // Bounds to which no WorkloadAutoscaler points are restored, so all of those must be known.
  const isKnown = [hpas, wlas].every(
    (watch) => watch.isSyncedIn(namespace) && watch.leftOut(namespace).length === 0,
  );
  if (!isKnown) return { requeueAtMs: clock.nowMs() + syncRetryMs };
  countRun(key, context);
  const run = { ...context, key, mayWrite, client: fenced(context.client, mayWrite) };
  const observed = observe(run);
  if (observed.wlas.some((wla) => read(wla, observed.hpa, run).isPending))
    return { requeueAtMs: clock.nowMs() + pendingMs };
  const outcome = await move(observed, run);
  if (outcome.hpa !== undefined) index.put(projectHpa(outcome.hpa));
  const isReported = await reportAll(observed, outcome, run);
  const isReleased = await removeFinalizers(run);
  const isDone = outcome.failure === undefined && isReported && isReleased;
  return mayWrite() ? next(observed, outcome, isDone, run) : {};
}

function countRun(key: string, { clock, dueMs, rateLimit }: BoundsContext): void {
  const nowMs = clock.nowMs();
  if ((dueMs.get(key) ?? Number.POSITIVE_INFINITY) > nowMs) return;
  dueMs.delete(key);
  rateLimit.record(key, nowMs);
}

function observe(run: BoundsRun): Observation {
  const { clock, index, key } = run;
  const hpa = index.hpa(key);
  const wlas = index.wlasOf(key);
  // The one that moved the bounds keeps them while it requests any, then the first by name that does.
  const requesting = wlas.filter((wla) => read(wla, hpa, run).request !== undefined);
  const mover = hpa === undefined ? undefined : boundsOf(hpa).saved?.by;
  const chosen = requesting.find(({ metadata }) => metadata.name === mover) ?? requesting[0] ?? wlas[0];
  return { atMs: clock.nowMs(), hpa, wlas, chosen };
}

function read(
  wla: ScalingObject,
  hpa: Pick<ScalingObject, "metadata" | "spec"> | undefined,
  { clock, reader, schedules, wlas }: BoundsContext,
  nowMs = clock.nowMs(),
): Reading {
  const own = hpa === undefined ? undefined : planBounds({ ...boundsOf(hpa), request: undefined }).own;
  const reading = readRequest(wla, { nowMs, reader, states: schedules.states, own });
  // It may have gone during the run: no event would end what is kept of it.
  const { metadata } = wlas.get(namespaceOf(wla), wla.metadata.name) ?? {};
  if (metadata?.uid !== wla.metadata.uid) reader.drop(readerKey(wla));
  return reading;
}

async function move({ hpa, chosen }: Observation, run: BoundsRun): Promise<BoundsOutcome> {
  if (hpa === undefined) return missing;
  const { index, key, log } = run;
  const outcome = await moveBounds(hpa, {
    ...run,
    about: chosen === undefined ? "" : `${chosen.metadata.uid}|${chosen.metadata.generation}`,
    requestOf: (of) => (chosen === undefined ? undefined : read(chosen, of, run).request),
    secure: async () => (chosen === undefined ? undefined : putFinalizer(chosen, true, run)),
  });
  const { failure } = outcome;
  if (failure !== undefined && run.mayWrite()) {
    log.warn({ hpa: key, error: failure }, "could not change limits; retrying");
    for (const wla of index.waitingFor(key)) reportWaiting(wla, failure, run);
  }
  return outcome;
}

/** Whether all that is known is in the statuses. */
async function reportAll(
  { hpa, wlas, chosen }: Observation,
  outcome: BoundsOutcome,
  run: BoundsRun,
): Promise<boolean> {
  let isDone = true;
  for (const wla of wlas) {
    if (!run.mayWrite()) return false;
    const movedBy = wla === chosen ? undefined : chosen?.metadata.name;
    const about = { target: splitKey(run.key).name, reading: read(wla, hpa, run), outcome, movedBy };
    // Setting the finalizer may have returned a newer version.
    const isReported = await report(run.index.newest(wla), about, run);
    isDone &&= isReported;
  }
  return isDone;
}

function next(
  { atMs, hpa, wlas, chosen }: Observation,
  { dispute }: BoundsOutcome,
  isDone: boolean,
  run: BoundsRun,
): ReconcileResult {
  const { clock, dueMs, key, rateLimit } = run;
  // As of the beginning: what a schedule changes during the run is the next run's.
  const changesAtMs = chosen === undefined ? undefined : read(chosen, hpa, run, atMs).nextMs;
  const scheduledMs = changesAtMs === undefined ? undefined : rateLimit.nextMs(key, changesAtMs, atMs);
  if (scheduledMs === undefined) dueMs.delete(key);
  else dueMs.set(key, scheduledMs);
  const recheckAtMs = isDone && wlas.length > 0 ? clock.nowMs() + recheckMs : undefined;
  const times = [scheduledMs, dispute?.untilMs, recheckAtMs].filter((ms) => ms !== undefined);
  return {
    ...(times.length === 0 ? {} : { requeueAtMs: Math.min(...times) }),
    ...(isDone ? {} : { retry: {} }),
  };
}
