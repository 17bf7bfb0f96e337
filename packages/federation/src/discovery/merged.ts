// The lists of all backends as one: a name that several list belongs to the first.
import type { FederatedGroup } from "../config/federation-config.ts";
import type { ListedNames } from "./read-list.ts";

/** What one backend lists. */
export interface NamedList {
  readonly backend: string;
  readonly names: ListedNames;
}

/** Of all backends together: kube-apiserver reads the whole list, and autoscalers need none of it. */
const maxRows = 20_000;

/** The names with whether they are in namespaces, and those that more than one backend lists. */
export interface MergedList {
  readonly rows: ListedNames;
  readonly shared: readonly { readonly name: string; readonly owner: string; readonly other: string }[];
  /** How many are not among the rows, because there are too many. They are served all the same. */
  readonly omitted: number;
}

/** @param lists In the order of the file. */
export function mergeLists(lists: readonly NamedList[]): MergedList {
  const rows = new Map<string, boolean>();
  const owners = new Map<string, string>();
  const shared: { readonly name: string; readonly owner: string; readonly other: string }[] = [];
  for (const { backend, names } of lists) {
    for (const [name, namespaced] of names) {
      const owner = owners.get(name);
      if (owner !== undefined) {
        shared.push({ name, owner, other: backend });
        continue;
      }
      owners.set(name, backend);
      if (rows.size < maxRows) rows.set(name, namespaced);
    }
  }
  return { rows, shared, omitted: owners.size - rows.size };
}

/** The merged list of each group, made again when one of its parts changes. */
export function createMerged(
  listsOf: (group: FederatedGroup) => readonly NamedList[],
  onMerged: (group: FederatedGroup, merged: MergedList) => void,
): (group: FederatedGroup) => ListedNames {
  const made = new Map<FederatedGroup, { readonly of: readonly NamedList[]; readonly rows: ListedNames }>();
  return (group) => {
    const of = listsOf(group);
    const last = made.get(group);
    if (last?.of.every(({ names }, index) => names === of[index]?.names) === true) return last.rows;
    const merged = mergeLists(of);
    made.set(group, { of, rows: merged.rows });
    onMerged(group, merged);
    return merged.rows;
  };
}
