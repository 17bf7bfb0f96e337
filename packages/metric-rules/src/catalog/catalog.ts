// The MetricRules that are served, by namespace and metric.
import type { MetricInfo } from "@plimsoll/rules";
import type { CompiledRule, Decided } from "../compile/compiled.ts";
import type { WatchedRule } from "../kind/kind.ts";
import { claimOf, decideNamespace, type NamespaceOptions } from "./decide-namespace.ts";
import { createListing } from "./listing.ts";

/** Who owns which metric. Lookups take two steps in maps, whatever the number of rules. */
export interface Catalog {
  /** @param groupResource canonical, such as `pods` or `ingresses.networking.k8s.io`. */
  custom(namespace: string, groupResource: string, metric: string): CompiledRule | undefined;
  external(namespace: string, metric: string): CompiledRule | undefined;
  /** Whether the namespace has a metric of this name for objects of any resource. */
  hasCustom(namespace: string, metric: string): boolean;
  /** Whether a rule of this metric is not decided on yet: its resource has not been looked up. */
  isPending(namespace: string, metric: string): boolean;
  /** Of discovery: what any namespace has. The same array until something changes. */
  customInfos(): readonly MetricInfo[];
  externalNames(): readonly string[];
  /** Undefined when the rule is gone, or has changed since it was decided on. */
  decisionOn(rule: WatchedRule): Decided | undefined;
  /** By the name of the rule. */
  decided(namespace: string, name: string): Decided | undefined;
  /** Whether a rule of the namespace waits for a resource of the cluster. */
  dependsOnCluster(namespace: string): boolean;
  counts(): { readonly accepted: number; readonly refused: number };
  /** Decides on a namespace once more, by the rules that it has now. Returns those whose decision is new. */
  update(namespace: string, rules: readonly WatchedRule[]): readonly WatchedRule[];
  namespaces(): Iterable<string>;
  /** What rules are compiled against has changed: each is compiled once more when its namespace is updated. */
  forgetCompiled(): void;
}

/** How the rules of a namespace are decided on. */
export type CatalogOptions = NamespaceOptions;

interface Namespace {
  readonly byClaim: ReadonlyMap<string, CompiledRule>;
  readonly byName: ReadonlyMap<string, Entry>;
  /** Of metrics of objects. */
  readonly customNames: ReadonlySet<string>;
  /** Of rules that are not decided on yet. */
  readonly pendingNames: ReadonlySet<string>;
  readonly dependsOnCluster: boolean;
  readonly accepted: number;
}

interface Entry {
  readonly identity: string;
  readonly decided: Decided;
  /** What it compiled to, whether or not it is served. */
  readonly compiled: Decided | undefined;
  /** When it was compiled, as a number of changes. */
  readonly round: number;
}

export function createCatalog(options: CatalogOptions): Catalog {
  const namespaces = new Map<string, Namespace>();
  const listing = createListing();
  const counts = { accepted: 0, refused: 0 };
  let round = 0;

  const count = ({ accepted, byName }: Namespace, by: 1 | -1): void => {
    counts.accepted += by * accepted;
    counts.refused += by * (byName.size - accepted);
  };

  const replace = (name: string, next: Namespace | undefined): void => {
    const former = namespaces.get(name);
    if (former !== undefined) count(former, -1);
    listing.replace(former?.byClaim, next?.byClaim);
    if (next === undefined) {
      namespaces.delete(name);
      return;
    }
    count(next, 1);
    namespaces.set(name, next);
  };

  return {
    custom: (namespace, groupResource, metric) =>
      namespaces.get(namespace)?.byClaim.get(`${groupResource} ${metric}`),
    external: (namespace, metric) => namespaces.get(namespace)?.byClaim.get(metric),
    hasCustom: (namespace, metric) => namespaces.get(namespace)?.customNames.has(metric) === true,
    isPending: (namespace, metric) => namespaces.get(namespace)?.pendingNames.has(metric) === true,
    customInfos: listing.customInfos,
    externalNames: listing.externalNames,
    decisionOn(rule) {
      const { namespace = "", name } = rule.metadata;
      const entry = namespaces.get(namespace)?.byName.get(name);
      return entry?.identity === identityOf(rule) ? entry.decided : undefined;
    },
    decided: (namespace, name) => namespaces.get(namespace)?.byName.get(name)?.decided,
    dependsOnCluster: (namespace) => namespaces.get(namespace)?.dependsOnCluster === true,
    counts: () => ({ ...counts }),
    namespaces: () => namespaces.keys(),
    forgetCompiled: () => void (round += 1),
    update(name, rules) {
      const former = namespaces.get(name);
      const next = rules.length === 0 ? undefined : decide(rules, former, { ...options, round });
      replace(name, next);
      return rules.filter(
        ({ metadata }) => !isSame(former?.byName.get(metadata.name), next?.byName.get(metadata.name)),
      );
    },
  };
}

function decide(
  rules: readonly WatchedRule[],
  known: Namespace | undefined,
  { round, ...options }: CatalogOptions & { readonly round: number },
): Namespace {
  const compiled = new Map<WatchedRule, Decided>();
  const compileOnce = (rule: WatchedRule): Decided => {
    const entry = known?.byName.get(rule.metadata.name);
    const former = entry?.identity === identityOf(rule) ? entry.compiled : undefined;
    const isOld = former === undefined || dependsOnCluster(former) || entry?.round !== round;
    const result = isOld ? sameOr(former, options.compile(rule)) : former;
    compiled.set(rule, result);
    return result;
  };
  const decisions = decideNamespace(rules, { ...options, compile: compileOnce });
  const byName = new Map<string, Entry>();
  const byClaim = new Map<string, CompiledRule>();
  const customNames = new Set<string>();
  const pendingNames = new Set<string>();
  let isWaiting = false;
  for (const rule of rules) {
    const decided = decisions.get(rule.metadata.name) ?? { type: "pending" };
    const identity = identityOf(rule);
    byName.set(rule.metadata.name, { identity, decided, compiled: compiled.get(rule), round });
    if (decided.type === "accepted") {
      byClaim.set(claimOf(decided.rule), decided.rule);
      if (decided.rule.object !== undefined) customNames.add(decided.rule.metric);
    }
    if (decided.type === "pending" && rule.read.ok) pendingNames.add(rule.read.spec.metric);
    isWaiting ||= dependsOnCluster(decided);
  }
  const names = { customNames, pendingNames };
  return { byName, byClaim, ...names, dependsOnCluster: isWaiting, accepted: byClaim.size };
}

/** The server counts the generation up with the specification only, so that writes of a status change nothing here. */
function identityOf({ metadata: { uid = "", generation = 0 } }: WatchedRule): string {
  return `${uid} ${generation}`;
}

/** Resources come and go: what was refused for one may be accepted later. */
function dependsOnCluster(decided: Decided): boolean {
  return (
    decided.type === "pending" || (decided.type === "refused" && decided.refusal.reason === "UnknownResource")
  );
}

/** A rule that compiles to the same is the same object: what is cached of it stays. */
function sameOr(former: Decided | undefined, next: Decided): Decided {
  if (former?.type !== "accepted" || next.type !== "accepted") return next;
  return JSON.stringify(former.rule) === JSON.stringify(next.rule) ? former : next;
}

function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return one.identity === other.identity && isSameDecision(one.decided, other.decided);
}

function isSameDecision(one: Decided, other: Decided): boolean {
  if (one.type === "accepted" && other.type === "accepted") return one.rule === other.rule;
  if (one.type !== "refused" || other.type !== "refused") return one.type === other.type;
  const [a, b] = [one.refusal, other.refusal];
  return a.reason === b.reason && a.message === b.message;
}
