// One object in short, from a decision or from its status.
import { type Decision, type DecisionSummary, type HeldBy, metricRows, summarize } from "@plimsoll/core";
import type { Explained, ServedObject, SummaryMetric, SummaryRow } from "./source.ts";
import { statusMetrics, statusSummary } from "./status-summary.ts";

export function rowOf(explained: Explained): SummaryRow {
  const { object, decision, served, comparison, mode, at } = explained;
  const summary = decision === undefined ? statusSummary(served) : summarize(decision);
  const note = noteOf(explained);
  return {
    ...object,
    ...summary,
    mode: mode ?? "none",
    source: explained.source,
    at,
    since: sinceOf(summary, decision, served),
    metrics: decision === undefined ? statusMetrics(served) : metricsOf(decision),
    ...(comparison === undefined ? {} : { verdict: comparison.verdict }),
    ...(note === undefined ? {} : { note }),
    ...boundsOf(explained),
  };
}

function noteOf({ source }: Explained): string | undefined {
  return source === "status" ? "status only" : undefined;
}

function boundsOf({ served, record }: Explained): Pick<SummaryRow, "minReplicas" | "maxReplicas"> {
  const spec = (record?.input.hpa ?? served)?.spec;
  return spec === undefined ? {} : { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
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
  if (type !== undefined) {
    return isoOf(status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime);
  }
  return isoOf(status?.lastScaleTime) ?? isoOf(metadata?.creationTimestamp);
}

/** When the recommendation was made that holds the replicas. */
function heldSince(decision: Decision | undefined): string | null {
  const step = decision?.trace.find(({ kind }) => kind === "stabilize");
  const heldMs = step?.kind === "stabilize" ? step.heldBy?.atMs : undefined;
  return heldMs === undefined ? null : new Date(heldMs).toISOString();
}

function isoOf(at: string | { toISOString(): string } | null | undefined): string | null {
  if (at === undefined || at === null) return null;
  return typeof at === "string" ? at : at.toISOString();
}

function metricsOf(decision: Decision): readonly SummaryMetric[] {
  return metricRows(decision).map(({ name, value, target, ratio, replicas, error }) => ({
    name,
    ...(value === undefined ? {} : { value }),
    ...(target === undefined ? {} : { target }),
    ...(typeof ratio === "number" ? { ratio } : {}),
    ...(replicas === undefined ? {} : { replicas }),
    ...(error === undefined ? {} : { error: `${error.reason}: ${error.message}` }),
  }));
}
