// Draws workloads that scale by what their pods show of themselves, by a query or by a MetricRule.
import { queryOwner } from "@plimsoll/core/queries";
import type { Random } from "../random/random.ts";
import type { Setup, SetupObject } from "../scenario/scenario.ts";
import { drawScaler, drawTarget } from "./metric-rules.ts";
import { type Workload, workloadObject } from "./workloads.ts";

/** In some setups, with workloads that nothing else uses. */
export function drawLive(random: Random, namespaces: readonly [string, ...string[]]): readonly SetupObject[] {
  if (!random.chance(0.3)) return [];
  const namespace = random.pick(namespaces);
  return Array.from({ length: random.between(1, 2) }, (_, index) =>
    drawScaled(random.stream(String(index)), { kind: "Deployment", namespace, name: `live-${index}` }),
  ).flat();
}

function drawScaled(random: Random, workload: Workload): readonly SetupObject[] {
  const { name, namespace } = workload;
  const seconds = random.pick([1, 2, 5]);
  const values = random.pick([
    `rate(http_requests_total[${seconds * random.between(3, 6)}s])`,
    "busy_workers",
  ]);
  const isOfPods = random.chance(0.5);
  const promql = `${isOfPods ? "sum by (pod)" : "sum"} (${values})`;
  const live = { port: "metrics", interval: `${seconds}s` };
  const target = drawTarget(random);
  const ports = [{ name: "metrics", containerPort: 8080 }];
  const pods = workloadObject(workload, { replicas: random.between(1, 4), ports });
  if (random.chance(0.5)) {
    const query = { promql, ...(isOfPods ? { podLabel: "pod" } : {}), live, target };
    return [pods, drawScaler(random, workload, { isWla: true, metric: { type: "Query", query } })];
  }
  const type = isOfPods ? "Pods" : "External";
  const source = { metric: { name: metricOf(name) }, target };
  return [
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name, namespace },
      spec: {
        type,
        metric: metricOf(name),
        query: promql,
        live: { ...live, podSelector: { matchLabels: { app: name } } },
      },
    },
    pods,
    drawScaler(random, workload, {
      isWla: random.chance(0.5),
      metric: { type, [isOfPods ? "pods" : "external"]: source },
    }),
  ];
}

function metricOf(workload: string): string {
  return workload.replace("-", "_");
}

/** What a live metric is made of. */
export interface LiveMetric {
  readonly workload: string;
  readonly series: string;
  /** Of its rate; 0: the newest value. */
  readonly rangeMs: number;
  readonly intervalMs: number;
}

interface Spec {
  readonly query?: string;
  readonly live?: { readonly interval: string };
  readonly metrics?: readonly {
    readonly query?: { readonly promql: string; readonly live?: Spec["live"] };
  }[];
}

const form = /\((?:rate\((\w+)\[(\d+)s\]\)|(\w+))\)$/;

/** Finds those of a setup, by the namespace and the metric of a request. */
export function findLive({
  objects,
}: Pick<Setup, "objects">): (namespace: string, metric: string) => LiveMetric | undefined {
  const known = new Map<string, LiveMetric>();
  for (const { metadata, spec = {} } of objects) {
    const { name: workload, namespace = "" } = metadata;
    const { query: promql = "", live, metrics = [] } = spec as Spec;
    const query = live === undefined ? metrics[0]?.query : { promql, live };
    if (query?.live === undefined) continue;
    const [, counter, seconds = "0", gauge = ""] = form.exec(query.promql) ?? [];
    known.set(`${namespace}/${workload}`, {
      workload,
      series: counter ?? gauge,
      rangeMs: 1_000 * Number(seconds),
      intervalMs: 1_000 * Number.parseInt(query.live.interval, 10),
    });
  }
  return (namespace, metric) => known.get(`${namespace}/${queryOwner(metric) ?? metric.replace("_", "-")}`);
}
