import {
  type ControllerOptions,
  type DecideInput,
  type DecideResult,
  type HpaMemory,
  withFailedRescale,
} from "@plimsoll/core";
import type { Clock } from "@plimsoll/kube";
import type { DecisionStore } from "../explain/decision-log.ts";
import type { Logger } from "../log.ts";
import type { Share } from "../metrics-client/share.ts";
import type { ManageHpas } from "../options/config.ts";
import type { Agreement } from "../shadow/agreement.ts";
import { builtInState } from "../shadow/built-in.ts";
import type { Telemetry } from "../telemetry.ts";
import { dressed, evaluate } from "../wla/evaluate.ts";
import { type ActDeps, type Acted, act, scaleFields } from "./act/act.ts";
import { type PublishDeps, publishStatus } from "./act/publish-status.ts";
import { followClock } from "./clock-jump.ts";
import { readCountWriter } from "./count-writer.ts";
import { type DisputeDeps, reclaim, yieldToScaleWriter, yieldToStatusWriter } from "./dispute.ts";
import { answersFor, type GatherDeps, type Gathered, gather, podsFor } from "./gather/gather.ts";
import { isWlaKey, type NativeHpa, namespaceOf } from "./native-hpa.ts";
import { type Ownership, ownershipOf } from "./ownership.ts";
import { pastOf } from "./past.ts";
import { freshest, type HpaRecord, type HpaRecords, keepQuiet, shareCopy, withUnwritten } from "./records.ts";
import type { Rivals } from "./rivals.ts";

export type Decide = (input: DecideInput, memory?: HpaMemory) => DecideResult;

export interface ReconcileDeps {
  readonly gather: GatherDeps;
  readonly act: ActDeps;
  readonly publish: PublishDeps;
  readonly decide: Decide;
  readonly options: Partial<ControllerOptions>;
  readonly manageHpas: ManageHpas;
  readonly clock: Clock;
  readonly log: Logger;
  readonly records: HpaRecords;
  readonly decisions: DecisionStore;
  readonly telemetry: Telemetry;
  readonly agreement: Pick<Agreement, "decided">;
  /** All objects that name this one's target, when there are several. */
  readonly rivals: Pick<Rivals, "of" | "claims">;
  /** The object with the bounds that its schedules leave it now. */
  readonly withSchedules: (hpa: NativeHpa) => NativeHpa;
  readonly dispute: DisputeDeps;
  /** Whether this process has the object, at the moment of asking. */
  readonly holds: (key: string) => boolean;
  /** Aborted when the process stops: what was cut short must not be taken for a missing metric. */
  readonly signal: AbortSignal;
  /** The HPA as the watch has it now. */
  readonly watched: (key: string) => NativeHpa | undefined;
}

/** Passes over one HPA when it, or its target's count, is changed by others in the middle of one. */
const mostPasses = 3;

/** One evaluation: gather, decide, act. Rejects on bugs only; whatever the cluster does is an outcome. */
export async function reconcile(key: string, share: Share, deps: ReconcileDeps): Promise<void> {
  for (let pass = 1; pass <= mostPasses; pass++) {
    const hpa = deps.watched(key);
    if (hpa === undefined || !deps.holds(key)) return;
    const isLast = pass === mostPasses;
    if ((await onePass(hpa, isLast, share, deps)) === "done") return;
  }
}

async function onePass(
  watched: NativeHpa,
  isLast: boolean,
  share: Share,
  deps: ReconcileDeps,
): Promise<"done" | "again"> {
  const startedMs = deps.clock.nowMs();
  const record = deps.records.of(watched);
  reclaim(watched, record, deps.log);
  followClock(record, deps.clock);
  shareCopy(record, watched);
  const drives = (object: NativeHpa) => ownership(object, record, deps) === "active";
  const isDriven = drives(watched);
  if (!isDriven && watched.wla === undefined) withdraw(record, deps);
  const askedStored = freshest(watched, record.written);
  const asked = deps.withSchedules(withUnwritten(askedStored, record));
  const rivals = isDriven ? deps.rivals.of(record.key) : [];
  // In shadow an HPA is judged as the built-in controller does, which knows HPAs only.
  const counts = (key: string) =>
    isDriven ? deps.rivals.claims(key) : asked.wla === undefined && !isWlaKey(key);
  const gathered = await gather(asked, { share, rivals, counts }, deps.gather);
  // Who lost the object meanwhile sees its successor's writes, and must not take them for a stranger's.
  if (!deps.holds(record.key)) return "done";
  if (drives(watched) && gathered.target !== undefined) {
    await yieldToScaleWriter(watched, gathered.target, record, deps.dispute);
  }
  const writer =
    drives(watched) && !record.isDriven && gathered.target !== undefined && asked.spec.behavior !== undefined
      ? await readCountWriter(gathered.target, namespaceOf(asked), deps.dispute)
      : undefined;

  const now = current(record, deps);
  if (now === undefined || deps.signal.aborted) return "done";
  const wanted = deps.withSchedules(now);
  const isAnswered = wanted.spec === asked.spec || answersFor(gathered, asked, wanted);
  if (!isAnswered && !isLast) return "again";
  // What was asked for one spec must not be decided by another; after too many edits, the older spec stands.
  const stored = isAnswered ? now : askedStored;

  // An object that was lost and gained again in the middle has a new record: this pass is of the old time.
  const mayWrite = () => deps.holds(record.key) && deps.records.of(stored) === record;
  // As late as can be: what we write next would hide who wrote before.
  if (drives(stored) && yieldToStatusWriter(stored, record, deps.dispute)) withdraw(record, deps);
  const hpa = deps.withSchedules(withUnwritten(stored, record));

  const nowMs = deps.clock.nowMs();
  const mode = ownership(hpa, record, deps);
  const past = pastOf(hpa, { record, gathered, mode, nowMs, writer });
  const { result: decided, ...policed } = evaluate(hpa, inputOf(hpa, gathered, nowMs, deps), {
    ...past,
    decide: deps.decide,
    good: record.good,
  });
  const nowRivals = deps.rivals.of(record.key);
  const acted: Acted =
    mode === "shadow" && hpa.wla === undefined
      ? {
          applied: "shadow",
          result: decided,
          retryAfterMs: undefined,
          failure: undefined,
          isScaleUncertain: false,
        }
      : await act(
          {
            hpa,
            target: gathered.target,
            decided,
            evenIfMoved: isLast,
            rivals: nowRivals,
            mayWrite,
            mode,
            dress: (decision) =>
              dressed(hpa, decision, {
                nowMs,
                yieldedTo: record.yielded?.by,
                rivals: nowRivals,
                steps: policed.steps,
              }),
            publish: (status) =>
              publishStatus(
                { hpa, record, status, mayWrite, drives, stored: () => current(record, deps) },
                deps.publish,
              ),
          },
          deps.act,
        );
  if (acted.applied === "fenced" || !mayWrite()) return "done";
  if (acted.applied === "moved") return "again";
  if (acted.applied === "scaled") {
    record.scaled = { replicas: acted.result.decision.desiredReplicas, atMs: deps.clock.nowMs() };
  }
  record.expected = mode === "shadow" || acted.isScaleUncertain ? expectedOf(decided) : undefined;
  if (mode === "shadow" && record.expected !== undefined)
    deps.log.info(scaleFields(hpa, decided), "would scale");

  record.isDriven = mode === "active" && (record.isDriven || gathered.scale.ok);
  record.gap = past.gap;
  // Without a count nothing could be restored yet.
  if (record.memory !== undefined || gathered.scale.ok) {
    record.memory = acted.isScaleUncertain ? decided.memory : acted.result.memory;
  }
  record.good = policed.good;
  keepQuiet(record, deps.clock.nowMs(), acted.retryAfterMs ?? gathered.retryAfterMs ?? 0);
  if (current(record, deps) === undefined) return "done";

  const { decision } = acted.result;
  const builtIn = mode === "shadow" && hpa.wla === undefined ? builtInState(hpa) : undefined;
  deps.decisions.add(record.key, {
    resource: hpa.wla === undefined ? "horizontalpodautoscalers" : "workloadautoscalers",
    at: new Date(nowMs).toISOString(),
    namespace: namespaceOf(hpa),
    name: hpa.metadata.name,
    uid: record.uid,
    mode,
    applied: acted.applied,
    decision,
    ...(policed.steps.length === 0 ? {} : { policies: policed.steps }),
    ...(record.yielded === undefined ? {} : { yieldedTo: record.yielded.by }),
    ...(builtIn === undefined ? {} : { builtIn }),
  });
  if (mode === "shadow" && hpa.wla === undefined) {
    deps.agreement.decided(record.key, { decision, status: hpa.status, nowMs });
  }
  deps.telemetry.evaluated({
    hpa,
    mode,
    decision,
    builtIn,
    metricTookMs: gathered.tookMs,
    tookMs: deps.clock.nowMs() - startedMs,
    failure: acted.failure ?? record.statusFailure,
  });
  logFailure(record, acted, deps.log);
  return "done";
}

function ownership(hpa: NativeHpa, record: HpaRecord, deps: ReconcileDeps): Ownership {
  return record.yielded === undefined ? ownershipOf(hpa, deps.manageHpas, deps.clock.nowMs()) : "shadow";
}

function inputOf(hpa: NativeHpa, gathered: Gathered, nowMs: number, deps: ReconcileDeps): DecideInput {
  return {
    nowMs,
    hpa,
    scale: gathered.scale,
    pods: podsFor(hpa, gathered, deps.gather.pods),
    samples: gathered.samples,
    ...(gathered.ambiguousWith.length === 0 ? {} : { ambiguousWith: gathered.ambiguousWith }),
    options: deps.options,
  };
}

function expectedOf(decided: DecideResult): HpaRecord["expected"] {
  const { scaleTo } = decided.decision;
  if (scaleTo === undefined) return undefined;
  return { scaleTo, otherwise: withFailedRescale(decided, "in shadow").memory };
}

/** A status of a time when we drove the object is not to be written any more. */
function withdraw(record: HpaRecord, deps: ReconcileDeps): void {
  if (record.unwritten === undefined) return;
  record.unwritten = undefined;
  deps.publish.outbox.drop(record.key);
}

/** The same object as it is now; undefined when it is gone, or replaced by a namesake. */
function current(record: HpaRecord, deps: ReconcileDeps): NativeHpa | undefined {
  const watched = deps.watched(record.key);
  if (watched === undefined || (watched.metadata.uid ?? "") !== record.uid) return undefined;
  return freshest(watched, record.written);
}

/** One line when a failure begins or changes, one when it ends: not one per period. */
function logFailure(record: HpaRecord, acted: Acted, log: Logger): void {
  const { outcome } = acted.result.decision;
  const failure =
    acted.failure ??
    record.statusFailure ??
    (outcome.error === "none" ? undefined : (outcome.message ?? outcome.error));
  if (failure === record.lastFailure) return;
  record.lastFailure = failure;
  if (failure === undefined) log.info({ hpa: record.key }, "evaluation works again");
  else log.warn({ hpa: record.key, error: failure }, "evaluation has a problem");
}
