import type { Change, Selector } from "@plimsoll/kube";
import type { PodView } from "./pod-view.ts";
import { createGroupIndex, type GroupIndex, type SelectorGroup } from "./selector-group.ts";

/**
 * Pods by the selectors of the HPAs: a pod is matched once, when it changes, and not once per evaluation. The same
 * index tells which HPAs select the same pods.
 */
export interface PodIndex {
  /** Files this HPA's selector, replacing its former one, and returns the pods that it matches. */
  select(namespace: string, hpaKey: string, selector: Selector): readonly PodView[];
  /** All HPAs that select a pod of this HPA, itself included, sorted; empty unless there are at least two. */
  ambiguousWith(namespace: string, hpaKey: string): readonly string[];
  /** Whether a few selectors want most of the namespace's pods: one question for all is cheaper then. */
  isWorthBatch(namespace: string): boolean;
  /** Forgets the HPA's selector. */
  drop(namespace: string, hpaKey: string): void;
  /** To be told of every change of a pod. */
  apply(change: Change<PodView>): void;
}

interface NamespaceIndex {
  readonly groups: Map<string, SelectorGroup>;
  readonly groupOfHpa: Map<string, SelectorGroup>;
  readonly index: GroupIndex;
  /** Pods that more than one group matches. */
  readonly shared: Map<string, readonly SelectorGroup[]>;
  /** Evaluations until the worth of a batch is looked at again. */
  batch: { isWorth: boolean; left: number };
}

const leastGroups = 4;

export function createPodIndex(
  listPods: (namespace: string) => readonly PodView[],
  /** HPAs of a namespace, those included whose selector is not known yet. */
  countHpas: (namespace: string) => number = () => 0,
): PodIndex {
  const namespaces = new Map<string, NamespaceIndex>();
  return { select, ambiguousWith, isWorthBatch, drop, apply };

  function select(namespace: string, hpaKey: string, selector: Selector): readonly PodView[] {
    const space = spaceOf(namespace);
    const text = selector.toString();
    const former = space.groupOfHpa.get(hpaKey);
    if (former !== undefined && former.text !== text) drop(namespace, hpaKey);
    const group = spaceOf(namespace).groups.get(text) ?? open(namespace, text, selector);
    group.hpas.add(hpaKey);
    spaceOf(namespace).groupOfHpa.set(hpaKey, group);
    group.listed ??= [...group.pods.values()];
    return group.listed;
  }

  function open(namespace: string, text: string, selector: Selector): SelectorGroup {
    const space = spaceOf(namespace);
    const group: SelectorGroup = { text, selector, hpas: new Set(), pods: new Map(), listed: undefined };
    space.groups.set(text, group);
    space.index.add(group);
    for (const pod of listPods(namespace)) {
      if (!selector.matches(pod.metadata.labels)) continue;
      group.pods.set(pod.metadata.name, pod);
      share(space, pod);
    }
    return group;
  }

  function ambiguousWith(namespace: string, hpaKey: string): readonly string[] {
    const space = namespaces.get(namespace);
    const group = space?.groupOfHpa.get(hpaKey);
    if (space === undefined || group === undefined || group.pods.size === 0) return [];
    const hpas = new Set(group.hpas);
    if (space.shared.size > 0) {
      for (const name of group.pods.keys()) {
        for (const other of space.shared.get(name) ?? []) for (const key of other.hpas) hpas.add(key);
      }
    }
    return hpas.size > 1 ? [...hpas].sort() : [];
  }

  function isWorthBatch(namespace: string): boolean {
    const space = namespaces.get(namespace);
    if (space === undefined) return false;
    if (space.batch.left-- <= 0) {
      const { size } = space.groups;
      let wanted = 0;
      for (const { pods } of space.groups.values()) wanted += pods.size;
      // At the start few are known: the others are taken for alike, or each of them would ask for itself.
      const groups = Math.max(size, countHpas(namespace));
      const isWorth = groups >= leastGroups && (wanted / size) * groups * 2 >= listPods(namespace).length;
      space.batch = { isWorth, left: size };
    }
    return space.batch.isWorth;
  }

  function drop(namespace: string, hpaKey: string): void {
    const space = namespaces.get(namespace);
    const group = space?.groupOfHpa.get(hpaKey);
    if (space === undefined || group === undefined) return;
    space.groupOfHpa.delete(hpaKey);
    group.hpas.delete(hpaKey);
    if (group.hpas.size > 0) return;
    space.groups.delete(group.text);
    space.index.remove(group);
    for (const pod of group.pods.values()) share(space, pod);
    if (space.groups.size === 0) namespaces.delete(namespace);
  }

  function apply(change: Change<PodView>): void {
    const { metadata } = change.object;
    const space = namespaces.get(metadata.namespace ?? "");
    if (space === undefined) return;
    const before = change.previous === undefined ? space.groups.values() : matching(space, change.previous);
    const after = change.type === "deleted" ? [] : matching(space, change.object);
    for (const group of before) {
      if (after.includes(group) || !group.pods.delete(metadata.name)) continue;
      group.listed = undefined;
    }
    for (const group of after) {
      group.pods.set(metadata.name, change.object);
      group.listed = undefined;
    }
    if (change.type === "deleted") {
      space.shared.delete(metadata.name);
      return;
    }
    share(space, change.object);
  }

  function share(space: NamespaceIndex, pod: PodView): void {
    const groups = matching(space, pod);
    if (groups.length > 1) space.shared.set(pod.metadata.name, groups);
    else space.shared.delete(pod.metadata.name);
  }

  function spaceOf(namespace: string): NamespaceIndex {
    const known = namespaces.get(namespace);
    if (known !== undefined) return known;
    const space: NamespaceIndex = {
      groups: new Map(),
      groupOfHpa: new Map(),
      index: createGroupIndex(),
      shared: new Map(),
      batch: { isWorth: false, left: 0 },
    };
    namespaces.set(namespace, space);
    return space;
  }
}

function matching(space: NamespaceIndex, pod: PodView): readonly SelectorGroup[] {
  return space.index.matching(pod.metadata.labels);
}
