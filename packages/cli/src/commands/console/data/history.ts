// What a Prometheus has of one autoscaler: the series of kube-state-metrics, or our own, on one raster of instants.
import { messageOf } from "@plimsoll/component-base";
import { instantMs } from "@plimsoll/core";
import { redact } from "@plimsoll/core/redact";
import type { HistoryPage, HistorySeries, ObjectKey } from "@plimsoll/decisions";
import { RequestError } from "@plimsoll/decisions/serve";
import {
  createPrometheusClient,
  formatMatchers,
  labelOf,
  type MatrixSeries,
  type PrometheusClient,
} from "@plimsoll/prometheus";
import { hpas } from "../../../objects/scaling-object.ts";
import { CliError, type CliSeams } from "../../../seams.ts";
import type { HistoryData } from "./source.ts";

const dayMs = 86_400_000;
const maxSpanMs = 62 * dayMs;
/** Instants of an answer: about one for each pixel of a chart. */
const maxPoints = 1_000;
const minStepMs = 15_000;
/** Series of one object. */
const maxSeries = 100;

const families: Readonly<Record<string, { readonly kind: HistorySeries["kind"]; readonly name: string }>> = {
  status_current_replicas: { kind: "current", name: "replicas" },
  status_desired_replicas: { kind: "desired", name: "desired replicas" },
  spec_min_replicas: { kind: "min", name: "minReplicas" },
  spec_max_replicas: { kind: "max", name: "maxReplicas" },
  status_target_metric: { kind: "metric", name: "" },
  spec_target_metric: { kind: "target", name: "" },
};

/** What a target of a type compares, as charts of decisions say it. */
const targetTypes: Readonly<Record<string, string>> = {
  utilization: ", % of requests",
  average: ", per pod",
};

const familyPattern = /^(kube|plimsoll)_horizontalpodautoscaler_(.*)$/;

/** @throws CliError where the address cannot be used. */
export function openHistory(
  url: string,
  proxyEnv?: CliSeams["env"],
): {
  readonly data: HistoryData;
  readonly close: () => Promise<void>;
} {
  const client = clientOf(url, proxyEnv);
  return { data: historyData(client), close: () => client.close() };
}

function clientOf(url: string, proxyEnv: CliSeams["env"]): PrometheusClient {
  try {
    return createPrometheusClient({ url, proxyEnv, timeoutMs: 20_000 });
  } catch (error) {
    throw new CliError(`--prometheus-url: ${messageOf(error)}`);
  }
}

export function historyData(client: Pick<PrometheusClient, "queryRange">): HistoryData {
  return {
    async of(object, query) {
      const span = spanOf(query);
      const stepMs = Math.max(
        minStepMs,
        Math.ceil((span.toMs - span.fromMs) / (maxPoints - 1) / 1_000) * 1_000,
      );
      const startMs = Math.floor(span.fromMs / stepMs) * stepMs;
      const times: number[] = [];
      for (let atMs = startMs; atMs <= span.toMs; atMs += stepMs) times.push(atMs);
      const limits = { startMs, endMs: times.at(-1) ?? startMs, stepMs };
      const result = await read(() => client.queryRange(selectorOf(object), limits));
      const found = result.type === "matrix" ? result.series : [];
      const series = seriesOf(found, times);
      const notes = [...result.warnings.map((text) => redact(text)), ...notesOf(found, series)];
      return { times: times.map((atMs) => atMs / 1_000), series, notes } satisfies HistoryPage;
    },
  };
}

async function read<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw new RequestError({
      code: 503,
      reason: "ServiceUnavailable",
      message: `Prometheus: ${redact(messageOf(error))}`,
    });
  }
}

function spanOf(query: URLSearchParams): { readonly fromMs: number; readonly toMs: number } {
  const [fromMs, toMs] = (["from", "to"] as const).map((name) => {
    const ms = instantMs(query.get(name) ?? "");
    if (ms === undefined) throw RequestError.invalid(name, "must be a time, such as 2026-11-22T10:00:02Z");
    return ms;
  }) as [number, number];
  if (fromMs >= toMs) throw RequestError.invalid("from", "must be before the parameter to");
  if (toMs - fromMs > maxSpanMs)
    throw RequestError.invalid("from", "must be at most 62 days before the parameter to");
  return { fromMs, toMs };
}

function selectorOf({ resource, namespace, name }: ObjectKey): string {
  const isHpa = resource === hpas.resource;
  return `{${formatMatchers([
    {
      label: "__name__",
      operator: "=~",
      value: `(${isHpa ? "kube|plimsoll" : "plimsoll"})_horizontalpodautoscaler_(${Object.keys(families).join("|")})`,
    },
    { label: "namespace", operator: "=", value: namespace },
    { label: "horizontalpodautoscaler", operator: "=", value: name },
    // kube-state-metrics has no such label.
    { label: "kind", operator: "=~", value: isHpa ? "(HorizontalPodAutoscaler)?" : "WorkloadAutoscaler" },
  ])}}`;
}

/** Those of kube-state-metrics, or else our own; series of several scrapes of the same thing are one. */
function seriesOf(found: readonly MatrixSeries[], times: readonly number[]): readonly HistorySeries[] {
  const isKube = found.some(({ labels }) => sourceOf(labels) === "kube");
  const own = found.filter(({ labels }) => sourceOf(labels) === (isKube ? "kube" : "plimsoll"));
  const positions: string[] = [];
  const byKey = new Map<
    string,
    { readonly head: Omit<HistorySeries, "values">; readonly values: (number | null)[] }
  >();
  const index = new Map(times.map((atMs, position) => [atMs, position]));
  for (const { labels, points } of own) {
    const head = headOf(labels, positions);
    if (head === undefined) continue;
    const key = `${head.kind} ${head.name}`;
    if (!byKey.has(key) && byKey.size >= maxSeries) continue;
    const line = byKey.get(key) ?? { head, values: times.map(() => null) };
    byKey.set(key, line);
    for (const [atMs, value] of points) {
      const position = index.get(atMs);
      if (position !== undefined && Number.isFinite(value)) line.values[position] = value;
    }
  }
  return [...byKey.values()].map(({ head, values }) => ({ ...head, values }));
}

function sourceOf(labels: MatrixSeries["labels"]): string | undefined {
  return familyPattern.exec(labelOf(labels, "__name__") ?? "")?.[1];
}

function headOf(
  labels: MatrixSeries["labels"],
  positions: string[],
): Omit<HistorySeries, "values"> | undefined {
  const family = families[familyPattern.exec(labelOf(labels, "__name__") ?? "")?.[2] ?? ""];
  if (family === undefined) return undefined;
  const { kind, name } = family;
  if (kind !== "metric" && kind !== "target") return { kind, name };
  const type = labelOf(labels, "metric_target_type") ?? "";
  const metricName = labelOf(labels, "metric_name") ?? "";
  const full = `${metricName}${targetTypes[type] ?? ""}`;
  const key = `${metricName} ${type}`;
  if (!positions.includes(key)) positions.push(key);
  return { kind, metric: positions.indexOf(key), name: full };
}

function notesOf(found: readonly MatrixSeries[], series: readonly HistorySeries[]): readonly string[] {
  if (found.length === 0)
    return [
      "Prometheus has no series kube_horizontalpodautoscaler_* of this object in the span: scrape kube-state-metrics or the autoscaler.",
    ];
  return series.length >= maxSeries ? [`Only ${maxSeries} series are shown.`] : [];
}
