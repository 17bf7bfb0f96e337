// The arithmetic of one metric in a short line.
import type { MetricTrace, ProposalRule } from "../../objects/trace/metric.ts";
import { showRatio, showRatioSo } from "../../values/ratio.ts";
import { allPods, belowZero, factor, rangeText } from "./metric.ts";

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
    `= ⌈${metric.first?.total} ÷ ${metric.target?.value}⌉; ${belowZero(metric)}${rangeText(metric)}`,
  "from-zero": ({ first, replicas }) =>
    `= ⌈${showRatioSo(first?.ratio, (near) => Math.ceil(near) === replicas)}⌉, from zero replicas`,
  "within-tolerance": (metric) => `(no change); ${rangeText(metric)}`,
  "direction-changed": ({ first, second }) =>
    `(no change); the ratio is ${showRatio(first?.ratio)}, or ${showRatio(second?.ratio)} with missing and unready pods counted`,
  "against-direction": ({ second }) =>
    `(no change); with a ratio of ${showRatio(second?.ratio)} the result would go the other way`,
};
