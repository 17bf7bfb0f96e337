// The lines of the charts of an object, out of its decisions or of what Prometheus has of it.
import { type MetricTrace, metricRows, summarize } from "@plimsoll/core";
import type { HistoryPage, LoggedDecision } from "@plimsoll/decisions";
import { amountOf } from "../ui/amount.ts";

/** One line of a chart; null: no value. */
export interface Line {
  readonly name: string;
  readonly values: readonly (number | null)[];
  /** How it is drawn: what is, what is proposed or wanted, and bounds. */
  readonly kind: "now" | "proposed" | "bound" | "value" | "target";
  /** Whether the value holds until the next one. */
  readonly isStepped: boolean;
}

/** A chart as values: drawn, said in a sentence and shown as a table from the same. */
export interface ChartData {
  readonly title: string;
  /** Behind a number, such as "%". */
  readonly unit: string;
  /** Seconds since 1970, rising. */
  readonly times: readonly number[];
  readonly lines: readonly Line[];
  /** Around the target: within it nothing changes. */
  readonly band?: { readonly low: number; readonly high: number };
}

/** The replicas over the decisions, oldest first. */
export function replicaChart(decisions: readonly LoggedDecision[]): ChartData {
  const summaries = decisions.map(({ decision }) => summarize(decision));
  const bounds = decisions.map(({ decision }) => boundsOf(decision.trace));
  return {
    title: "Replicas, proposed, limits",
    unit: "",
    times: timesOf(decisions),
    lines: [
      { name: "replicas", kind: "now", isStepped: true, values: summaries.map(({ current }) => current) },
      {
        name: "proposed",
        kind: "proposed",
        isStepped: true,
        values: summaries.map(({ proposed }) => proposed),
      },
      { name: "max", kind: "bound", isStepped: true, values: bounds.map((bound) => bound?.max ?? null) },
      { name: "min", kind: "bound", isStepped: true, values: bounds.map((bound) => bound?.min ?? null) },
    ],
  };
}

function timesOf(decisions: readonly LoggedDecision[]): readonly number[] {
  return decisions.map(({ at }) => Date.parse(at) / 1000);
}

function boundsOf(
  trace: LoggedDecision["decision"]["trace"],
): { readonly min: number; readonly max: number } | undefined {
  for (const step of trace)
    if (step.kind === "limit" || step.kind === "bounds")
      return { min: step.minReplicas, max: step.maxReplicas };
  return undefined;
}

/** Behind the name of a metric whose target is what one pod may have. */
const perPod = ", per pod";

/** One metric and its target over the decisions; undefined where it has neither. */
export function metricChart(decisions: readonly LoggedDecision[], index: number): ChartData | undefined {
  const metrics = decisions.map(({ decision }) => metricAt(decision.trace, index));
  const newest = metrics.findLast((metric) => metric !== undefined);
  if (newest === undefined) return undefined;
  const values = metrics.map(valueOf);
  const targets = metrics.map(targetOf);
  if (values.every((value) => value === null)) return undefined;
  const target = targets.findLast((value) => value !== null) ?? undefined;
  const { down = 0, up = 0 } = newest.tolerance ?? {};
  const name = `${labelAt(decisions, index)}${newest.target?.type === "AverageValue" ? perPod : ""}`;
  return {
    title: `${name} and target`,
    unit: newest.target?.type === "Utilization" ? "%" : "",
    times: timesOf(decisions),
    lines: [
      { name, kind: "value", isStepped: false, values },
      { name: "target", kind: "target", isStepped: true, values: targets },
    ],
    ...(target === undefined ? {} : { band: { low: target * (1 - down), high: target * (1 + up) } }),
  };
}

function labelAt(decisions: readonly LoggedDecision[], index: number): string {
  const newest = decisions.at(-1);
  return newest === undefined
    ? ""
    : (metricRows(newest.decision).find((row) => row.index === index)?.label ?? "");
}

function metricAt(trace: LoggedDecision["decision"]["trace"], index: number): MetricTrace | undefined {
  return trace.find((step): step is MetricTrace => step.kind === "metric" && step.index === index);
}

/** Percent, or what is compared with the target. */
function valueOf(metric: MetricTrace | undefined): number | null {
  if (metric?.first === undefined) return null;
  const { usage, total } = metric.first;
  return metric.target?.type === "Value" ? amountOf(total) : amountOf(usage);
}

function targetOf(metric: MetricTrace | undefined): number | null {
  return metric?.target === undefined ? null : amountOf(metric.target.value);
}

const kinds = {
  current: ["now", "replicas"],
  desired: ["proposed", "desired"],
  max: ["bound", "max"],
  min: ["bound", "min"],
  metric: ["value", ""],
  target: ["target", "target"],
} as const;

/** The charts of a history: the replicas, then one for each metric. */
export function historyCharts({ times, series }: HistoryPage): readonly ChartData[] {
  const lineOf = ({ kind, name, values }: HistoryPage["series"][number]): Line => ({
    // The series of a target has the name of its metric.
    name: kinds[kind][1] || name,
    values,
    kind: kinds[kind][0],
    isStepped: kind !== "metric",
  });
  const order = Object.keys(kinds);
  const inOrder = series.toSorted((one, other) => order.indexOf(one.kind) - order.indexOf(other.kind));
  const replicas = inOrder.filter(({ metric }) => metric === undefined).map(lineOf);
  const metrics = new Set(series.flatMap(({ metric }) => metric ?? []));
  const targets = new Set(series.flatMap(({ kind, metric }) => (kind === "target" ? (metric ?? []) : [])));
  // kube-state-metrics has an average beside each utilization, which nothing is compared with.
  const shown = targets.size > 0 ? targets : metrics;
  return [
    ...(replicas.length === 0
      ? []
      : [{ title: "Replicas, desired, limits", unit: "", times, lines: replicas }]),
    ...[...shown]
      .sort((one, other) => one - other)
      .map((index) => {
        const own = inOrder.filter(({ metric }) => metric === index);
        const name = own[0]?.name ?? "";
        const title = targets.has(index) ? `${name} and target` : name;
        return { title, unit: name.endsWith("% of requests") ? "%" : "", times, lines: own.map(lineOf) };
      }),
  ];
}
