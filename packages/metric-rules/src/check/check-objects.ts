// Decides on MetricRules of a file, as the adapter would on those of a cluster.
import type { KubeObject } from "@plimsoll/kube";
import { decideNamespace } from "../catalog/decide-namespace.ts";
import { compileWatched } from "../catalog/watched-rules.ts";
import type { CompileContext } from "../compile/compile-rule.ts";
import type { Decided } from "../compile/compiled.ts";
import { defaultRuleLimits, queriesOverLimit, rulesOverLimit } from "../compile/limits.ts";
import type { WatchedRule } from "../kind/kind.ts";
import { projectRule } from "../kind/project.ts";
import { projectQueries } from "../queries/project.ts";
import { compileQuery } from "../queries/watched-queries.ts";

/** A rule of a file, and what the adapter would make of it. */
export interface CheckedRule {
  readonly namespace: string;
  readonly name: string;
  readonly decided: Exclude<Decided, { readonly type: "pending" }>;
}

export interface CheckOptions {
  readonly namespaceLabel: string;
  /** Of objects that name none. */
  readonly namespace: string;
}

/**
 * Sources and resources are those of a cluster, which no file has: any source serves, and every resource is taken for a
 * namespaced one of this name. Objects with one name and namespace count as one, the last of them.
 */
export function checkRuleObjects(
  objects: readonly KubeObject[],
  options: CheckOptions,
): readonly CheckedRule[] {
  const rules = objects.map(projectRule);
  return checked(rules, options, { compile: compileWatched, overLimit: rulesOverLimit(rulesPerNamespace) });
}

/** The same of the queries of WorkloadAutoscalers, each under the name that it is served with. */
export function checkQueryObjects(
  objects: readonly KubeObject[],
  options: CheckOptions,
): readonly CheckedRule[] {
  const rules = objects.flatMap((object) => projectQueries(object).queries);
  return checked(rules, options, { compile: compileQuery, overLimit: queriesOverLimit(rulesPerNamespace) });
}

const { rulesPerNamespace } = defaultRuleLimits;

function checked(
  objects: readonly WatchedRule[],
  { namespaceLabel, namespace }: CheckOptions,
  {
    compile,
    overLimit,
  }: {
    readonly compile: (rule: WatchedRule, context: CompileContext) => Decided;
    readonly overLimit: string;
  },
): readonly CheckedRule[] {
  const context: CompileContext = {
    namespaceLabel,
    limits: defaultRuleLimits,
    source: () => ({ serves: () => true }),
    resource: assumedResource,
    allowsLive: true,
  };
  const rules = objects.map((rule) => ({ ...rule, metadata: { namespace, ...rule.metadata } }));
  const last = new Map(rules.map((rule) => [`${rule.metadata.namespace}/${rule.metadata.name}`, rule]));
  const byNamespace = Map.groupBy(last.values(), ({ metadata }) => metadata.namespace);
  return [...byNamespace].flatMap(([name, some]) => {
    const decisions = decideNamespace(some, {
      rulesPerNamespace,
      compile: (rule) => compile(rule, context),
      overLimit,
    });
    return [...decisions].flatMap(([rule, decided]) =>
      decided.type === "pending" ? [] : [{ namespace: name, name: rule, decided }],
    );
  });
}

/** `ingresses.networking.k8s.io` in its usual version. */
function assumedResource(groupResource: string): ReturnType<CompileContext["resource"]> {
  const [resource = "", ...group] = groupResource.split(".");
  const names = { resource, singular: resource, kind: resource };
  return { ...names, group: group.join("."), version: "v1", namespaced: true };
}
