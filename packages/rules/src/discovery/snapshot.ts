// An immutable snapshot of all metrics that the rules found.
import { compareText } from "@plimsoll/core/internal/values";
import type { CompiledRule } from "../compile/compiled-rules.ts";
import type { CustomEntry, ExternalEntry, MetricInfo } from "./discover.ts";
import { inSlices } from "./slices.ts";

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
  const building = startSnapshot();
  for (const { custom, external } of findings) {
    for (const entry of custom) building.custom(entry);
    for (const entry of external) building.external(entry);
  }
  return building.end();
}

/** The same in slices, between which requests are served. */
export async function createSnapshotInSlices(findings: readonly RuleFindings[]): Promise<RegistrySnapshot> {
  const building = startSnapshot();
  for (const { custom, external } of findings) {
    await inSlices(custom, building.custom);
    await inSlices(external, building.external);
  }
  return building.end();
}

function startSnapshot() {
  /** By resource, then by metric: keys of both together would be a string more for each metric. */
  const custom = new Map<string, Map<string, CustomEntry>>();
  const external = new Map<string, ExternalEntry>();
  const foldedNames = new Map<string, string[]>();
  const collisions: Collision[] = [];
  return {
    custom(entry: CustomEntry): void {
      const { groupResource } = entry;
      const ofResource = custom.get(groupResource) ?? new Map<string, CustomEntry>();
      custom.set(groupResource, ofResource);
      noteCollision(collisions, ofResource.get(entry.metric), entry, groupResource);
      ofResource.set(entry.metric, entry);
    },
    external(entry: ExternalEntry): void {
      const { metric } = entry;
      const known = external.get(metric);
      noteCollision(collisions, known, entry, undefined);
      external.set(metric, entry);
      const folded = metric.toLowerCase();
      if (known === undefined && foldedNames.get(folded)?.push(metric) === undefined)
        foldedNames.set(folded, [metric]);
    },
    end(): RegistrySnapshot {
      const resources = [...custom].sort(([a], [b]) => compareText(a, b));
      return {
        infos: resources.flatMap(([, entries]) =>
          [...entries.values()].sort((a, b) => compareText(a.metric, b.metric)),
        ),
        externalNames: [...external.keys()].sort(compareText),
        custom: (resource, metric) => custom.get(resource)?.get(metric),
        external(metric) {
          const exact = external.get(metric);
          if (exact !== undefined) return exact;
          const [only, ...others] = foldedNames.get(metric.toLowerCase()) ?? [];
          return only === undefined || others.length > 0 ? undefined : external.get(only);
        },
        collisions,
      };
    },
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
