import type { Usage } from "../metrics/usage-table.ts";
import { add, type Int64 } from "../number/int64.ts";
import type { Pod } from "../spec/pod.ts";
import type { PodCounts, PodReason, PodTrace } from "../trace/metric.ts";
import { type ClassifyRules, classifyPod, groupOf } from "./classify.ts";
import { podName } from "./view.ts";

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
  readonly traces: readonly PodTrace[];
}

/** @upstream pkg/controller/podautoscaler/replica_calculator.go#groupPods */
export function groupPods(
  pods: readonly Pod[],
  usage: ReadonlyMap<string, Usage>,
  rules: ClassifyRules,
): GroupedPods {
  const ready: number[] = [];
  const missing: number[] = [];
  const unready: number[] = [];
  const traces: PodTrace[] = [];
  let ignored = 0;
  let matched = 0;
  let readyTotal: Int64 = 0;
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    if (pod === undefined || pod === null) continue;
    const name = podName(pod);
    const sample = usage.get(name);
    const why = classifyPod(pod, sample, rules);
    const group = groupOf(why);
    if (sample !== undefined) matched++;
    if (group === "ready") {
      ready.push(i);
      if (sample !== undefined) readyTotal = add(readyTotal, sample.milli);
    } else if (group === "missing") missing.push(i);
    else if (group === "unready") unready.push(i);
    else ignored++;
    traces.push(podTrace(name, group, why, sample));
  }
  const extras = matched < usage.size ? extraSamples(pods, usage) : { total: 0, traces: [] };
  return {
    counts: {
      ready: ready.length,
      unready: unready.length,
      missing: missing.length,
      ignored,
      extra: extras.traces.length,
    },
    readyTotal,
    extraTotal: extras.total,
    ready,
    missing,
    unready,
    traces: extras.traces.length === 0 ? traces : [...traces, ...extras.traces],
  };
}

function podTrace(
  name: string,
  group: PodTrace["group"],
  why: PodReason,
  sample: Usage | undefined,
): PodTrace {
  return sample === undefined ? { name, group, why } : { name, group, why, usage: sample.text };
}

/** Samples under names that no selected pod has; upstream keeps them in averages. */
function extraSamples(
  pods: readonly Pod[],
  usage: ReadonlyMap<string, Usage>,
): { total: Int64; traces: readonly PodTrace[] } {
  const known = new Set(pods.map((pod) => (pod === undefined || pod === null ? "" : podName(pod))));
  const traces: PodTrace[] = [];
  let total: Int64 = 0;
  for (const [name, sample] of usage) {
    if (known.has(name)) continue;
    total = add(total, sample.milli);
    traces.push(podTrace(name, "extra", "not-selected", sample));
  }
  return { total, traces };
}
