import type { Decision, MetricSpec, MetricStatus, TraceStep } from "@plimsoll/core";

/** One decision in the few words that fit a table row. */
export interface Verdict {
  /** The metric that decides, "" while none does. */
  readonly metric: string;
  /** Its value as the autoscaler read it and its target, such as "1437/1k". */
  readonly reading: string;
  readonly reason: string;
  /** Nothing is wanted but what is there. */
  readonly steady: boolean;
}

export function verdictOf(decision: Decision, metrics: readonly MetricSpec[]): Verdict {
  const winner = step(decision, "combine")?.winner;
  const spec = winner === undefined ? undefined : metrics[winner];
  const status = winner === undefined ? undefined : decision.status.currentMetrics?.[winner];
  return {
    metric: spec === undefined ? "" : metricName(spec),
    reading: spec === undefined || status === undefined ? "" : `${now(status)}/${target(spec)}`,
    ...reasonOf(decision),
  };
}

export function metricName(spec: MetricSpec): string {
  return (
    spec.resource?.name ??
    spec.containerResource?.name ??
    (spec.pods ?? spec.object ?? spec.external)?.metric.name ??
    spec.type
  );
}

function reasonOf(decision: Decision): Pick<Verdict, "reason" | "steady"> {
  const moving = (reason: string) => ({ reason, steady: false });
  if (decision.outcome.error !== "none") return moving(decision.outcome.message ?? decision.outcome.error);
  if (decision.scaleTo !== undefined) return moving(decision.reason || "recent recommendations");
  const limit = step(decision, "limit");
  if (limit !== undefined && limit.from !== limit.result) {
    return moving(`wants ${limit.from}, limited: ${limit.reason}`);
  }
  const window = step(decision, "stabilize");
  if (window !== undefined && window.result !== window.desired) {
    const direction = window.desired > window.result ? "up" : "down";
    return moving(`wants ${window.desired}, waits for the scale-${direction} window`);
  }
  return { reason: "on target", steady: true };
}

function step<K extends TraceStep["kind"]>(decision: Decision, kind: K) {
  return decision.trace.find((item): item is Extract<TraceStep, { kind: K }> => item.kind === kind);
}

function now(status: MetricStatus): string {
  const current = (
    status.resource ??
    status.containerResource ??
    status.pods ??
    status.object ??
    status.external
  )?.current;
  if (current?.averageUtilization !== undefined) return `${current.averageUtilization}%`;
  return inUnits(current?.averageValue ?? current?.value ?? "?");
}

/** Milli-units are for machines: 1437500m reads as 1438. */
function inUnits(quantity: string): string {
  return quantity.endsWith("m") ? String(Math.round(Number(quantity.slice(0, -1)) / 1000)) : quantity;
}

function target(spec: MetricSpec): string {
  const { target } =
    spec.resource ?? spec.containerResource ?? spec.pods ?? spec.object ?? spec.external ?? {};
  if (target?.averageUtilization !== undefined) return `${target.averageUtilization}%`;
  return target?.averageValue ?? target?.value ?? "?";
}
