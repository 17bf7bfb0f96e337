// Compiles a MetricRule: the one place in which its text becomes a query.
import { minuteMs } from "@plimsoll/core/internal/values";
import { type LiveSource, liveIntervalMs } from "@plimsoll/core/queries";
import { compileQuery, type Plan } from "@plimsoll/live";
import { rangesOf } from "@plimsoll/prometheus";
import {
  boundJoins,
  type EnforcedQuery,
  type EnforceReason,
  enforceNamespace,
} from "@plimsoll/prometheus/enforce";
import { type ClusterResource, isNamespaceName } from "@plimsoll/rules";
import type { MetricRuleSpec, RuleLive } from "../kind/kind.ts";
import type { CompiledLive, CompiledRule, Decided, Refusal, RefusalReason } from "./compiled.ts";
import { costProblem } from "./cost-problem.ts";
import { type RuleLimits, shownDuration } from "./limits.ts";

/** What rules are compiled against. */
export interface CompileContext {
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  readonly limits: RuleLimits;
  /** By the name of the configuration; undefined when there is none. */
  readonly source: (name: string) => RuleSource | undefined;
  readonly resource: (groupResource: string) => ResourceAnswer;
  /** Whether pods may be scraped [false]. */
  readonly allowsLive?: boolean | undefined;
}

export interface RuleSource {
  serves(namespace: string): boolean;
  /** An enforced query as the source sends it, with labels of its own. Absent: as it is. */
  readonly shown?: ((query: string) => string) | undefined;
}

/** A resource of the cluster; `unknown` when the cluster has none of this name, `pending` when that is unknown yet. */
export type ResourceAnswer = ClusterResource | "unknown" | "pending";

export interface RuleIdentity {
  readonly namespace: string;
  readonly name: string;
}

const pods: ClusterResource = {
  group: "",
  version: "v1",
  resource: "pods",
  singular: "pod",
  kind: "Pod",
  namespaced: true,
};

/** Pure, but for what the context reads. */
export function compileRule(
  { namespace, name }: RuleIdentity,
  spec: MetricRuleSpec,
  context: CompileContext,
): Decided {
  if (!isNamespaceName(namespace)) return refused("InvalidSpec", "metadata.namespace: is not a namespace");
  const source = sourceOf(namespace, spec, context);
  if ("type" in source) return source;
  const object = describedObject(spec, context);
  if ("type" in object) return object;
  const enforced = enforce(namespace, spec.query, context);
  if ("type" in enforced) return enforced;
  const query = boundJoins(enforced);
  const live = spec.live === undefined ? undefined : liveOf(spec.live, query);
  if (live !== undefined && "type" in live) return live;
  const rule: CompiledRule = {
    namespace,
    name,
    metric: spec.metric,
    source: spec.source,
    query: source.shown?.(query) ?? query,
    namespaceLabel: context.namespaceLabel,
    windowSeconds: windowOf(enforced.query),
    object: object.object,
    ...(live === undefined ? {} : { live }),
  };
  return { type: "accepted", rule };
}

type Refused = Extract<Decided, { readonly type: "refused" }>;

/** None is read for a live query. */
function sourceOf(
  namespace: string,
  { source: name, live }: MetricRuleSpec,
  context: CompileContext,
): Pick<RuleSource, "shown"> | Refused {
  if (live !== undefined)
    return context.allowsLive === true
      ? {}
      : refused(
          "LiveDisabled",
          "spec.live: the adapter scrapes no pods: start it with --live-metrics, or remove the field to query Prometheus",
        );
  const source = context.source(name);
  if (source === undefined) {
    const message = `spec.source: unknown source ${JSON.stringify(name)}: use one from the adapter's configuration, or omit the field`;
    return refused("UnknownSource", message);
  }
  if (source.serves(namespace)) return source;
  const message = `spec.source: the source ${JSON.stringify(name)} does not serve the namespace ${namespace}: use another one, or have the namespace added to the source`;
  return refused("SourceNotForNamespace", message);
}

/** Longer windows are what Prometheus is for. */
const maxLiveRangeMs = 5 * minuteMs;

function liveOf(live: RuleLive, query: string): CompiledLive | Refused {
  const plan = planLive(query, live);
  if ("query" in plan) return { ...live, plan };
  return refused(plan.reason, `spec.query: ${plan.message}`);
}

/** Each keeps a list of the series that it matches. */
const maxLiveSelectors = 8;

/** The plan of a query over samples of pods, or why there is none. */
export function planLive(query: string, live: Pick<LiveSource, "interval">): Plan | Refusal {
  const plan = compileQuery(query);
  if (!plan.ok) return { reason: "Unsupported", message: plan.message };
  const { longestRangeMs, selectors } = plan;
  if (selectors.length > maxLiveSelectors) {
    const message = `${selectors.length} selectors are more than the ${maxLiveSelectors} that a live query may have: split it into several`;
    return { reason: "TooCostly", message };
  }
  if (longestRangeMs > maxLiveRangeMs) {
    const message = `a range of ${shownDuration(longestRangeMs)} is longer than the ${shownDuration(maxLiveRangeMs)} that live queries keep: use a shorter one, or remove live to query Prometheus`;
    return { reason: "TooCostly", message };
  }
  const leastMs = 2 * liveIntervalMs(live);
  const short = selectors.find(({ rangeMs }) => rangeMs > 0 && rangeMs < leastMs);
  if (short === undefined) return plan;
  const message = `a range of ${shownDuration(short.rangeMs)} may have a single scrape at an interval of ${live.interval}: use ${shownDuration(leastMs)} or longer, or a shorter live.interval`;
  return { reason: "InvalidSpec", message };
}

/** Why the query of a rule of the file cannot be served from pods; undefined when it can. */
export function liveProblem(query: string, live: Pick<LiveSource, "interval">): string | undefined {
  const plan = planLive(query, live);
  if (!("query" in plan)) return plan.message;
  if (plan.selectors.length === 0) return "it reads no series: use <<.Series>>{<<.LabelMatchers>>}";
  const unnamed = plan.selectors.find(({ name }) => name === undefined);
  return unnamed === undefined
    ? undefined
    : `${unnamed.text} names no metric: use <<.Series>>{<<.LabelMatchers>>}`;
}

function describedObject(
  spec: MetricRuleSpec,
  context: CompileContext,
): { readonly object: CompiledRule["object"] } | Exclude<Decided, { readonly type: "accepted" }> {
  if (spec.type === "External") return { object: undefined };
  if (spec.type === "Pods") return { object: { info: pods, label: spec.label } };
  const info = context.resource(spec.resource);
  if (info === "pending") return { type: "pending" };
  const shown = JSON.stringify(spec.resource);
  if (info === "unknown") {
    const message = `spec.object.resource: the cluster has no resource ${shown}: use its plural and group as "kubectl api-resources" prints them, such as ingresses.networking.k8s.io`;
    return refused("UnknownResource", message);
  }
  if (info.namespaced) return { object: { info, label: spec.label } };
  const message = `spec.object.resource: ${shown} is not namespaced: a MetricRule describes objects of its namespace only`;
  return refused("ResourceNotNamespaced", message);
}

const reasons: Readonly<Record<EnforceReason, RefusalReason>> = {
  InvalidLabel: "InvalidSpec",
  InvalidNamespace: "InvalidSpec",
  TooLarge: "TooCostly",
  Syntax: "Unparsable",
  Unsupported: "Unsupported",
  NamespaceMatcher: "NamespaceMatcher",
};

/** Of `[1h:]`. The server takes its own evaluation interval, 30 s in kube-prometheus. */
const assumedStepMs = 30_000;

function enforce(
  namespace: string,
  query: string,
  { namespaceLabel, limits }: CompileContext,
): EnforcedQuery | ReturnType<typeof refused> {
  const enforced = enforceNamespace(query, {
    label: namespaceLabel,
    namespace,
    limits: { selectors: limits.maxSelectors },
    defaultStepMs: assumedStepMs,
  });
  if (!enforced.ok) {
    const { reason, message, from } = enforced;
    return refused(reasons[reason], `spec.query: ${message} (at character ${from + 1})`);
  }
  const problem = costProblem(query, enforced, limits);
  return problem === undefined ? enforced : refused(problem.reason, `spec.query: ${problem.message}`);
}

function windowOf(query: string): number | undefined {
  const [rangeMs, ...more] = rangesOf(query);
  if (rangeMs === undefined || more.length > 0 || !(rangeMs >= 1_000)) return undefined;
  return Math.round(rangeMs / 1_000);
}

function refused(reason: RefusalReason, message: string): Refused {
  return { type: "refused", refusal: { reason, message } };
}
