// A catalog as the API server has it: the objects of one kind listed once, and followed from then on.
import type { Clock } from "@plimsoll/component-base";
import { group } from "@plimsoll/core/internal/objects";
import {
  createReflector,
  type KubeClient,
  type KubeObject,
  type LeftOut,
  type Reflector,
  type ReportLeftOut,
  resourcePath,
} from "@plimsoll/kube";
import { version, type WatchedRule } from "../kind/kind.ts";
import type { Catalog } from "./catalog.ts";
import { createFollower } from "./follow.ts";
import type { Presence, RulesPresence } from "./presence.ts";

/** Objects that bring rules. */
export interface WatchedKind<T extends KubeObject> {
  readonly resource: string;
  readonly project: (raw: KubeObject) => T;
  readonly rulesOf: (object: T) => readonly WatchedRule[];
  /** Whether a change leaves the rules as they were. */
  readonly isUnchanged: (before: T, after: T) => boolean;
}

export interface WatchedKindOptions<T extends KubeObject> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random?: (() => number) | undefined;
  readonly leftOut?: ReportLeftOut | undefined;
  readonly kind: WatchedKind<T>;
  readonly presence: Presence;
  readonly catalog: Catalog;
  /** The decision on these rules is new. */
  readonly onDecided: (namespace: string, rules: readonly WatchedRule[]) => void;
  readonly onDeleted: (object: T) => void;
}

/** The objects of a kind, their rules decided on. */
export interface Watched<T extends KubeObject> {
  /** `starting` also while the rules of the first list have not been decided on. */
  state(): RulesPresence;
  get(namespace: string, name: string): T | undefined;
  /** Objects of a namespace that are too large, or cannot be read. */
  leftOut(namespace: string): readonly LeftOut[];
  /** Decides once more on what waits for a resource of the cluster. */
  updateDependent(): void;
  /** What rules are compiled against has changed: all are decided on once more. */
  compileAll(): void;
  start(): void;
  stop(): Promise<void>;
}

/** How often it is seen whether the definition came or went, and whether resources of the cluster did. */
const checkMs = 10_000;

export function watchKind<T extends KubeObject>(options: WatchedKindOptions<T>): Watched<T> {
  const { clock, kind, presence, catalog, onDecided, onDeleted } = options;
  const reflector = reflect(options);
  const isMissing = (): boolean => presence.state(reflector) === "missing";
  /** Namespaces of the first list that have not been decided on. */
  const firstList = new Set<string>();
  const follower = createFollower({
    clock,
    update(namespace) {
      const objects = isMissing() ? [] : reflector.store.list(namespace);
      firstList.delete(namespace);
      onDecided(namespace, catalog.update(namespace, objects.flatMap(kind.rulesOf)));
    },
  });
  reflector.subscribe(({ object, previous, type }) => {
    const { namespace = "" } = object.metadata;
    const hasRules = [object, ...(previous === undefined ? [] : [previous])].some(
      (one) => kind.rulesOf(one).length > 0,
    );
    const isSame = type === "modified" && previous !== undefined && kind.isUnchanged(previous, object);
    if (!hasRules || isSame) return;
    if (!reflector.isSynced) firstList.add(namespace);
    follower.changed(namespace);
    if (type === "deleted") onDeleted(object);
  });
  const updateDependent = (): void => {
    for (const namespace of catalog.namespaces())
      if (catalog.dependsOnCluster(namespace)) follower.changed(namespace);
  };
  const updateAll = (): void => {
    for (const { metadata } of reflector.store.list()) follower.changed(metadata.namespace ?? "");
    for (const namespace of catalog.namespaces()) follower.changed(namespace);
  };
  const check = createCheck(clock, isMissing, (hasChanged) => (hasChanged ? updateAll : updateDependent)());

  return {
    state() {
      const state = presence.state(reflector);
      return state === "present" && firstList.size > 0 ? "starting" : state;
    },
    get: (namespace, name) => reflector.store.get(namespace, name),
    leftOut: reflector.leftOutIn,
    updateDependent,
    compileAll() {
      catalog.forgetCompiled();
      updateAll();
    },
    start() {
      reflector.start();
      check.start();
    },
    async stop() {
      check.stop();
      follower.stop();
      await reflector.stop();
    },
  };
}

function reflect<T extends KubeObject>(options: WatchedKindOptions<T>): Reflector<T> {
  const { client, clock, random, leftOut, kind, presence } = options;
  const { resource, project } = kind;
  return createReflector<T>({
    client,
    clock,
    ...(random === undefined ? {} : { random }),
    path: resourcePath({ group, version, resource }),
    project,
    onError: presence.failed,
    onLeftOut: (one) => leftOut?.(`${resource}.${group}`, one),
  });
}

/** Looks now and then whether the kind came or went. */
function createCheck(
  clock: Clock,
  isMissing: () => boolean,
  onCheck: (hasChanged: boolean) => void,
): { start(): void; stop(): void } {
  let wasMissing = false;
  let stop = (): void => {};
  const start = (): void => {
    stop = clock.after(checkMs, () => {
      start();
      const before = wasMissing;
      wasMissing = isMissing();
      onCheck(wasMissing !== before);
    });
  };
  return { start, stop: () => stop() };
}
