// One row of the summary: what was decided about an object last, in the few fields that a table shows.
import {
  type Decision,
  type DecisionSummary,
  isLasting,
  type MetricRow,
  type MetricSpec,
  metricRows,
  type OtherWriter,
  otherWriterNote,
} from "@plimsoll/core";
import { metricName } from "@plimsoll/core/internal/objects";
import type { LoggedDecision, RowMetric, SummaryRow } from "../documents.ts";

/** What a decision that was logged does not say of its object. */
interface Known extends Pick<SummaryRow, "target" | "mode" | "since"> {
  readonly summary: DecisionSummary;
  /** Undefined: not known. */
  readonly spec: Bounded | undefined;
}

type Logged = Pick<LoggedDecision, "resource" | "namespace" | "name" | "uid" | "at" | "decision"> & {
  readonly [field in "verdict" | "otherWriter"]?: LoggedDecision[field] | undefined;
};

interface Bounded {
  readonly minReplicas?: number | undefined;
  readonly maxReplicas: number;
  readonly metrics?: readonly MetricSpec[] | undefined;
}

export function rowOf(logged: Logged, known: Known): SummaryRow {
  const { resource, namespace, name, uid, at, decision, verdict } = logged;
  const { target, mode, since, summary, spec } = known;
  const metrics = metricRows(decision).map((metric) => rowMetric(metric, spec?.metrics?.[metric.index]));
  const otherWriter = logged.otherWriter && isLasting(logged.otherWriter) ? logged.otherWriter : undefined;
  const note = noteOf(decision, { metrics, otherWriter });
  return {
    resource,
    namespace,
    name,
    uid,
    target,
    mode,
    ...(spec === undefined ? {} : boundsOf(decision.trace, spec)),
    ...summary,
    at,
    since,
    metrics,
    ...(verdict === undefined ? {} : { verdict }),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    ...(note === undefined ? {} : { note }),
  };
}

/** The bounds that counted, those of schedules included. */
export function boundsOf(
  trace: Decision["trace"],
  spec: Pick<Bounded, "minReplicas" | "maxReplicas">,
): { readonly min: number; readonly max: number } {
  for (const step of trace)
    if (step.kind === "limit" || step.kind === "bounds")
      return { min: step.minReplicas, max: step.maxReplicas };
  return { min: spec.minReplicas ?? 1, max: spec.maxReplicas };
}

/** The name is the specification's own text, so that rows share it. An empty specification is defaulted to cpu. */
function rowMetric(row: MetricRow, spec: MetricSpec | undefined): RowMetric {
  const { value, target, ratio, replicas, error } = row;
  return {
    name: (spec && metricName(spec)) || row.name,
    value: value ?? null,
    target: target ?? null,
    ...unitOf(row),
    ratio: ratio ?? null,
    ...(replicas === undefined ? {} : { replicas }),
    ...(error === undefined ? {} : { error: error.reason }),
  };
}

/** Only the resource memory is in bytes: another metric of that name has a unit of its own. */
export function unitOf({ type, name }: Pick<MetricRow, "type" | "name">): Pick<RowMetric, "isBytes"> {
  return name === "memory" && type.endsWith("Resource") ? { isBytes: true } : {};
}

/** What a table says beside the columns: who else writes the object, or why nothing was decided. */
function noteOf(
  { outcome }: Decision,
  known: { readonly metrics: readonly RowMetric[]; readonly otherWriter: OtherWriter | undefined },
): string | undefined {
  const { metrics, otherWriter } = known;
  if (otherWriter !== undefined) return otherWriterNote(otherWriter);
  const failed = metrics.find(({ error }) => error !== undefined);
  if (failed !== undefined) return failureText(failed);
  return outcome.error === "none" ? undefined : (outcome.message ?? outcome.error);
}

/** Such as "FailedGetPodsMetric queue_depth". */
export function failureText({ error = "", name }: RowMetric): string {
  return `${error.split(":")[0]} ${name}`;
}
