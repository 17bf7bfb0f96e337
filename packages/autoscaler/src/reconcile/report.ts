// Report, the last step of an evaluation: passes it to all observers.
import type { Logger } from "@plimsoll/component-base";
import type { OtherWriter } from "@plimsoll/core";
import type { LoggedDecision } from "@plimsoll/decisions";
import type { DecisionStore } from "../decisions/decision-log.ts";
import type { RecordWriter } from "../decisions/record-files/record-writer.ts";
import { namespaceOf } from "../objects/scaling-object.ts";
import type { Agreement } from "../shadow/agreement.ts";
import { builtInState } from "../shadow/built-in.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { scaleFields } from "./act/scale-fields.ts";
import type { Yielded } from "./conflicts/conflict.ts";
import { contestNow, takeOverMs } from "./conflicts/foreign-writer.ts";
import type { Evaluation } from "./evaluation.ts";
import type { ObjectState } from "./remember/state.ts";

export interface ReportDeps {
  readonly decisions: Pick<DecisionStore, "add">;
  /** Undefined: no records are written. */
  readonly records: Pick<RecordWriter, "add"> | undefined;
  readonly agreement: Pick<Agreement, "decided" | "verdictOf">;
  readonly telemetry: Pick<Telemetry, "evaluated" | "foreignWriter">;
  readonly log: Logger;
}

/** Hands an evaluation to its observers: decision log, shadow comparison, metrics and log. */
export function report(evaluation: Evaluation, deps: ReportDeps): void {
  const { plan, applied, after, tookMs } = evaluation;
  const { observation, mode } = plan;
  const { object, key, nowMs } = observation;
  const { decision } = applied.result;
  const isCompared = mode === "shadow" && object.kind === "HorizontalPodAutoscaler";
  const builtIn = isCompared ? builtInState(object, after) : undefined;
  if (builtIn !== undefined) deps.agreement.decided(key, { decision, status: object.status, nowMs });
  const verdict = builtIn !== undefined ? deps.agreement.verdictOf(key) : undefined;
  if (applied.outcome !== "fenced" && applied.outcome !== "moved") {
    const logged: LoggedDecision = {
      resource: object.kind === "WorkloadAutoscaler" ? "workloadautoscalers" : "horizontalpodautoscalers",
      namespace: namespaceOf(object),
      name: object.metadata.name,
      uid: after.uid,
      at: iso(nowMs),
      mode,
      applied: applied.outcome,
      decision,
      ...otherWriterOf(after, nowMs),
      ...(builtIn === undefined ? {} : { builtIn }),
      ...(verdict === undefined ? {} : { verdict }),
    };
    const made = {
      input: plan.input,
      memory: plan.memory,
      result: plan.decided,
      after: applied.result === plan.decided ? after.memory : undefined,
      applied: { outcome: applied.outcome, ...applied.scaleFailure },
    };
    deps.decisions.add(key, logged, made);
    deps.records?.add(made);
  }
  deps.telemetry.evaluated(decision, {
    hpa: object,
    mode,
    builtIn,
    metricTookMs: observation.tookMs,
    tookMs,
    failure: applied.failure ?? after.statusFailure,
  });
  countForeignWrites(evaluation, deps.telemetry);
  logChanges(evaluation, deps.log);
}

function countForeignWrites(
  { plan, before, after }: Evaluation,
  telemetry: Pick<Telemetry, "foreignWriter">,
): void {
  if (plan.conflict.overwritten !== undefined) telemetry.foreignWriter("scale");
  if ((after.yielded?.count ?? 0) > (before.yielded?.count ?? 0)) telemetry.foreignWriter("status");
}

/** Who else writes what we manage, since when, how often, and when we write again. */
function otherWriterOf(
  { yielded, contest }: ObjectState,
  nowMs: number,
): Pick<LoggedDecision, "yieldedTo" | "otherWriter"> {
  if (yielded !== undefined)
    return { yieldedTo: yielded.by, otherWriter: other("status", yielded, takeOverMs(yielded)) };
  const now = contestNow(contest, nowMs);
  return now === undefined ? {} : { otherWriter: other("replicas", now, now.nextWriteMs) };
}

function other(
  writes: OtherWriter["writes"],
  { by, count, sinceMs, lastMs }: Pick<Yielded, "by" | "count" | "sinceMs" | "lastMs">,
  retryAtMs: number,
): OtherWriter {
  return { by, writes, count, since: iso(sinceMs), lastAt: iso(lastMs), retryAt: iso(retryAtMs) };
}

function iso(atMs: number): string {
  return new Date(atMs).toISOString();
}

function logChanges({ plan, before, after }: Evaluation, log: Logger): void {
  const { conflict, mode, observation, decided } = plan;
  const hpa = observation.key;
  if (observation.isReclaimed)
    log.info(
      { hpa },
      "managing the object again: the other controller stopped writing, or the object was reclaimed",
    );
  if (conflict.overwritten !== undefined) {
    const { count } = conflict.contest ?? { count: 1 };
    log.warn({ hpa, ...conflict.overwritten, count }, "replicas overwritten by another client");
  }
  if (conflict.yielded !== undefined && before.yielded === undefined)
    log.warn({ hpa, by: conflict.yielded.by }, "returned to shadow: foreign writer");
  if (mode === "shadow" && decided.decision.scaleTo !== undefined) log.info(scaleFields(plan), "would scale");
  logFailure({ before: before.failure, after: after.failure }, hpa, log);
}

/** One line when a failure begins or changes, one when it ends: not one per period. */
function logFailure(
  failure: { readonly before: string | undefined; readonly after: string | undefined },
  hpa: string,
  log: Logger,
): void {
  if (failure.after === failure.before) return;
  if (failure.after === undefined) log.info({ hpa }, "evaluation recovered");
  else log.warn({ hpa, error: failure.after }, "evaluation failed");
}
