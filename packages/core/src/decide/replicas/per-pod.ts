// Computes replicas from metrics that have a value for each pod.

import type { ProposalRule } from "../../objects/trace/metric.ts";
import { ceilToInt32 } from "../../values/number/go-float.ts";
import { type Int64, sum } from "../../values/number/int64.ts";
import type { MetricContext } from "../metrics/context.ts";
import type { UsageTable } from "../metrics/usage-table.ts";
import type { RequestQuery } from "../pods/requests.ts";
import { type Survey, surveyPods, withoutRequests } from "../pods/survey.ts";
import { type Gauge, type Totals, totalsUnder } from "../usage/gauge.ts";
import { type PerPodTrace, passTrace } from "./per-pod-trace.ts";
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
  const { nowMs, options, semantics } = context;
  const { requests } = query;
  const isCpu = query.resource === "cpu";
  const survey = surveyPods(listed.pods, table.usage, { nowMs, isCpu, options, semantics, requests });
  const { counts, pods, requestError } = survey;
  const fail = (message: string): PerPodProposal => ({
    ok: false,
    message,
    trace: { pods: requests === undefined ? pods : withoutRequests(pods), counts },
  });
  if (counts.ready + counts.extra === 0)
    return fail("did not receive metrics for targeted pods (pods might be unready)");
  if (requestError !== undefined) return fail(requestError);
  return propose(survey, { ...query, context, trace: { pods, counts } });
}

/** @upstream replica_calculator.go (the listing that all calculators share) */
export function listedPods({ pods }: MetricContext) {
  const list = pods();
  if (list.length === 0)
    return { ok: false as const, message: "no pods returned by selector while calculating replica count" };
  return { ok: true as const, pods: list };
}

interface Setting extends PerPodQuery {
  readonly context: MetricContext;
  /** Filled in on the way. */
  readonly trace: { -readonly [K in keyof PerPodTrace]: PerPodTrace[K] };
}

function propose(survey: Survey, setting: Setting): PerPodProposal {
  const { gauge, context, trace } = setting;
  const { semantics } = context;
  const saturates = semantics.saturates === "all";
  const exact = firstTotals(survey, setting.requests !== undefined);
  const totals = totalsUnder(semantics, exact);
  const reading = gauge.read(totals);
  if (!reading.ok) return { ok: false, message: reading.message, trace };
  const { ratio, average, utilization } = reading;
  const isWithinFirst = isWithin(context.tolerances, ratio, semantics);
  trace.first = passTrace(gauge, totals, reading, isWithinFirst);
  const done = (replicas: number, rule: ProposalRule): PerPodProposal => {
    trace.rule = rule;
    return { ok: true, replicas, average, utilization, trace };
  };
  const current = context.specReplicas;
  const { ready, unready, missing } = survey.counts;
  const hasUnready = unready > 0 && ratio > 1.0;
  if (!hasUnready && missing === 0) {
    if (isWithinFirst) return done(current, "within-tolerance");
    return done(ceilToInt32(ratio * ready, saturates), "ratio-times-ready");
  }
  const filled = secondTotals(exact, survey, { gauge, ratio, hasUnready });
  const filledTotals = totalsUnder(semantics, filled.totals);
  const again = gauge.read(filledTotals);
  if (!again.ok) return { ok: false, message: again.message, trace };
  const isWithinSecond = isWithin(context.tolerances, again.ratio, semantics);
  trace.second = {
    ...passTrace(gauge, filledTotals, again, isWithinSecond),
    ...(filled.missingAs === undefined ? {} : { missingAs: filled.missingAs }),
    ...(hasUnready ? { unreadyAs: "0" } : {}),
  };
  if (isWithinSecond) return done(current, "within-tolerance");
  if (areOpposite(ratio, again.ratio)) return done(current, "direction-changed");
  const replicas = ceilToInt32(again.ratio * filled.all, saturates);
  if (isAgainst(again.ratio, replicas, current)) return done(current, "against-direction");
  return done(replicas, "ratio-times-all");
}

/** One ratio gives fewer replicas and the other more. */
function areOpposite(first: number, second: number): boolean {
  return (first < 1.0 && second > 1.0) || (first > 1.0 && second < 1.0);
}

/** The ratio gives fewer replicas and there would be more, or the other way round. */
function isAgainst(ratio: number, replicas: number, current: number): boolean {
  return (ratio < 1.0 && replicas > current) || (ratio > 1.0 && replicas < current);
}

/** Percentages leave samples of unknown pods out, averages count them. */
function firstTotals(survey: Survey, isPercentage: boolean): Totals {
  const { readyTotal, extraTotal, readyRequested, counts } = survey;
  return isPercentage
    ? { usage: readyTotal, requested: readyRequested, pods: counts.ready }
    : { usage: sum(readyTotal, extraTotal), requested: 0, pods: counts.ready + counts.extra };
}

function secondTotals(
  first: Totals,
  survey: Survey,
  how: { gauge: Gauge; ratio: number; hasUnready: boolean },
): { totals: Totals; all: number; missingAs: string | undefined } {
  const { ready, extra, missing, unready } = survey.counts;
  let { usage, requested, pods } = first;
  let all = ready + extra;
  // A ratio of exactly 1 leaves the missing pods out.
  const fillsMissing = missing > 0 && how.ratio !== 1 && !Number.isNaN(how.ratio);
  if (fillsMissing) {
    for (const request of survey.missingRequested) {
      if (how.ratio < 1.0) usage = sum(usage, how.gauge.fullShare(request));
      requested = sum(requested, request);
    }
    pods += missing;
    all += missing;
  }
  if (how.hasUnready) {
    requested = sum(requested, survey.unreadyRequested);
    pods += unready;
    all += unready;
  }
  const fullOrNothing = how.ratio < 1.0 ? how.gauge.fullShareText : "0";
  return { totals: { usage, requested, pods }, all, missingAs: fillsMissing ? fullOrNothing : undefined };
}
