// The arithmetic of one metric in a short line.
import type { MetricTrace, PassTrace, ProposalRule } from "../../objects/trace/metric.ts";
import { ratioWords, showRatio, showRatioSo } from "../../values/ratio.ts";
import { allPods } from "./metric.ts";
import { countedPass } from "./metric-rows.ts";

/** Such as `5 = ⌈0.567 × 8 ready pods⌉; 0.567 is outside 0.9–1.1`. */
export function metricArithmetic(metric: MetricTrace): string {
  const { rule, replicas, error } = metric;
  if (error !== undefined) return `${error.reason}: ${error.message}`;
  return rule === undefined ? String(replicas ?? "no result") : `${replicas} ${arithmetic[rule](metric)}`;
}

const arithmetic: Readonly<Record<ProposalRule, (metric: MetricTrace) => string>> = {
  "ratio-times-ready": (metric) => {
    const { first, counts, replicas } = metric;
    return `= ⌈${factor(first, counts?.ready, replicas)} × ${counts?.ready} ready pods⌉; ${rangeText(metric)}`;
  },
  "ratio-times-all": (metric) => {
    const pods = allPods(metric);
    const ratio = factor(metric.second, pods, metric.replicas);
    return `= ⌈${ratio} × ${pods} pods, including missing and unready ones⌉; ${rangeText(metric)}`;
  },
  "total-over-target": (metric) =>
    `= ⌈${metric.first?.total} ÷ ${metric.target?.value}⌉; ${rangeText(metric)}`,
  "from-zero": ({ first, replicas }) =>
    `= ⌈${showRatioSo(first?.ratio, (near) => Math.ceil(near) === replicas)}⌉, from zero replicas`,
  "within-tolerance": (metric) => `(no change); ${rangeText(metric)}`,
  "direction-changed": ({ first, second }) =>
    `(no change); the ratio is ${showRatio(first?.ratio)}, or ${showRatio(second?.ratio)} with missing and unready pods counted`,
  "against-direction": ({ second }) =>
    `(no change); with a ratio of ${showRatio(second?.ratio)} the result would go the other way`,
};

/** The shortest form of the ratio that gives the same result. */
function factor(pass: PassTrace | undefined, pods = 0, replicas = 0): string {
  return showRatioSo(pass?.ratio, (near) => Math.ceil(near * pods) === replicas);
}

/** Where the ratio lies, as in `1.067 is within 0.9–1.1`. */
export function rangeText(metric: MetricTrace): string {
  const { down = 0, up = 0 } = metric.tolerance ?? {};
  const pass = countedPass(metric);
  const isWithin = (ratio: number): boolean => ratio >= 1 - down && ratio <= 1 + up;
  const ratio = showRatioSo(pass?.ratio, (near) => isWithin(near) === pass?.withinTolerance);
  const where = pass?.withinTolerance === true ? "within" : "outside";
  const is = pass?.ratio === "NaN" ? `${ratioWords(pass.ratio)} counts as` : `${ratio} is`;
  return `${is} ${where} ${showRatio(1 - down)}–${showRatio(1 + up)}`;
}
