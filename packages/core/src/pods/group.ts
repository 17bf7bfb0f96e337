import type { Usage } from "../metrics/usage-table.ts";
import { add, type Int64 } from "../number/int64.ts";
import type { Pod } from "../spec/pod.ts";
import type { PodCounts, PodReason } from "../trace/metric.ts";
import { type ClassifyRules, classifyPod, groupOf } from "./classify.ts";
import { type MatchedUsage, matchUsage } from "./match.ts";

/** All selected pods, sorted into upstream's groups. */
export interface GroupedPods {
  readonly counts: PodCounts;
  /** Sum over ready pods, and over samples that belong to no selected pod. */
  readonly readyTotal: Int64;
  readonly extraTotal: Int64;
  /** Indices into the list of pods. */
  readonly ready: readonly number[];
  readonly missing: readonly number[];
  readonly unready: readonly number[];
  /** In the order of the pods. */
  readonly reasons: readonly PodReason[];
  readonly usage: MatchedUsage;
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods */
export function groupPods(
  pods: readonly Pod[],
  samples: readonly Usage[],
  rules: ClassifyRules,
): GroupedPods {
  const usage = matchUsage(pods, samples);
  const ready: number[] = [];
  const missing: number[] = [];
  const unready: number[] = [];
  const reasons: PodReason[] = [];
  let ignored = 0;
  let readyTotal: Int64 = 0;
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined) continue;
    const sample = usage.ofPod[i];
    const why = classifyPod(pod, sample, rules);
    reasons.push(why);
    const group = groupOf(why);
    if (group === "ready") {
      ready.push(i);
      if (sample !== undefined) readyTotal = add(readyTotal, sample.milli);
    } else if (group === "missing") missing.push(i);
    else if (group === "unready") unready.push(i);
    else ignored++;
  }
  let extraTotal: Int64 = 0;
  for (const { milli } of usage.extra) extraTotal = add(extraTotal, milli);
  return {
    counts: {
      ready: ready.length,
      unready: unready.length,
      missing: missing.length,
      ignored,
      extra: usage.extra.length,
    },
    readyTotal,
    extraTotal,
    ready,
    missing,
    unready,
    reasons,
    usage,
  };
}
