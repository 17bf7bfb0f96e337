// The rules that could not be checked, by reason.
import type { SkippedRule } from "@plimsoll/doctor";

export interface SkippedGroup {
  readonly ids: readonly string[];
  readonly reason: string;
  /** Empty for what is about the cluster. */
  readonly objects: readonly string[];
}

/** Rules that could not be checked for one reason, on the same objects. */
export function groupsOf(skipped: readonly SkippedRule[]): readonly SkippedGroup[] {
  const byRule = new Map<string, { id: string; reason: string; objects: Set<string> }>();
  for (const { id, reason, object } of skipped) {
    const key = `${id} ${reason}`;
    const known = byRule.get(key) ?? { id, reason, objects: new Set<string>() };
    if (object.kind !== "Cluster") known.objects.add(`${object.namespace}/${object.name}`);
    byRule.set(key, known);
  }
  const groups = new Map<string, { ids: string[]; reason: string; objects: readonly string[] }>();
  for (const { id, reason, objects } of [...byRule.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    const names = [...objects];
    const key = `${reason} ${names.join()}`;
    const known = groups.get(key);
    if (known === undefined) groups.set(key, { ids: [id], reason, objects: names });
    else known.ids.push(id);
  }
  return [...groups.values()];
}
