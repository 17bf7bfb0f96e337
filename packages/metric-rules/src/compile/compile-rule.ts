// Compiles a MetricRule: the one place in which its text becomes a query.
import { rangesOf } from "@plimsoll/prometheus";
import {
  boundJoins,
  type EnforcedQuery,
  type EnforceReason,
  enforceNamespace,
} from "@plimsoll/prometheus/enforce";
import { type ClusterResource, isNamespaceName } from "@plimsoll/rules";
import type { MetricRuleSpec } from "../kind/kind.ts";
import type { CompiledRule, Decided, RefusalReason } from "./compiled.ts";
import { costProblem } from "./cost-problem.ts";
import type { RuleLimits } from "./limits.ts";

/** What rules are compiled against. */
export interface CompileContext {
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  readonly limits: RuleLimits;
  /** By the name of the configuration; undefined when there is none. */
  readonly source: (name: string) => RuleSource | undefined;
  readonly resource: (groupResource: string) => ResourceAnswer;
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
  const source = context.source(spec.source);
  if (source === undefined) {
    const message = `spec.source: unknown source ${JSON.stringify(spec.source)}: use one from the adapter's configuration, or omit the field`;
    return refused("UnknownSource", message);
  }
  if (!source.serves(namespace)) {
    const message = `spec.source: the source ${JSON.stringify(spec.source)} does not serve the namespace ${namespace}: use another one, or have the namespace added to the source`;
    return refused("SourceNotForNamespace", message);
  }
  const object = describedObject(spec, context);
  if ("type" in object) return object;
  const enforced = enforce(namespace, spec.query, context);
  if ("type" in enforced) return enforced;
  const query = boundJoins(enforced);
  const rule: CompiledRule = {
    namespace,
    name,
    metric: spec.metric,
    source: spec.source,
    query: source.shown?.(query) ?? query,
    namespaceLabel: context.namespaceLabel,
    windowSeconds: windowOf(enforced.query),
    object: object.object,
  };
  return { type: "accepted", rule };
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

function refused(reason: RefusalReason, message: string): Extract<Decided, { readonly type: "refused" }> {
  return { type: "refused", refusal: { reason, message } };
}
