// The metrics of a decision as rows of a table: values, not layout.
import type { Decision } from "../../objects/decision.ts";
import type { MetricStatus } from "../../objects/status.ts";
import type { JsonFloat } from "../../objects/trace/json-float.ts";
import type { MetricErrorTrace, MetricTrace, PassTrace } from "../../objects/trace/metric.ts";
import { showRatio } from "../../values/ratio.ts";
import { metricsOf, stepOf } from "../summary/step-of.ts";

/** One metric of a decision. */
export interface MetricRow {
  /** Position in spec.metrics. */
  readonly index: number;
  readonly type: string;
  /** Name of the resource or metric, without what upstream says around it. */
  readonly name: string;
  /** The name with what distinguishes the metric, such as `cpu, % of requests` or `queue_depth (External)`. */
  readonly label: string;
  /** As it was measured: `34%`, a total, or a quantity with `each`; absent when it could not be read. */
  readonly value?: string;
  /** `60%`, a quantity, or a quantity with `each`; absent when the specification has none. */
  readonly target?: string;
  /** The ratio, as text: both, such as `2.5, then 0.833`, where pods are missing or unready and it was computed again. */
  readonly ratioText?: string;
  /** The ratio that counted, exactly: where pods are missing or unready, with those filled in. */
  readonly ratio?: JsonFloat;
  /** What it proposes. */
  readonly replicas?: number;
  readonly error?: MetricErrorTrace;
  /** Of a query: its PromQL. */
  readonly query?: string;
  /** Of a live query: where its values are from. */
  readonly live?: string;
  /** The decision follows this metric. */
  readonly decides: boolean;
}

/** The metrics of a decision in the order of its specification; empty where none was evaluated. */
export function metricRows({ trace, status }: Pick<Decision, "trace" | "status">): readonly MetricRow[] {
  const combined = stepOf(trace, "combine");
  const winner = combined?.result === undefined ? undefined : combined.winner;
  return metricsOf(trace).map((metric) => {
    const proposal = combined?.proposals.find(({ index }) => index === metric.index)?.replicas;
    return rowOf(metric, status.currentMetrics?.[metric.index], proposal, metric.index === winner);
  });
}

function rowOf(
  metric: MetricTrace,
  status: MetricStatus | undefined,
  proposal: number | undefined,
  decides: boolean,
): MetricRow {
  const { index, type, first, error, target, query, live } = metric;
  const pass = countedPass(metric);
  const replicas = metric.replicas ?? proposal;
  return {
    index,
    type,
    name: metricName(metric),
    label: labelOf(metric, status),
    ...(first === undefined ? {} : { value: measured(metric, first) }),
    ...(target === undefined ? {} : { target: targetText(metric) }),
    ...(pass === undefined ? {} : { ratioText: ratioTextOf(metric), ratio: pass.ratio }),
    ...(replicas === undefined ? {} : { replicas }),
    ...(error === undefined ? {} : { error }),
    ...(query === undefined ? {} : { query }),
    ...(live === undefined ? {} : { live }),
    decides,
  };
}

function ratioTextOf({ first, second }: MetricTrace): string {
  const texts = [first, second].flatMap((pass) => (pass === undefined ? [] : showRatio(pass.ratio)));
  return [...new Set(texts)].join(", then ");
}

/** The pass whose ratio counted. */
export function countedPass({ first, second }: MetricTrace): PassTrace | undefined {
  return second ?? first;
}

/** The name of the resource or metric: upstream's has words around it. */
export function metricName({ type, name }: Pick<MetricTrace, "type" | "name">): string {
  switch (type) {
    case "Resource":
    case "ContainerResource":
      return name.replace(/ (?:container )?resource(?: utilization \(percentage of request\))?$/u, "");
    case "Pods":
      return name.replace(/^pods metric /u, "");
    case "Object":
    case "External":
      return withoutSelector(name.replace(/^\S+ metric /u, ""));
    default:
      return name;
  }
}

/** Without what stands in parentheses at the end. A name may have thousands of them: no pattern, which would try each. */
function withoutSelector(name: string): string {
  return name.endsWith(")") && name.includes("(") ? name.slice(0, name.indexOf("(")) : name;
}

function labelOf(metric: MetricTrace, status: MetricStatus | undefined): string {
  const name = metricName(metric);
  const { type, target, query } = metric;
  if (query !== undefined) return name;
  if (type !== "Resource" && type !== "ContainerResource") return `${name} (${type})`;
  const container = status?.containerResource?.container;
  const of = container === undefined ? name : `${name} of ${container}`;
  return target?.type === "Utilization" ? `${of}, % of requests` : of;
}

/** A total where the target is compared with one, else what one pod has. */
function measured(metric: MetricTrace, { total, usage }: PassTrace): string {
  const { target, sum } = metric;
  if (target?.type === "Utilization") return `${usage}%`;
  return target?.type === "AverageValue" && !hasTotal(metric) ? `${usage} each` : (sum ?? total);
}

/** Whether one number for the whole workload is divided by the target of one pod. */
export function hasTotal({ type }: Pick<MetricTrace, "type">): boolean {
  return type === "Object" || type === "External";
}

function targetText({ target }: MetricTrace): string {
  if (target?.type === "Utilization") return `${target.value}%`;
  return target?.type === "AverageValue" ? `${target.value} each` : (target?.value ?? "");
}
