// An index of pods by the selectors of HPAs.
import { isDeepStrictEqual } from "node:util";
import { getOrAdd, type KeyedEntries } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { Change } from "@plimsoll/kube";
import type { PodView } from "./pod-view.ts";
import { createGroupIndex, type GroupIndex, type SelectorGroup } from "./selector-group.ts";

/**
 * Pods by the selectors of the HPAs: a pod is matched once, when it changes, and not once per evaluation. The same
 * index knows which HPAs select the same pods.
 */
export interface PodIndex {
  /** Files this HPA's selector, replacing its former one, and returns the pods that it matches. */
  select(namespace: string, hpaKey: string, selector: Selector): readonly PodView[];
  /**
   * HPAs that select a pod of this HPA and count, itself and some others, sorted; empty unless there are at least two.
   */
  ambiguousWith(namespace: string, hpaKey: string, counts?: (key: string) => boolean): readonly string[];
  /** The selectors of a namespace where they want most of its pods: one batched query is cheaper then. 0 elsewhere. */
  batchedSelectors(namespace: string): number;
  /** Forgets the HPA's selector. */
  drop(namespace: string, hpaKey: string): void;
  /** Must be called with every change of a pod. */
  apply(change: Change<PodView>): void;
  /** The HPAs whose selectors are filed. */
  readonly entries: KeyedEntries;
}

interface NamespaceIndex {
  readonly groups: Map<string, SelectorGroup>;
  readonly groupOfHpa: Map<string, SelectorGroup>;
  readonly index: GroupIndex;
  /** Pods that more than one group matches. */
  readonly shared: Map<string, Set<SelectorGroup>>;
  /** Evaluations until the worth of a batch is looked at again. */
  batch: { isWorth: boolean; left: number };
}

/** Max number of objects that the message of an object names: with thousands, all in each would be millions. */
export const maxNamed = 20;

const minGroups = 4;
/** Selectors and objects that one lookup examines: there may be thousands over the same pods. */
const maxSteps = 20_000;

interface State {
  readonly namespaces: Map<string, NamespaceIndex>;
  readonly listPods: (namespace: string) => readonly PodView[];
  /** HPAs of a namespace, those included whose selector is unknown yet. */
  readonly countHpas: (namespace: string) => number;
}

export function createPodIndex(
  listPods: State["listPods"],
  countHpas: State["countHpas"] = () => 0,
): PodIndex {
  const state: State = { namespaces: new Map(), listPods, countHpas };
  return {
    select: (namespace, hpaKey, selector) => select(state, namespace, hpaKey, selector),
    ambiguousWith: (namespace, hpaKey, counts = () => true) =>
      ambiguousWith(state.namespaces.get(namespace), hpaKey, counts),
    batchedSelectors: (namespace) =>
      isWorthBatch(state, namespace) ? (state.namespaces.get(namespace)?.groups.size ?? 0) : 0,
    drop: (namespace, hpaKey) => drop(state, namespace, hpaKey),
    apply: (change) => apply(state, change),
    entries: {
      get size() {
        let sum = 0;
        for (const { groupOfHpa } of state.namespaces.values()) sum += groupOfHpa.size;
        return sum;
      },
      *keys() {
        for (const { groupOfHpa } of state.namespaces.values()) yield* groupOfHpa.keys();
      },
    },
  };
}

function select(state: State, namespace: string, hpaKey: string, selector: Selector): readonly PodView[] {
  const text = selector.toString();
  const former = spaceOf(state, namespace).groupOfHpa.get(hpaKey);
  if (former !== undefined && former.text !== text) drop(state, namespace, hpaKey);
  // Without the former one the namespace may have gone.
  const space = spaceOf(state, namespace);
  const group = space.groups.get(text) ?? open(space, { text, selector }, state.listPods(namespace));
  group.hpas.add(hpaKey);
  space.groupOfHpa.set(hpaKey, group);
  group.listed ??= [...group.pods.values()];
  return group.listed;
}

function open(
  space: NamespaceIndex,
  { text, selector }: Pick<SelectorGroup, "text" | "selector">,
  pods: readonly PodView[],
): SelectorGroup {
  const group: SelectorGroup = { text, selector, hpas: new Set(), pods: new Map(), listed: undefined };
  space.groups.set(text, group);
  space.index.add(group);
  for (const pod of pods) {
    if (!selector.matches(pod.metadata.labels)) continue;
    const { name } = pod.metadata;
    group.pods.set(name, pod);
    // Once known to be shared, a pod is not matched against all the others again.
    const known = space.shared.get(name);
    if (known === undefined) shareAmong(space, name, new Set(matching(space, pod)));
    else known.add(group);
  }
  return group;
}

function ambiguousWith(
  space: NamespaceIndex | undefined,
  hpaKey: string,
  counts: (key: string) => boolean,
): readonly string[] {
  const group = space?.groupOfHpa.get(hpaKey);
  if (space === undefined || group === undefined || group.pods.size === 0) return [];
  const hpas = new Set([hpaKey]);
  for (const key of neighborsOf(space, group)) {
    if (hpas.size >= maxNamed) break;
    if (key === hpaKey || counts(key)) hpas.add(key);
  }
  return hpas.size > 1 ? [...hpas].sort() : [];
}

/** Objects that select one of the group's pods, found in a bounded number of steps however many there are. */
function* neighborsOf(space: NamespaceIndex, group: SelectorGroup): Generator<string> {
  let steps = maxSteps;
  const seen = new Set<SelectorGroup>([group]);
  for (const key of group.hpas) {
    if (steps-- <= 0) return;
    yield key;
  }
  if (space.shared.size === 0) return;
  for (const name of group.pods.keys()) {
    for (const other of space.shared.get(name) ?? []) {
      if (steps-- <= 0) return;
      if (seen.has(other)) continue;
      seen.add(other);
      for (const key of other.hpas) {
        if (steps-- <= 0) return;
        yield key;
      }
    }
  }
}

function isWorthBatch({ namespaces, listPods, countHpas }: State, namespace: string): boolean {
  const space = namespaces.get(namespace);
  if (space === undefined) return false;
  if (space.batch.left-- <= 0) {
    const { size } = space.groups;
    let wanted = 0;
    for (const { pods } of space.groups.values()) wanted += pods.size;
    // At the start few are known: the others are taken for alike, or each of them would query for itself.
    const groups = Math.max(size, countHpas(namespace));
    const isWorth = groups >= minGroups && (wanted / size) * groups * 2 >= listPods(namespace).length;
    space.batch = { isWorth, left: size };
  }
  return space.batch.isWorth;
}

function drop({ namespaces }: State, namespace: string, hpaKey: string): void {
  const space = namespaces.get(namespace);
  const group = space?.groupOfHpa.get(hpaKey);
  if (space === undefined || group === undefined) return;
  space.groupOfHpa.delete(hpaKey);
  group.hpas.delete(hpaKey);
  if (group.hpas.size > 0) return;
  space.groups.delete(group.text);
  space.index.remove(group);
  for (const name of group.pods.keys()) {
    const groups = space.shared.get(name);
    groups?.delete(group);
    if (groups !== undefined && groups.size < 2) space.shared.delete(name);
  }
  if (space.groups.size === 0) namespaces.delete(namespace);
}

function apply({ namespaces }: State, change: Change<PodView>): void {
  const { metadata } = change.object;
  const space = namespaces.get(metadata.namespace ?? "");
  if (space === undefined) return;
  const after = change.type === "deleted" ? [] : matching(space, change.object);
  const kept = new Set(after);
  for (const group of groupsBefore(space, change, after)) {
    if (kept.has(group) || !group.pods.delete(metadata.name)) continue;
    group.listed = undefined;
  }
  for (const group of after) {
    group.pods.set(metadata.name, change.object);
    group.listed = undefined;
  }
  shareAmong(space, metadata.name, kept);
}

function shareAmong(space: NamespaceIndex, name: string, groups: Set<SelectorGroup>): void {
  if (groups.size > 1) space.shared.set(name, groups);
  else space.shared.delete(name);
}

function spaceOf({ namespaces }: State, namespace: string): NamespaceIndex {
  return getOrAdd(namespaces, namespace, () => ({
    groups: new Map(),
    groupOfHpa: new Map(),
    index: createGroupIndex(),
    shared: new Map(),
    batch: { isWorth: false, left: 0 },
  }));
}

/** Those that may have the pod; most changes leave its labels as they are. */
function groupsBefore(
  space: NamespaceIndex,
  { type, previous, object }: Change<PodView>,
  after: readonly SelectorGroup[],
): Iterable<SelectorGroup> {
  if (previous === undefined) return space.groups.values();
  const isSame = type !== "deleted" && isDeepStrictEqual(previous.metadata.labels, object.metadata.labels);
  return isSame ? after : matching(space, previous);
}

function matching(space: NamespaceIndex, pod: PodView): readonly SelectorGroup[] {
  return space.index.matching(pod.metadata.labels);
}
