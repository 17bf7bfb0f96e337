import type { MetricContext } from "../metrics/context.ts";
import type { UsageTable } from "../metrics/usage-table.ts";
import { int32OfFloat } from "../number/go-float.ts";
import { add, type Int64 } from "../number/int64.ts";
import { type GroupedPods, groupPods } from "../pods/group.ts";
import { requestTable } from "../pods/request-table.ts";
import { type RequestQuery } from "../pods/requests.ts";
import type { ProposalRule } from "../trace/metric.ts";
import type { Gauge, Totals } from "../usage/gauge.ts";
import { type PerPodTrace, passTrace, tracePods } from "./per-pod-trace.ts";
import { isWithin } from "./tolerance.ts";

export interface PerPodQuery {
  /** Decides whether readiness counts: only "cpu" does. */
  readonly resource: string;
  readonly gauge: Gauge;
  /** Present where the target is a percentage of requests. */
  readonly requests: RequestQuery | undefined;
}

export type PerPodProposal =
  | {
      readonly ok: true;
      readonly replicas: number;
      readonly average: Int64;
      readonly utilization: number | undefined;
      readonly trace: PerPodTrace;
    }
  | { readonly ok: false; readonly message: string; readonly trace: PerPodTrace };

/**
 * Replicas from a metric with one value per pod: first as measured; then, where pods are missing or unready,
 * with the most cautious values filled in for them.
 *
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#GetResourceReplicas
 * @upstream pkg/controller/podautoscaler/replica_calculator.go#calcPlainMetricReplicas
 */
export function perPodProposal(
  table: UsageTable,
  query: PerPodQuery,
  context: MetricContext,
): PerPodProposal {
  if (!table.ok) return { ok: false, message: table.message, trace: {} };
  const listed = listedPods(context);
  if (!listed.ok) return { ok: false, message: listed.message, trace: {} };
  const rules = { nowMs: context.nowMs, isCpu: query.resource === "cpu", options: context.options };
  const groups = groupPods(listed.pods, table.usage, rules);
  const { ready, extra } = groups.counts;
  if (ready + extra === 0) {
    const message = "did not receive metrics for targeted pods (pods might be unready)";
    return { ok: false, message, trace: tracePods(listed.pods, groups, undefined) };
  }
  const requests = query.requests === undefined ? undefined : requestTable(listed.pods, query.requests);
  if (requests !== undefined && !requests.ok) {
    return { ok: false, message: requests.message, trace: tracePods(listed.pods, groups, undefined) };
  }
  const milli = requests?.milli;
  return propose(groups, milli, { ...query, context, trace: tracePods(listed.pods, groups, milli) });
}

/** @upstream replica_calculator.go (the listing that all calculators share) */
export function listedPods(context: MetricContext) {
  const { pods } = context;
  if (!pods.ok) {
    const message = `unable to get pods while calculating replica count: ${pods.message}`;
    return { ok: false as const, message };
  }
  if (pods.pods.length === 0) {
    return { ok: false as const, message: "no pods returned by selector while calculating replica count" };
  }
  return { ok: true as const, pods: pods.pods };
}

interface Setting extends PerPodQuery {
  readonly context: MetricContext;
  readonly trace: PerPodTrace;
}

function propose(
  groups: GroupedPods,
  requests: readonly Int64[] | undefined,
  setting: Setting,
): PerPodProposal {
  const { gauge, context } = setting;
  const totals = firstTotals(groups, requests);
  const reading = gauge.read(totals);
  if (!reading.ok) return { ok: false, message: reading.message, trace: setting.trace };
  const { ratio, average, utilization } = reading;
  const isWithinFirst = isWithin(context.tolerances, ratio, context.semantics);
  const first = passTrace(gauge, totals, reading, isWithinFirst);
  const traced = { ...setting.trace, first };
  const done = (replicas: number, rule: ProposalRule, trace: PerPodTrace = traced): PerPodProposal => ({
    ok: true,
    replicas,
    average,
    utilization,
    trace: { ...trace, rule },
  });
  const current = context.specReplicas;
  const hasUnready = groups.unready.length > 0 && ratio > 1.0;
  if (!hasUnready && groups.missing.length === 0) {
    if (isWithinFirst) return done(current, "within-tolerance");
    return done(int32OfFloat(Math.ceil(ratio * groups.counts.ready)), "ratio-times-ready");
  }
  const filled = secondTotals(totals, groups, requests, { gauge, ratio, hasUnready });
  const again = gauge.read(filled.totals);
  if (!again.ok) return { ok: false, message: again.message, trace: traced };
  const isWithinSecond = isWithin(context.tolerances, again.ratio, context.semantics);
  const second = {
    ...passTrace(gauge, filled.totals, again, isWithinSecond),
    ...(filled.missingAs === undefined ? {} : { missingAs: filled.missingAs }),
    ...(hasUnready ? { unreadyAs: "0" } : {}),
  };
  const both = { ...traced, second };
  if (isWithinSecond) return done(current, "within-tolerance", both);
  if ((ratio < 1.0 && again.ratio > 1.0) || (ratio > 1.0 && again.ratio < 1.0)) {
    return done(current, "direction-changed", both);
  }
  const replicas = int32OfFloat(Math.ceil(again.ratio * filled.all));
  if ((again.ratio < 1.0 && replicas > current) || (again.ratio > 1.0 && replicas < current)) {
    return done(current, "against-direction", both);
  }
  return done(replicas, "ratio-times-all", both);
}

/** Percentages leave samples of unknown pods out, averages count them. */
function firstTotals(groups: GroupedPods, requests: readonly Int64[] | undefined): Totals {
  const { ready, extra } = groups.counts;
  if (requests === undefined) {
    return { usage: add(groups.readyTotal, groups.extraTotal), requested: 0, pods: ready + extra };
  }
  return { usage: groups.readyTotal, requested: sumAt(requests, groups.ready), pods: ready };
}

function secondTotals(
  first: Totals,
  groups: GroupedPods,
  requests: readonly Int64[] | undefined,
  how: { gauge: Gauge; ratio: number; hasUnready: boolean },
): { totals: Totals; all: number; missingAs: string | undefined } {
  const { ready, extra, missing, unready } = groups.counts;
  let { usage, requested, pods } = first;
  let all = ready + extra;
  // A ratio of exactly 1 leaves the missing pods out.
  const fillsMissing = missing > 0 && how.ratio !== 1 && !Number.isNaN(how.ratio);
  if (fillsMissing) {
    if (how.ratio < 1.0) {
      for (const i of groups.missing) usage = add(usage, how.gauge.fullShare(requests?.[i] ?? 0));
    }
    if (requests !== undefined) requested = add(requested, sumAt(requests, groups.missing));
    pods += missing;
    all += missing;
  }
  if (how.hasUnready) {
    if (requests !== undefined) requested = add(requested, sumAt(requests, groups.unready));
    pods += unready;
    all += unready;
  }
  const fullOrNothing = how.ratio < 1.0 ? how.gauge.fullShareText : "0";
  return { totals: { usage, requested, pods }, all, missingAs: fillsMissing ? fullOrNothing : undefined };
}

function sumAt(values: readonly Int64[], indices: readonly number[]): Int64 {
  let total: Int64 = 0;
  for (const i of indices) total = add(total, values[i] ?? 0);
  return total;
}
