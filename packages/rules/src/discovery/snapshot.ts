// An immutable snapshot of all metrics that the rules found.
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { ClusterResource } from "../naming/cluster-resource.ts";
import type { CustomEntry, ExternalEntry } from "./discover.ts";

/** A metric of objects, as the API lists it. */
export interface MetricInfo {
  /** Plural resource with its group: "pods", "deployments.apps", "ingresses.networking.k8s.io". */
  readonly groupResource: string;
  readonly namespaced: boolean;
  readonly metric: string;
}

/** What a rule turned out to be about. */
export interface RuleFindings {
  readonly custom: readonly CustomEntry[];
  readonly external: readonly ExternalEntry[];
}

/** Everything that can be requested, as of one relist. Never changes: the next relist makes another. */
export interface RegistrySnapshot {
  readonly infos: readonly MetricInfo[];
  readonly externalNames: readonly string[];
  custom(groupResource: string, metric: string): CustomEntry | undefined;
  /** By exact name, else by the only name that differs in case alone: controllers send names in lower case. */
  external(metric: string): ExternalEntry | undefined;
  /** Entries that were displaced by another of the same name. */
  readonly collisions: readonly Collision[];
}

export interface Collision {
  readonly metric: string;
  readonly groupResource: string | undefined;
  readonly kept: { readonly rule: string; readonly series: string };
  readonly dropped: { readonly rule: string; readonly series: string };
}

/** Later findings win over earlier ones of the same name, as they always did; each such case is recorded. */
export function createSnapshot(findings: readonly RuleFindings[]): RegistrySnapshot {
  const custom = new Map<string, CustomEntry>();
  const external = new Map<string, ExternalEntry>();
  const collisions: Collision[] = [];
  for (const entry of findings.flatMap((finding) => finding.custom)) {
    const key = customKey(groupResource(entry.info), entry.metric);
    noteCollision(collisions, custom.get(key), entry, groupResource(entry.info));
    custom.set(key, entry);
  }
  for (const entry of findings.flatMap((finding) => finding.external)) {
    noteCollision(collisions, external.get(entry.metric), entry, undefined);
    external.set(entry.metric, entry);
  }
  const foldedNames = Map.groupBy(external.keys(), (name) => name.toLowerCase());
  const infos = [...custom.values()].map(({ info, metric }) => ({
    groupResource: groupResource(info),
    namespaced: info.namespaced,
    metric,
  }));
  return {
    infos: infos.sort((a, b) => compare(a.groupResource, b.groupResource) || compare(a.metric, b.metric)),
    externalNames: [...external.keys()].sort(compare),
    custom: (resource, metric) => custom.get(customKey(resource, metric)),
    external(metric) {
      const exact = external.get(metric);
      if (exact !== undefined) return exact;
      const [only, ...others] = foldedNames.get(metric.toLowerCase()) ?? [];
      return only === undefined || others.length > 0 ? undefined : external.get(only);
    },
    collisions,
  };
}

/** Of no rule. */
export const emptySnapshot: RegistrySnapshot = createSnapshot([]);

interface Named {
  readonly metric: string;
  readonly series: string;
  readonly rule: CompiledRule;
}

function noteCollision(
  collisions: Collision[],
  dropped: Named | undefined,
  kept: Named,
  groupResource: string | undefined,
): void {
  if (dropped === undefined || (dropped.series === kept.series && dropped.rule === kept.rule)) return;
  collisions.push({
    metric: kept.metric,
    groupResource,
    kept: { rule: kept.rule.path, series: kept.series },
    dropped: { rule: dropped.rule.path, series: dropped.series },
  });
}

function groupResource(info: ClusterResource): string {
  return info.group === "" ? info.resource : `${info.resource}.${info.group}`;
}

function customKey(resource: string, metric: string): string {
  return `${resource}\u0000${metric}`;
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
