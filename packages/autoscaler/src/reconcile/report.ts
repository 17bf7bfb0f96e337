// Report, the last step of an evaluation: passes it to all observers.
import type { Logger } from "@plimsoll/component-base";
import type { DecisionStore } from "../decisions/decision-log.ts";
import type { RecordWriter } from "../decisions/record-files/record-writer.ts";
import type { DecisionMade } from "../decisions/stored-decision.ts";
import { namespaceOf } from "../objects/scaling-object.ts";
import type { Agreement } from "../shadow/agreement.ts";
import { builtInState } from "../shadow/built-in.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import { scaleFields } from "./act/scale-fields.ts";
import type { Evaluation } from "./evaluation.ts";

export interface ReportDeps {
  readonly decisions: Pick<DecisionStore, "add">;
  /** Undefined: no records are written. */
  readonly records: Pick<RecordWriter, "add"> | undefined;
  readonly agreement: Pick<Agreement, "decided" | "verdictOf">;
  readonly telemetry: Pick<Telemetry, "evaluated" | "yielded">;
  readonly log: Logger;
}

/** Hands an evaluation to its observers: decision log, shadow comparison, metrics and log. */
export function report(evaluation: Evaluation, deps: ReportDeps): void {
  const { plan, applied, after, tookMs } = evaluation;
  const { observation, mode } = plan;
  const { object, key, nowMs } = observation;
  const { decision } = applied.result;
  const isCompared = mode === "shadow" && object.kind === "HorizontalPodAutoscaler";
  const builtIn = isCompared ? builtInState(object) : undefined;
  if (isCompared) deps.agreement.decided(key, { decision, status: object.status, nowMs });
  const verdict = isCompared ? deps.agreement.verdictOf(key) : undefined;
  if (applied.outcome !== "fenced" && applied.outcome !== "moved") {
    const made: DecisionMade = {
      resource: object.kind === "WorkloadAutoscaler" ? "workloadautoscalers" : "horizontalpodautoscalers",
      namespace: namespaceOf(object),
      name: object.metadata.name,
      uid: after.uid,
      mode,
      input: plan.input,
      memory: plan.memory,
      decided: plan.decided,
      after: applied.result === plan.decided ? after.memory : undefined,
      applied: { outcome: applied.outcome, ...applied.scaleFailure },
      decision,
      context: {
        ...(after.yielded === undefined ? {} : { yieldedTo: after.yielded.by }),
        ...(builtIn === undefined ? {} : { builtIn }),
        ...(verdict === undefined ? {} : { verdict }),
      },
    };
    deps.decisions.add(key, made);
    deps.records?.add({ ...made, result: made.decided });
  }
  deps.telemetry.evaluated({
    hpa: object,
    mode,
    decision,
    builtIn,
    metricTookMs: observation.tookMs,
    tookMs,
    failure: applied.failure ?? after.statusFailure,
  });
  if (plan.conflict.foreign !== undefined) deps.telemetry.yielded(plan.conflict.foreign.what);
  logChanges(evaluation, deps.log);
}

function logChanges({ plan, before, after }: Evaluation, log: Logger): void {
  const { conflict, mode, observation, decided } = plan;
  const hpa = observation.key;
  if (observation.isReclaimed) log.info({ hpa }, "reclaimed by its annotation");
  if (conflict.overwritten !== undefined) {
    log.warn({ hpa, ...conflict.overwritten }, "replicas overwritten by another client");
  }
  if (conflict.foreign !== undefined) {
    const { what, by } = conflict.foreign;
    log.warn({ hpa, what, by }, "returned to shadow: foreign writer");
  }
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
  if (failure.after === undefined) log.info({ hpa }, "evaluation works again");
  else log.warn({ hpa, error: failure.after }, "evaluation has a problem");
}
