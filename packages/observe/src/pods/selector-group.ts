import { getOrAdd } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { PodView } from "./pod-view.ts";

/** One selector of a namespace, the HPAs that use it and the pods that it matches. */
export interface SelectorGroup {
  readonly text: string;
  readonly selector: Selector;
  readonly hpas: Set<string>;
  readonly pods: Map<string, PodView>;
  /** The pods as a list; undefined when they have changed since it was made. */
  listed: readonly PodView[] | undefined;
}

/** Finds the groups that a set of labels may belong to without trying all of them. */
export type GroupIndex = ReturnType<typeof createGroupIndex>;

export function createGroupIndex() {
  /** Every group is filed under the pairs of one requirement, one of which a matching pod must have. */
  const byPair = new Map<string, Set<SelectorGroup>>();
  const unfiled = new Set<SelectorGroup>();

  return {
    add(group: SelectorGroup): void {
      const pairs = pairsOf(group.selector);
      if (pairs === undefined) unfiled.add(group);
      for (const pair of pairs ?? []) getOrAdd(byPair, pair, () => new Set()).add(group);
    },
    remove(group: SelectorGroup): void {
      unfiled.delete(group);
      for (const pair of pairsOf(group.selector) ?? []) {
        const groups = byPair.get(pair);
        groups?.delete(group);
        if (groups?.size === 0) byPair.delete(pair);
      }
    },
    matching(labels: Readonly<Record<string, string>> | undefined): readonly SelectorGroup[] {
      const found: SelectorGroup[] = [];
      for (const group of unfiled) if (group.selector.matches(labels)) found.push(group);
      for (const [key, value] of Object.entries(labels ?? {})) {
        for (const group of byPair.get(pairText(key, value)) ?? []) {
          if (group.selector.matches(labels)) found.push(group);
        }
      }
      return found;
    },
  };
}

function pairsOf(selector: Selector): readonly string[] | undefined {
  const requirement = selector.requirements.find(({ operator }) => operator === "=" || operator === "in");
  if (requirement === undefined) return undefined;
  return [...new Set(requirement.values)].map((value) => pairText(requirement.key, value));
}

function pairText(key: string, value: string): string {
  return `${key}\u0000${value}`;
}
