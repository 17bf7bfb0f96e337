// One line of the summary: what was decided about an object last, in the few fields that a table shows.
import {
  type Decision,
  type DecisionSummary,
  type HpaSpec,
  type JsonFloat,
  type MetricRow,
  type MetricSpec,
  metricRows,
  summaryState,
  type TraceStep,
  type Verdict,
} from "@plimsoll/core";
import { metricName } from "../objects/metric-name.ts";
import type { LoggedDecision } from "./logged-decision.ts";
import type { DecisionMade } from "./stored-decision.ts";

/** What one metric said. Values are as in core's rows: "34%", a total, or a quantity with "each". */
export interface RowMetric {
  readonly name: string;
  readonly value: string | null;
  readonly target: string | null;
  readonly ratio: JsonFloat | null;
  readonly replicas?: number;
  /** The reason of the condition that the failed metric leads to. */
  readonly error?: string;
}

/** Active and shadow as of the decision; paused by its specification; yielded to another writer. */
export type RowMode = "active" | "shadow" | "paused" | "yielded";

/** The newest decision about one object. */
export interface SummaryRow
  extends DecisionSummary,
    Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "at"> {
  readonly target: { readonly kind: string; readonly name: string };
  readonly mode: RowMode;
  /** The bounds that counted, those of schedules included. */
  readonly min: number;
  readonly max: number;
  /** Since when the same step holds the replicas; RFC 3339. */
  readonly since: string;
  readonly metrics: readonly RowMetric[];
  /** In shadow: how the controller that manages the object compares. */
  readonly verdict?: Verdict;
  readonly note?: string;
}

/** Whether it is worth a look. The minimum is a floor, and no fault. */
export function isProblem(row: SummaryRow): boolean {
  return (
    summaryState(row) === "failed" ||
    row.heldBy === "max" ||
    row.mode === "yielded" ||
    row.verdict === "differs"
  );
}

/** `before`: the row of the decision before. */
export function rowOf(
  made: DecisionMade,
  summary: DecisionSummary,
  before: SummaryRow | undefined,
): SummaryRow {
  const { resource, namespace, name, uid, input, decision, context } = made;
  const { kind, name: targetName } = input.hpa.spec.scaleTargetRef;
  const at = new Date(input.nowMs).toISOString();
  const specs = input.hpa.spec.metrics ?? [];
  const metrics = metricRows(decision).map((metric) => rowMetric(metric, specs[metric.index]));
  const note = noteOf(decision, { metrics, yieldedTo: context.yieldedTo });
  return {
    resource,
    namespace,
    name,
    uid,
    target: { kind, name: targetName },
    mode: modeOf(made),
    ...boundsOf(decision.trace, input.hpa.spec),
    ...summary,
    at,
    since: isHeldAsBefore(summary, uid, before) ? before.since : at,
    metrics,
    ...(context.verdict === undefined ? {} : { verdict: context.verdict }),
    ...(note === undefined ? {} : { note }),
  };
}

function modeOf({ mode, input, context }: DecisionMade): RowMode {
  if (context.yieldedTo !== undefined) return "yielded";
  return input.mode === "Paused" ? "paused" : mode;
}

function isHeldAsBefore(
  { heldBy, action }: DecisionSummary,
  uid: string,
  before: SummaryRow | undefined,
): before is SummaryRow {
  return before?.uid === uid && before.heldBy === heldBy && before.action === action;
}

/** The name is the specification's own text, so that rows share it. An empty specification is defaulted to cpu. */
function rowMetric(row: MetricRow, spec: MetricSpec | undefined): RowMetric {
  const { value, target, ratio, replicas, error } = row;
  return {
    name: spec === undefined ? row.name : metricName(spec) || row.name,
    value: value ?? null,
    target: target ?? null,
    ratio: ratio ?? null,
    ...(replicas === undefined ? {} : { replicas }),
    ...(error === undefined ? {} : { error: error.reason }),
  };
}

/** The bounds that counted in a decision. */
function boundsOf(
  trace: readonly TraceStep[],
  spec: Pick<HpaSpec, "minReplicas" | "maxReplicas">,
): { readonly min: number; readonly max: number } {
  for (const step of trace)
    if (step.kind === "limit" || step.kind === "bounds")
      return { min: step.minReplicas, max: step.maxReplicas };
  return { min: spec.minReplicas ?? 1, max: spec.maxReplicas };
}

/** What a table says beside the columns: why nothing was decided. */
function noteOf(
  decision: Decision,
  { metrics, yieldedTo }: { readonly metrics: readonly RowMetric[]; readonly yieldedTo: string | undefined },
): string | undefined {
  if (yieldedTo !== undefined) return `yielded to ${yieldedTo}`;
  const failed = metrics.find(({ error }) => error !== undefined);
  if (failed !== undefined) return `${failed.error} ${failed.name}`;
  return decision.outcome.error === "none" ? undefined : (decision.outcome.message ?? decision.outcome.error);
}

/** Whether two rows say the same, whenever they were decided. */
export function isSameRow(one: SummaryRow, other: SummaryRow): boolean {
  const { metrics, target, at: _, ...fields } = one;
  if (target.kind !== other.target.kind || target.name !== other.target.name) return false;
  if (metrics.length !== other.metrics.length || one.note !== other.note || one.verdict !== other.verdict)
    return false;
  for (const name in fields)
    if (fields[name as keyof typeof fields] !== other[name as keyof typeof fields]) return false;
  return metrics.every((metric, index) => isSameMetric(metric, other.metrics[index]));
}

function isSameMetric(one: RowMetric, other: RowMetric | undefined): boolean {
  return (
    one.name === other?.name &&
    one.value === other.value &&
    one.target === other.target &&
    Object.is(one.ratio, other.ratio) &&
    one.replicas === other.replicas &&
    one.error === other.error
  );
}
