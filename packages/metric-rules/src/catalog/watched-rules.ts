// The catalog as the API server has it: listed once, and followed from then on.
import type { Clock, Logger } from "@plimsoll/component-base";
import { createReflector, type KubeClient, type Reflector, resourcePath } from "@plimsoll/kube";
import type { ClusterResource } from "@plimsoll/rules";
import { type CompileContext, compileRule, type RuleSource } from "../compile/compile-rule.ts";
import type { Decided } from "../compile/compiled.ts";
import type { RuleLimits } from "../compile/limits.ts";
import { group, resource, version, type WatchedRule } from "../kind/kind.ts";
import { projectRule } from "../kind/project.ts";
import { type Catalog, createCatalog } from "./catalog.ts";
import { createFollower } from "./follow.ts";
import { createPresence, type RulesPresence } from "./presence.ts";
import { createResourceLookup } from "./resource-lookup.ts";

/** What rules are watched with, and compiled against. */
export interface WatchedRulesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: (() => number) | undefined;
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  readonly limits: RuleLimits;
  /** By the name of the configuration. */
  readonly source: (name: string) => RuleSource | undefined;
  /** As ResourceMapper.byResource. */
  readonly byResource: (groupResource: string) => Promise<ClusterResource | undefined>;
  /** The decision on a rule is new, or the rule is gone. */
  readonly onDecided?: ((rule: WatchedRule) => void) | undefined;
}

/** The MetricRules of the cluster, decided on. */
export interface WatchedRules {
  readonly catalog: Catalog;
  /** `starting` also while the rules of the first list have not been decided on. */
  state(): RulesPresence;
  /** Why it is not known which rules there are; undefined where it is, and as long as the first list takes. */
  problem(): string | undefined;
  get(namespace: string, name: string): WatchedRule | undefined;
  /** `source` gives others than before: all rules are decided on once more. */
  sourcesChanged(): void;
  start(): void;
  stop(): Promise<void>;
}

/** How often it is seen whether the definition came or went, and whether resources of the cluster did. */
const checkMs = 10_000;

export function createWatchedRules(options: WatchedRulesOptions): WatchedRules {
  const { clock, onDecided } = options;
  const presence = createPresence(clock, options.log);
  const reflector = reflectRules(options, presence.failed);
  const lookup = createResourceLookup({
    byResource: options.byResource,
    clock,
    onChange: () => updateDependent(),
  });
  const catalog = createCatalog({
    rulesPerNamespace: options.limits.rulesPerNamespace,
    compile: (rule) => compileWatched(rule, { ...options, resource: lookup.get }),
  });
  const isMissing = (): boolean => presence.state(reflector) === "missing";
  const follower = createFollower({
    clock,
    update(namespace) {
      const rules = isMissing() ? [] : reflector.store.list(namespace);
      firstList.delete(namespace);
      for (const rule of catalog.update(namespace, rules)) onDecided?.(rule);
    },
  });
  /** Namespaces of the first list that have not been decided on. */
  const firstList = new Set<string>();
  reflector.subscribe(({ object, type }) => {
    const { namespace = "" } = object.metadata;
    if (!reflector.isSynced) firstList.add(namespace);
    follower.changed(namespace);
    if (type === "deleted") onDecided?.(object);
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
    catalog,
    state() {
      const state = presence.state(reflector);
      return state === "present" && firstList.size > 0 ? "starting" : state;
    },
    problem: () =>
      presence.state(reflector) === "failing"
        ? `the MetricRules cannot be listed: ${presence.lastFailure() ?? ""}`
        : undefined,
    get: (namespace, name) => reflector.store.get(namespace, name),
    sourcesChanged() {
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

function reflectRules(
  { client, clock, random }: WatchedRulesOptions,
  onError: (error: unknown) => void,
): Reflector<WatchedRule> {
  return createReflector<WatchedRule>({
    client,
    path: resourcePath({ group, version, resource }),
    project: projectRule,
    clock,
    onError,
    ...(random === undefined ? {} : { random }),
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

function compileWatched({ metadata, read }: WatchedRule, context: CompileContext): Decided {
  if (!read.ok)
    return { type: "refused", refusal: { reason: "InvalidSpec", message: read.problems.join("; ") } };
  return compileRule({ namespace: metadata.namespace ?? "", name: metadata.name }, read.spec, context);
}
