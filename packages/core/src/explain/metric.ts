import type { MetricTrace, PassTrace, PodTrace } from "../trace/metric.ts";
import { type Line, line } from "./line.ts";
import { metricName } from "./metric-rows.ts";
import { plural, podReasons, ruleWords } from "./phrases.ts";
import { showRatio, showRatioSo } from "./ratio.ts";

/** How one metric came to its proposal, with every number of the way. */
export function explainMetric(metric: MetricTrace): readonly Line[] {
  const head = `Metric ${metric.index + 1} ${nameOf(metric)}`;
  if (metric.error !== undefined) {
    return [
      line(1, `${head} failed`),
      ...queryLines(metric),
      ...podLines(metric),
      line(2, `${metric.error.reason}: ${metric.error.message}`),
    ];
  }
  return [
    line(1, `${head} asks for ${plural(metric.replicas ?? 0, "replica")}`),
    ...queryLines(metric),
    ...podLines(metric),
    ...valueLines(metric),
    ...firstLines(metric),
    ...secondLines(metric),
    ...ruleLines(metric),
  ];
}

/** A query is named as its author knows it, and not as the metric that represents it. */
function nameOf(metric: MetricTrace): string {
  return metric.query === undefined ? `(${metric.type}): ${metric.name}` : `(Query): ${metricName(metric)}`;
}

function queryLines({ query }: MetricTrace): readonly Line[] {
  return query === undefined ? [] : [line(2, `PromQL: ${query}`)];
}

function podLines(metric: MetricTrace): readonly Line[] {
  const groups = new Map<string, PodTrace[]>();
  for (const pod of metric.pods ?? []) {
    const key = `${pod.group}: ${podReasons[pod.why]}`;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [pod]);
    else list.push(pod);
  }
  return [...groups].map(([key, pods]) => {
    const [group, why] = key.split(": ");
    return line(2, `${plural(pods.length, "pod")} ${group}, ${why}: ${names(pods)}`);
  });
}

const shown = 10;

/** The first few pods with their numbers; thousands of them would say no more. */
function names(pods: readonly PodTrace[]): string {
  const listed = pods.slice(0, shown).map(({ name, usage, request }) => {
    const numbers = [usage ?? [], request === undefined ? [] : `of ${request}`].flat();
    return numbers.length === 0 ? name : `${name} (${numbers.join(" ")})`;
  });
  const more = pods.length - shown;
  return more > 0 ? `${listed.join(", ")} and ${more} more` : listed.join(", ");
}

function valueLines({ values }: MetricTrace): readonly Line[] {
  if (values === undefined) return [];
  return [line(2, `${plural(values.length, "value")}: ${values.slice(0, shown).join(", ")}`)];
}

function firstLines(metric: MetricTrace): readonly Line[] {
  const { first } = metric;
  return first === undefined
    ? []
    : [line(2, arithmetic(metric, first)), line(2, toleranceLine(metric, first))];
}

function secondLines(metric: MetricTrace): readonly Line[] {
  const { second } = metric;
  if (second === undefined) return [];
  const filled = [
    ...(second.missingAs === undefined ? [] : [`each missing pod as using ${second.missingAs}`]),
    ...(second.unreadyAs === undefined ? [] : ["each unready pod as using 0"]),
  ];
  const how =
    filled.length === 0
      ? "without the missing pods, since the ratio is exactly 1"
      : `counting ${filled.join(" and ")}`;
  return [
    line(2, `Once more, ${how}:`),
    line(3, arithmetic(metric, second)),
    line(3, toleranceLine(metric, second)),
  ];
}

/** The division that gives the ratio. */
function arithmetic(metric: MetricTrace, pass: PassTrace): string {
  const { target } = metric;
  const value = target?.value ?? "?";
  if (target?.type === "Utilization") {
    return `usage ${pass.total} ÷ requests ${pass.requested ?? "?"} = ${pass.usage} %; ${pass.usage} % ÷ target ${value} % = ratio ${showRatio(pass.ratio)}`;
  }
  if (target?.type === "Value") return `${pass.total} ÷ target ${value} = ratio ${showRatio(pass.ratio)}`;
  if (metric.statusReplicas !== undefined) {
    const count = `${plural(metric.statusReplicas, "replica")} of the scale's status`;
    return `total ${pass.total} over ${count} = ${pass.usage} each; ${pass.total} ÷ (target ${value} × ${metric.statusReplicas}) = ratio ${showRatio(pass.ratio)}`;
  }
  return `usage ${pass.total} ÷ ${plural(pass.pods ?? 0, "pod")} = ${pass.usage} each; ${pass.usage} ÷ target ${value} = ratio ${showRatio(pass.ratio)}`;
}

function toleranceLine(metric: MetricTrace, pass: PassTrace): string {
  const { down = 0, up = 0 } = metric.tolerance ?? {};
  const where = pass.withinTolerance ? "within" : "outside";
  const isWithin = (ratio: number): boolean => ratio >= 1 - down && ratio <= 1 + up;
  const ratio = showRatioSo(pass.ratio, (near) => isWithin(near) === pass.withinTolerance);
  return `ratio ${ratio} is ${where} tolerance, ${showRatio(1 - down)} to ${showRatio(1 + up)}`;
}

function ruleLines(metric: MetricTrace): readonly Line[] {
  const { rule } = metric;
  if (rule === undefined) return [];
  return [line(2, `${ruleWords[rule]}: ${formula(metric)}${metric.replicas}`)];
}

/** Where the proposal is computed and not only kept. */
function formula(metric: MetricTrace): string {
  const { rule, counts, first, second } = metric;
  if (rule === "ratio-times-ready") return multiplication(first, counts?.ready, metric);
  if (rule === "ratio-times-all") return multiplication(second, allPods(metric), metric);
  return rule === "total-over-target" ? `${first?.total} ÷ ${metric.target?.value} → ` : "";
}

/** The samples of unknown pods are among the pods of the second pass only where averages are taken. */
export function allPods({ second, counts }: MetricTrace): number {
  return (second?.pods ?? 0) + (second?.requested === undefined ? 0 : (counts?.extra ?? 0));
}

function multiplication(
  pass: PassTrace | undefined,
  pods: number | undefined,
  { replicas = 0 }: MetricTrace,
): string {
  const ratio = showRatioSo(pass?.ratio, (near) => Math.ceil(near * (pods ?? 0)) === replicas);
  return `${ratio} × ${pods ?? "?"} → `;
}
