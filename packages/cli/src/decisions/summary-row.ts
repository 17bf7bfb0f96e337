// One object in short, from a decision or from its status.
import { type Decision, type DecisionSummary, type HeldBy, metricRows, summarize } from "@plimsoll/core";
import { rowOf as decidedRow, type SummaryRow } from "@plimsoll/decisions";
import type { ServedObject } from "@plimsoll/observe";
import type { Explained } from "./source.ts";
import { statusMetrics, statusSummary } from "./status-summary.ts";

export function rowOf(explained: Explained): SummaryRow {
  const { object, decision, record, served, comparison, mode = "none", source, at, otherWriter } = explained;
  const spec = (record?.input.hpa ?? served)?.spec;
  if (decision === undefined) {
    const summary = statusSummary(served);
    const bounds = spec === undefined ? {} : { min: spec.minReplicas ?? 1, max: spec.maxReplicas };
    const since = sinceOf(summary, decision, served);
    return { ...object, ...bounds, ...summary, mode, source, at, since, metrics: statusMetrics(served) };
  }
  const summary = summarize(decision);
  const since = sinceOf(summary, decision, served);
  const logged = { ...object, at, decision, verdict: comparison?.verdict, otherWriter };
  const row = decidedRow(logged, { target: object.target, mode, since, summary, spec });
  const errors = metricRows(decision).map(({ error }) => error);
  const metrics = row.metrics.map((metric, index) => {
    const error = errors[index];
    return error === undefined ? metric : { ...metric, error: `${error.reason}: ${error.message}` };
  });
  return { ...row, metrics, source };
}

/** The condition that changed when an object came into a state. */
const conditionOf: Partial<Readonly<Record<HeldBy, string>>> = {
  max: "ScalingLimited",
  min: "ScalingLimited",
  rate: "ScalingLimited",
  failed: "ScalingActive",
  blocked: "ScalingActive",
  selector: "ScalingActive",
  disabled: "ScalingActive",
};

/** Since when it is in this state, as far as the status and the decision have it. */
function sinceOf(
  { heldBy }: DecisionSummary,
  decision: Decision | undefined,
  served: ServedObject | undefined,
): string | null {
  if (heldBy === "stabilize") return heldSince(decision);
  const { status, metadata } = served ?? {};
  const type = conditionOf[heldBy];
  if (type !== undefined)
    return isoOf(status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime);
  return isoOf(status?.lastScaleTime) ?? isoOf(metadata?.creationTimestamp);
}

/** When the recommendation was made that holds the replicas. */
function heldSince(decision: Decision | undefined): string | null {
  const step = decision?.trace.find(({ kind }) => kind === "stabilize");
  const heldMs = step?.kind === "stabilize" ? step.heldBy?.atMs : undefined;
  return heldMs === undefined ? null : new Date(heldMs).toISOString();
}

function isoOf(at: string | { toISOString(): string } | null | undefined): string | null {
  if (at instanceof Date) return at.toISOString();
  return typeof at === "string" ? at : null;
}
