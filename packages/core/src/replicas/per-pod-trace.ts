import type { Usage } from "../metrics/usage-table.ts";
import type { Int64 } from "../number/int64.ts";
import { groupOf } from "../pods/classify.ts";
import type { GroupedPods } from "../pods/group.ts";
import { podName } from "../pods/view.ts";
import { milliText } from "../quantity/format.ts";
import type { Pod } from "../spec/pod.ts";
import { jsonFloat } from "../trace/json-float.ts";
import type { MetricTrace, PassTrace, PodTrace } from "../trace/metric.ts";
import type { Gauge, Reading, Totals } from "../usage/gauge.ts";

/** The part of a metric's trace that a calculator fills in. */
export type PerPodTrace = Pick<MetricTrace, "pods" | "counts" | "values" | "first" | "second" | "rule">;

export function passTrace(
  gauge: Gauge,
  totals: Totals,
  reading: Extract<Reading, { ok: true }>,
  isWithin: boolean,
): PassTrace {
  return {
    total: milliText(totals.usage),
    ...(gauge.kind === "utilization" ? { requested: milliText(totals.requested) } : {}),
    pods: totals.pods,
    usage: reading.utilization === undefined ? milliText(reading.average) : String(reading.utilization),
    ratio: jsonFloat(reading.ratio),
    withinTolerance: isWithin,
  };
}

/** How every pod counted, with its request where requests take part. */
export function tracePods(
  pods: readonly Pod[],
  groups: GroupedPods,
  requests: readonly Int64[] | undefined,
): PerPodTrace {
  const traces: PodTrace[] = [];
  for (let i = 0; i < pods.length; i++) {
    const pod = pods[i];
    const why = groups.reasons[i];
    if (pod === undefined || why === undefined) continue;
    traces.push(podTrace({ name: podName(pod), why, usage: groups.usage.ofPod[i], request: requests?.[i] }));
  }
  for (const usage of groups.usage.extra) {
    traces.push({ name: usage.name, group: "extra", why: "not-selected", usage: usageText(usage) });
  }
  return { pods: traces, counts: groups.counts };
}

function podTrace(of: {
  readonly name: string;
  readonly why: PodTrace["why"];
  readonly usage: Usage | undefined;
  readonly request: Int64 | undefined;
}): PodTrace {
  const { name, why, usage, request } = of;
  const group = groupOf(why);
  if (request === undefined) {
    return usage === undefined ? { name, group, why } : { name, group, why, usage: usageText(usage) };
  }
  const text = milliText(request);
  return usage === undefined
    ? { name, group, why, request: text }
    : { name, group, why, usage: usageText(usage), request: text };
}

function usageText(usage: Usage): string {
  return usage.text ?? milliText(usage.milli);
}
