// The catalog of MetricRules.
import { type Clock, createLogLimiter, type Logger } from "@plimsoll/component-base";
import type { KubeClient, LeftOut, ReportLeftOut } from "@plimsoll/kube";
import type { ClusterResource } from "@plimsoll/rules";
import { type CompileContext, compileRule, type RuleSource } from "../compile/compile-rule.ts";
import type { Decided } from "../compile/compiled.ts";
import { type RuleLimits, rulesOverLimit } from "../compile/limits.ts";
import { resource, type WatchedRule } from "../kind/kind.ts";
import { projectRule } from "../kind/project.ts";
import { type Catalog, createCatalog } from "./catalog.ts";
import { createNamespaceNames, type NamespaceNames } from "./namespace-names.ts";
import { createPresence, type RulesPresence } from "./presence.ts";
import { createResourceLookup } from "./resource-lookup.ts";
import { watchKind } from "./watched-kind.ts";

/** What rules are watched with, and compiled against. */
export interface WatchedRulesOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random?: (() => number) | undefined;
  readonly leftOut?: ReportLeftOut | undefined;
  /** The label that has the namespace of a series. */
  readonly namespaceLabel: string;
  readonly limits: RuleLimits;
  /** By the name of the configuration. */
  readonly source: (name: string) => RuleSource | undefined;
  /** Whether pods may be scraped [false]. */
  readonly allowsLive?: boolean | undefined;
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
  /** Why it is unknown which rules there are; undefined where it is, and as long as the first list takes. */
  problem(): string | undefined;
  /** Whether the server refuses the list, because the process lacks the permission. */
  isForbidden(): boolean;
  /** Rules of a namespace that cannot be read: it is unknown which metrics they define. */
  leftOut(namespace: string): readonly LeftOut[];
  /** What the rules of single namespaces define, while it is unknown which rules there are. */
  readonly unlisted: NamespaceNames;
  get(namespace: string, name: string): WatchedRule | undefined;
  /** `source` gives others than before: all rules are decided on once more. */
  sourcesChanged(): void;
  start(): void;
  stop(): Promise<void>;
}

const logPauseMs = 600_000;

export function createWatchedRules(options: WatchedRulesOptions): WatchedRules {
  const { clock, log, onDecided } = options;
  const isDue = createLogLimiter(clock, logPauseMs);
  const lookup = createResourceLookup({ ...options, onChange: () => watched.updateDependent() });
  const { rulesPerNamespace } = options.limits;
  const catalog = createCatalog({
    rulesPerNamespace,
    compile: (rule) => compileWatched(rule, { ...options, resource: lookup.get }),
    overLimit: rulesOverLimit(rulesPerNamespace),
  });
  const presence = createPresence(clock, {
    onFailed(error) {
      if (isDue("failed")) log.warn({ err: error }, "cannot watch MetricRules");
    },
    onMissing() {
      if (isDue("missing")) log.info({}, "the cluster has no MetricRules: their CRD is not installed");
    },
  });
  const watched = watchKind<WatchedRule>({
    ...options,
    kind: { resource, project: projectRule, rulesOf: (rule) => [rule], isUnchanged: () => false },
    presence,
    catalog,
    onDecided(_namespace, rules) {
      for (const rule of rules) onDecided?.(rule);
    },
    onDeleted: (rule) => onDecided?.(rule),
  });
  const { state, get, start, stop, compileAll } = watched;
  return {
    catalog,
    state,
    problem: () =>
      state() === "failing" ? `the MetricRules cannot be listed: ${presence.lastFailure() ?? ""}` : undefined,
    isForbidden: () => state() === "failing" && presence.isForbidden(),
    leftOut: watched.leftOut,
    unlisted: createNamespaceNames(options),
    get,
    sourcesChanged: compileAll,
    start,
    stop,
  };
}

/** What an object compiles to, whether or not its specification could be read. */
export function compileWatched({ metadata, read }: WatchedRule, context: CompileContext): Decided {
  if (!read.ok)
    return { type: "refused", refusal: { reason: "InvalidSpec", message: read.problems.join("; ") } };
  return compileRule({ namespace: metadata.namespace ?? "", name: metadata.name }, read.spec, context);
}
