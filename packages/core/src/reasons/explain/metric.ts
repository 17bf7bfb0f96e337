import type { MetricTrace, PassTrace, PodTrace } from "../../objects/trace/metric.ts";
import { plainBytes } from "../../values/quantity/plain.ts";
import { ratioWords, showRatio, showRatioSo } from "../../values/ratio.ts";
import { counted } from "../../values/text.ts";
import { withoutGo } from "./go-text.ts";
import { type Line, line } from "./line.ts";
import { countedPass, metricName } from "./metric-rows.ts";
import { podReasons, ruleWords } from "./phrases.ts";

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
    line(1, `${head} calls for ${counted(metric.replicas ?? 0, "replica")}`),
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
  return metric.query === undefined
    ? `(${metric.type}): ${withoutGo(metric.name)}`
    : `(Query): ${metricName(metric)}`;
}

function queryLines({ query, live }: MetricTrace): readonly Line[] {
  const from = live === undefined ? [] : [line(2, `live: ${live}`)];
  return query === undefined ? [] : [line(2, `PromQL: ${query}`), ...from];
}

function podLines(metric: MetricTrace): readonly Line[] {
  const groups = new Map<string, PodTrace[]>();
  for (const pod of metric.pods ?? []) {
    const key = `${pod.group}, ${podReasons[pod.why]}`;
    const list = groups.get(key);
    if (list === undefined) groups.set(key, [pod]);
    else list.push(pod);
  }
  return [...groups].map(([key, pods]) =>
    line(2, `${counted(pods.length, "pod")} ${key}: ${names(pods, shownAs(metric))}`),
  );
}

const shown = 10;

/** The first few pods with their numbers; thousands of them would say no more. */
function names(pods: readonly PodTrace[], show: (quantity: string) => string): string {
  const listed = pods.slice(0, shown).map(({ name, usage, request }) => {
    const numbers = [
      usage === undefined ? [] : show(usage),
      request === undefined ? [] : `of ${show(request)}`,
    ].flat();
    return numbers.length === 0 ? name : `${name} (${numbers.join(" ")})`;
  });
  const more = pods.length - shown;
  return more > 0 ? `${listed.join(", ")} and ${more} more` : listed.join(", ");
}

function valueLines({ values }: MetricTrace): readonly Line[] {
  if (values === undefined) return [];
  return [line(2, `${counted(values.length, "value")}: ${values.slice(0, shown).join(", ")}`)];
}

function firstLines(metric: MetricTrace): readonly Line[] {
  return metric.first === undefined ? [] : passLines(2, metric, metric.first);
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
      ? "without the missing pods, because the ratio is exactly 1"
      : `counting ${filled.join(" and ")}`;
  return [line(2, `Again, ${how}:`), ...passLines(3, metric, second)];
}

function passLines(indent: number, metric: MetricTrace, pass: PassTrace): readonly Line[] {
  return [line(indent, arithmetic(metric, pass)), line(indent, rangeText(metric, pass, true))];
}

/** Bytes are written with a suffix, other quantities as they are. */
function shownAs(metric: MetricTrace): (quantity: string) => string {
  const isBytes = metric.type.endsWith("Resource") && /memory|storage/.test(metricName(metric));
  return isBytes ? plainBytes : (quantity) => quantity;
}

/** The division that gives the ratio. */
function arithmetic(metric: MetricTrace, pass: PassTrace): string {
  const { target } = metric;
  const show = shownAs(metric);
  const [total, usage] = [show(pass.total), show(pass.usage)];
  const ratio = ratioWords(pass.ratio);
  if (target?.type === "Utilization")
    return `usage ${total} ÷ requests ${show(pass.requested ?? "?")} = ${pass.usage} %; ${pass.usage} % ÷ target ${target.value} % = ${ratio}`;
  const value = show(target?.value ?? "?");
  if (target?.type === "Value") return `${total} ÷ target ${value} = ${ratio}`;
  if (metric.statusReplicas !== undefined) {
    const count = `${counted(metric.statusReplicas, "replica")} in the scale's status`;
    const average = metric.statusReplicas === 0 ? "no average" : `${usage} each`;
    return `${belowZero(metric)}total ${total} ÷ ${count} = ${average}; ${total} ÷ (target ${value} × ${metric.statusReplicas}) = ${ratio}`;
  }
  return `usage ${total} ÷ ${counted(pass.pods ?? 0, "pod")} = ${usage} each; ${usage} ÷ target ${value} = ${ratio}`;
}

/** Why the total is another than the values give; "" where it is not. */
export function belowZero({ sum }: MetricTrace): string {
  return sum === undefined ? "" : `a running sum below zero counts as the largest number (sum ${sum}); `;
}

/** Where the ratio lies, as in `1.067 is within 0.9–1.1`. */
export function rangeText(metric: MetricTrace, pass = countedPass(metric), inWords = false): string {
  const { down = 0, up = 0 } = metric.tolerance ?? {};
  const isWithin = (ratio: number): boolean => ratio >= 1 - down && ratio <= 1 + up;
  const ratio = showRatioSo(pass?.ratio, (near) => isWithin(near) === pass?.withinTolerance);
  const where = pass?.withinTolerance === true ? "within" : "outside";
  const is =
    pass?.ratio === "NaN" ? `${ratioWords(pass.ratio)} counts as` : `${inWords ? "ratio " : ""}${ratio} is`;
  return `${is} ${where} ${inWords ? "tolerance, " : ""}${showRatio(1 - down)}${inWords ? " to " : "–"}${showRatio(1 + up)}`;
}

function ruleLines(metric: MetricTrace): readonly Line[] {
  const { rule } = metric;
  if (rule === undefined) return [];
  return [line(2, `${ruleWords[rule]}: ${formula(metric)}${metric.replicas}`)];
}

/** Where the proposal is computed and not only kept. */
function formula(metric: MetricTrace): string {
  const { rule, counts, first, second, replicas } = metric;
  const multiplication = (pass: PassTrace | undefined, pods: number | undefined) =>
    `${factor(pass, pods, replicas)} × ${pods ?? "?"} → `;
  if (rule === "ratio-times-ready") return multiplication(first, counts?.ready);
  if (rule === "ratio-times-all") return multiplication(second, allPods(metric));
  return rule === "total-over-target" ? `${first?.total} ÷ ${metric.target?.value} → ` : "";
}

/** The samples of unknown pods are among the pods of the second pass only where averages are taken. */
export function allPods({ second, counts }: MetricTrace): number {
  return (second?.pods ?? 0) + (second?.requested === undefined ? 0 : (counts?.extra ?? 0));
}

/** The shortest form of the ratio that gives the same result. */
export function factor(pass: PassTrace | undefined, pods = 0, replicas = 0): string {
  return showRatioSo(pass?.ratio, (near) => Math.ceil(near * pods) === replicas);
}
