// Draws MetricRules, and what asks for their metrics: HPAs by name, and WorkloadAutoscalers with queries.
import type { Random } from "../random/random.ts";
import type { SetupObject } from "../scenario/scenario.ts";
import { targetRef, type Workload, workloadObject } from "./workloads.ts";

/** The metrics of rules are named after their series. */
export const rulePrefix = "rule_";

interface Rule {
  readonly type: "Pods" | "External";
  readonly series: string;
  readonly query: string;
}

const rules: readonly [Rule, ...Rule[]] = [
  { type: "Pods", series: "http_requests_total", query: "sum by (pod) (rate(http_requests_total[1m]))" },
  { type: "Pods", series: "busy_workers", query: "sum by (pod) (busy_workers)" },
  { type: "External", series: "queue_depth", query: "sum by (queue) (queue_depth)" },
];

/** Nothing serves the first; the second is another rule of the same metric; the third is refused. */
const wrong = [
  "sum by (pod) (no_such_series)",
  "max by (queue) (queue_depth)",
  'sum(queue_depth{namespace="bank"})',
] as const;

function ruleObject(namespace: string, { type, series, query }: Rule): SetupObject {
  return {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "MetricRule",
    metadata: { name: series.replaceAll("_", "-"), namespace },
    spec: { type, metric: `${rulePrefix}${series}`, query },
  };
}

/** What a user may make of the query of a rule. */
export function drawRuleEdit(random: Random, { spec }: SetupObject): object {
  const { query } = spec as { readonly query: string };
  return { spec: { query: random.pick([query, ...wrong]) } };
}

/** In some setups; the workloads have names of their own. */
export function drawMetricRules(random: Random, namespaces: readonly string[]): readonly SetupObject[] {
  if (!random.chance(0.3)) return [];
  return namespaces.flatMap((namespace) => {
    const own = random.stream(namespace);
    const scaled = Array.from({ length: own.between(1, 3) }, (_, index) =>
      drawScaled(own.stream(String(index)), {
        kind: "Deployment",
        namespace,
        name: `ruled-${String(index)}`,
      }),
    );
    return [...rules.map((rule) => ruleObject(namespace, rule)), ...scaled.flat()];
  });
}

function drawScaled(random: Random, workload: Workload): readonly SetupObject[] {
  const isWla = random.chance(0.6);
  const target = drawTarget(random);
  const metric = isWla ? drawQuery(random, workload.name, target) : drawRuled(random, workload.name, target);
  return [
    workloadObject(workload, { replicas: random.between(1, 4) }),
    drawScaler(random, workload, { isWla, metric }),
  ];
}

/** Near what one pod carries well. */
export function drawTarget(random: Random): object {
  return { type: "AverageValue", averageValue: String(random.between(600, 1000)) };
}

/** What scales a workload by one metric. */
export function drawScaler(
  random: Random,
  workload: Workload,
  { isWla, metric }: { readonly isWla: boolean; readonly metric: object },
): SetupObject {
  const { name, namespace } = workload;
  return {
    apiVersion: isWla ? "autoscaling.plimsoll.dev/v1alpha1" : "autoscaling/v2",
    kind: isWla ? "WorkloadAutoscaler" : "HorizontalPodAutoscaler",
    metadata: { name, namespace, annotations: { "autoscaling.plimsoll.dev/managed": "true" } },
    spec: {
      scaleTargetRef: targetRef(workload),
      minReplicas: random.between(1, 2),
      maxReplicas: random.between(4, 9),
      metrics: [metric],
    },
  };
}

function drawQuery(random: Random, workload: string, target: object): object {
  const query = random.pick([
    { promql: `sum by (queue) (queue_depth{queue="${workload}"})` },
    { promql: "sum by (pod) (rate(http_requests_total[1m]))", podLabel: "pod" },
  ]);
  return { type: "Query", query: { ...query, target } };
}

function drawRuled(random: Random, workload: string, target: object): object {
  const { type, series } = random.pick(rules);
  const name = `${rulePrefix}${series}`;
  if (type === "Pods") return { type, pods: { metric: { name }, target } };
  return { type, external: { metric: { name, selector: { matchLabels: { queue: workload } } }, target } };
}
