import type { Decision, MetricSpec, MetricStatus, TraceStep } from "@plimsoll/core";
import { metricName, metricSource } from "@plimsoll/core/internal/objects";

/** One decision in the few words that fit a table row. */
export interface Explanation {
  /** The metric that decides, "" while none does. */
  readonly metric: string;
  /** Its value as the autoscaler read it and its target, such as "1437/1k". */
  readonly reading: string;
  readonly reason: string;
  /** Nothing is wanted but what is there. */
  readonly steady: boolean;
}

export function explanationOf(decision: Decision, metrics: readonly MetricSpec[]): Explanation {
  const winner = step(decision, "combine")?.winner;
  const spec = winner === undefined ? undefined : metrics[winner];
  const status = winner === undefined ? undefined : decision.status.currentMetrics?.[winner];
  return {
    metric: spec === undefined ? "" : nameOf(spec),
    reading: spec === undefined || status === undefined ? "" : `${now(status)}/${target(spec)}`,
    ...reasonOf(decision),
  };
}

function nameOf(spec: MetricSpec): string {
  return `${metricName(spec) ?? spec.type}${spec.query?.live === undefined ? "" : " live"}`;
}

function reasonOf(decision: Decision): Pick<Explanation, "reason" | "steady"> {
  const moving = (reason: string) => ({ reason, steady: false });
  if (decision.outcome.error !== "none") return moving(failureText(decision));
  if (decision.scaleTo !== undefined) return moving(shortReason(decision.reason));
  const limit = step(decision, "limit");
  if (limit !== undefined && limit.from !== limit.result) {
    return moving(`wants ${limit.from}: ${limit.reason}`);
  }
  const window = step(decision, "stabilize");
  if (window !== undefined && window.result !== window.desired) {
    return moving(`wants ${window.desired} after the window`);
  }
  return { reason: "on target", steady: true };
}

/** A selector as Go prints it, behind the name of its metric. */
const goSelector = /\(nil\)|[(/]&LabelSelector\{(?:[^{}]|\{[^{}]*\})*\}\)?/g;

/** The metric has a column of its own. */
function shortReason(reason: string): string {
  if (reason === "") return "recent recommendations";
  return reason.endsWith(" above target") ? "above target" : reason.replace(goSelector, "");
}

/** The reason of the condition first: it is one word, and the message is long. */
function failureText(decision: Decision): string {
  const failed = decision.status.conditions.find(
    ({ type, status }) => (type === "AbleToScale" || type === "ScalingActive") && status === "False",
  );
  const message = (decision.outcome.message ?? decision.outcome.error).replace(goSelector, "");
  return failed === undefined ? message : `${failed.reason}: ${message}`;
}

function step<K extends TraceStep["kind"]>(decision: Decision, kind: K) {
  return decision.trace.find((item): item is Extract<TraceStep, { kind: K }> => item.kind === kind);
}

function now(status: MetricStatus): string {
  const current = metricSource(status)?.current;
  if (current?.averageUtilization !== undefined) return `${current.averageUtilization}%`;
  return inUnits(current?.averageValue ?? current?.value ?? "?");
}

/** Milli-units are for machines: 1437500m reads as 1438. */
function inUnits(quantity: string): string {
  return quantity.endsWith("m") ? String(Math.round(Number(quantity.slice(0, -1)) / 1000)) : quantity;
}

function target(spec: MetricSpec): string {
  const target = metricSource(spec)?.target;
  if (target?.averageUtilization !== undefined) return `${target.averageUtilization}%`;
  return target?.averageValue ?? target?.value ?? "?";
}
