// The resources of a version together with those that other adapters list. Our own win.
import type { ListedNames } from "@plimsoll/federation";
import { type ApiResource, byName, metricRow } from "./rows.ts";

/** What an empty list shows, which others replace. */
const placeholders: ReadonlySet<string> = new Set(["custommetrics", "externalmetrics"]);

/** Merged again when one of both changes: the same array means the same rows. */
export function withFederated(
  own: () => readonly ApiResource[],
  federated: () => ListedNames,
  kind: string,
): () => readonly ApiResource[] {
  let last: { own: readonly ApiResource[]; names: ListedNames; rows: readonly ApiResource[] } | undefined;
  return () => {
    const [ours, names] = [own(), federated()];
    if (last?.own !== ours || last.names !== names)
      last = { own: ours, names, rows: merge(ours, names, kind) };
    return last.rows;
  };
}

function merge(own: readonly ApiResource[], names: ListedNames, kind: string): readonly ApiResource[] {
  if (names.size === 0) return own;
  const rows = new Map(own.filter(({ name }) => !placeholders.has(name)).map((row) => [row.name, row]));
  // One scope for a resource: clients refuse a document that gives it two.
  const scopes = new Map([...rows.values()].map(({ name, namespaced }) => [resourceOf(name), namespaced]));
  for (const [name, isNamespaced] of names) {
    if (rows.has(name)) continue;
    const resource = resourceOf(name);
    const namespaced = scopes.get(resource) ?? isNamespaced;
    scopes.set(resource, namespaced);
    rows.set(name, metricRow(name, kind, namespaced));
  }
  return [...rows.values()].sort(byName);
}

/** A metric of no object is a resource by itself. */
function resourceOf(name: string): string {
  return name.split("/")[0] ?? name;
}
