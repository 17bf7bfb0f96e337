// The arithmetic of one metric in a short line.
import type { MetricTrace, PassTrace } from "../trace/metric.ts";
import { allPods } from "./metric.ts";
import { countedPass } from "./metric-rows.ts";
import { showRatio, showRatioSo } from "./ratio.ts";

/** Such as `5 = ⌈0.567 × 8 ready pods⌉; 0.567 is outside 0.9–1.1`. */
export function metricArithmetic(metric: MetricTrace): string {
  const { rule, replicas, error, first, second, counts, target } = metric;
  if (error !== undefined) return `${error.reason}: ${error.message}`;
  const range = rangeText(metric);
  switch (rule) {
    case "ratio-times-ready":
      return `${replicas} = ⌈${factor(first, counts?.ready, replicas)} × ${counts?.ready} ready pods⌉; ${range}`;
    case "ratio-times-all": {
      const pods = allPods(metric);
      return `${replicas} = ⌈${factor(second, pods, replicas)} × ${pods} pods, missing and unready ones filled in⌉; ${range}`;
    }
    case "total-over-target":
      return `${replicas} = ⌈${first?.total} ÷ ${target?.value}⌉; ${range}`;
    case "from-zero":
      return `${replicas} = ⌈${showRatioSo(first?.ratio, (near) => Math.ceil(near) === replicas)}⌉, from zero replicas`;
    case "within-tolerance":
      return `${replicas} stays; ${range}`;
    case "direction-changed":
      return `${replicas} stays; the ratio is ${showRatio(first?.ratio)}, and ${showRatio(second?.ratio)} with missing and unready pods filled in`;
    case "against-direction":
      return `${replicas} stays; with a ratio of ${showRatio(second?.ratio)} the result goes the other way`;
    default:
      return `${replicas ?? "no count"}`;
  }
}

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
  return `${ratio} is ${where} ${showRatio(1 - down)}–${showRatio(1 + up)}`;
}
