// Who answers for a metric: a query of a WorkloadAutoscaler, the MetricRule of the namespace, or else the rules file.
import { type Awaitable, chain } from "@plimsoll/component-base";
import { isQueryName } from "@plimsoll/core/queries";
import type {
  CompiledRule,
  Freshness,
  RuleServer,
  WatchedQueries,
  WatchedRules,
} from "@plimsoll/metric-rules";
import { groupResourceOf, type ResourceMapper } from "@plimsoll/rules";
import type { CustomMetricQuery, CustomMetricsProvider } from "../prometheus/providers/custom-api.ts";
import type { SelectObjects } from "../prometheus/providers/custom-objects.ts";
import type { ExternalMetricQuery, ExternalMetricsProvider } from "../prometheus/providers/external.ts";
import { failed, type Outcome, ok } from "../prometheus/providers/outcome.ts";
import { lookUp } from "../prometheus/providers/resource-lookup.ts";
import type { ReadSelector } from "../prometheus/providers/selectors.ts";
import { allFresh } from "../prometheus/query/freshness.ts";
import { createServeQuery } from "./serve-query.ts";
import { createServeRule, type RuleTelemetry } from "./serve-rule.ts";

export interface DirectoryOptions {
  readonly rules: Pick<WatchedRules, "catalog" | "state" | "problem" | "leftOut" | "unlisted">;
  readonly queries: WatchedQueries;
  readonly server: RuleServer;
  readonly mapper: ResourceMapper;
  readonly selectObjects: SelectObjects;
  readonly readSelector: ReadSelector;
  readonly telemetry: RuleTelemetry;
}

/** The metrics APIs, with the providers of the rules file behind the MetricRules; undefined where the file has none. */
export type Directory = ReturnType<typeof createDirectory>;

/** A metric of a namespace. */
export interface NamespacedMetric {
  readonly namespace: string | undefined;
  /** Canonical, such as pods; undefined for external metrics. */
  readonly resource: string | undefined;
  readonly metric: string;
}

/** A rule hides a metric of the file in its own namespace only. */
export function createDirectory(options: DirectoryOptions) {
  const { catalog } = options.rules;
  const serve = createServeRule(options);
  const serveQuery = createServeQuery(options.queries);
  return {
    custom(ofFile: CustomMetricsProvider | undefined): CustomMetricsProvider {
      const infos = joined(
        () => ofFile?.list() ?? [],
        () => catalog.customInfos(),
      );
      const find = (query: CustomMetricQuery): CompiledRule | undefined =>
        query.namespace === undefined
          ? undefined
          : catalog.custom(query.namespace, query.groupResource, query.metric);
      // What a rule may hide is not served before that is known: it would be another metric of the same name.
      const next = (query: CustomMetricQuery) =>
        catalog.isPending(query.namespace ?? "", query.metric)
          ? pendingRule(query.metric)
          : (ofFile?.get(query) ?? unknownMetric(query.metric));
      return {
        list: infos,
        get(query) {
          const { namespace, metric } = query;
          if (namespace !== undefined && isQueryName(metric))
            return serveQuery({ ...query, namespace }, isOfPods(query.groupResource), serve.custom);
          return chain(canonical(options, query), (known) =>
            known.ok ? getFirst(options, find, { query: known.value, serve: serve.custom, next }) : known,
          );
        },
      };
    },
    external(ofFile: ExternalMetricsProvider | undefined): ExternalMetricsProvider {
      const names = joined(
        () => ofFile?.list() ?? [],
        () => catalog.externalNames(),
      );
      const find = (query: ExternalMetricQuery) => catalog.external(query.namespace, query.metric);
      const next = (query: ExternalMetricQuery) => ofFile?.get(query) ?? unknownMetric(query.metric);
      return {
        list: names,
        get: (query) =>
          isQueryName(query.metric)
            ? serveQuery(query, ({ object }) => object === undefined, serve.external)
            : getFirst(options, find, { query, serve: serve.external, next }),
      };
    },
    /** Whether a rule of the namespace defines the metric; true also before anything is known of the namespace. */
    owns({ namespace, resource, metric }: NamespacedMetric): boolean {
      if (namespace === undefined) return false;
      // Whatever has become of its object: no other adapter knows what the name means.
      if (isQueryName(metric)) return true;
      if (!isKnown(options.rules, namespace)) return isOwnedUnlisted(options.rules, namespace, metric);
      const rule =
        resource === undefined
          ? catalog.external(namespace, metric)
          : catalog.custom(namespace, resource, metric);
      return rule !== undefined || (resource !== undefined && catalog.isPending(namespace, metric));
    },
  };
}

function isOfPods(groupResource: string): (rule: CompiledRule) => boolean {
  return ({ object }) => object !== undefined && ["pods", "pod"].includes(groupResource);
}

interface Ways<Q, V> {
  readonly query: Q;
  readonly serve: (query: Q, rule: CompiledRule) => Awaitable<Outcome<V>>;
  readonly next: (query: Q) => Awaitable<Outcome<V>>;
}

function getFirst<Q extends { readonly namespace: string | undefined; readonly metric: string }, V>(
  options: DirectoryOptions,
  find: (query: Q) => CompiledRule | undefined,
  ways: Ways<Q, V>,
): Awaitable<Outcome<V>> {
  const { query, serve, next } = ways;
  const { rules } = options;
  const rule = find(query);
  const { namespace } = query;
  if (rule === undefined && namespace !== undefined && !isKnown(rules, namespace))
    return chain(rules.unlisted.mayDefine(namespace, query.metric), (mayDefine) => {
      // They may have been listed in the meantime.
      if (isKnown(rules, namespace)) return getFirst(options, find, ways);
      const failure = unlisted(rules, namespace);
      return mayDefine === true ? failure : chain(served(), (known) => (isMissing(known) ? failure : known));
    });
  return served();

  function served(): Awaitable<Outcome<V>> {
    return chain(rule === undefined ? next(query) : serve(query, rule), (known) =>
      known.ok
        ? ok(
            known.value,
            whileOwned(known.freshness, () => find(query) === rule),
          )
        : known,
    );
  }
}

/** A metric that the file does not have may be a rule's. */
function isMissing(outcome: Outcome<unknown>): boolean {
  return !outcome.ok && outcome.failure.code === "MetricNotFound";
}

function unlisted(rules: DirectoryOptions["rules"], namespace: string): Outcome<never> {
  const [leftOut] = rules.leftOut(namespace);
  const message =
    leftOut === undefined
      ? (rules.problem() ?? "MetricRules haven't been listed yet")
      : `cannot read MetricRule ${leftOut.name ?? ""}: ${leftOut.message}`;
  return failed("Unavailable", message, { retryAfterSeconds: 1 });
}

/** Rules that cannot be read hold up no metric of another adapter, as they hold up none of the file. */
function isOwnedUnlisted(rules: DirectoryOptions["rules"], namespace: string, metric: string): boolean {
  const mayDefine = rules.unlisted.known(namespace, metric);
  return mayDefine === undefined || mayDefine === true;
}

/** Whether it is known which rules a namespace has; a cluster without the kind has none. */
function isKnown(rules: DirectoryOptions["rules"], namespace: string): boolean {
  const state = rules.state();
  return state === "missing" || (state === "present" && rules.leftOut(namespace).length === 0);
}

/** A result is reused for as long as the metric has the same owner. */
function whileOwned(freshness: Freshness | undefined, isOwned: () => boolean): Freshness | undefined {
  return freshness === undefined ? undefined : allFresh([freshness], isOwned);
}

/** Controllers send the canonical name of a resource; any other is looked up where a rule may be meant. */
function canonical(
  { rules, mapper }: DirectoryOptions,
  query: CustomMetricQuery,
): Awaitable<Outcome<CustomMetricQuery>> {
  const { namespace, groupResource, metric } = query;
  if (namespace === undefined || !rules.catalog.hasCustom(namespace, metric)) return ok(query);
  if (rules.catalog.custom(namespace, groupResource, metric) !== undefined) return ok(query);
  return lookUp(mapper, groupResource, (info) =>
    ok(info === undefined ? query : { ...query, groupResource: groupResourceOf(info) }),
  );
}

function pendingRule(metric: string): Outcome<never> {
  const message = `a MetricRule in the namespace may define the metric ${metric}, but its resource hasn't been looked up yet`;
  return failed("Unavailable", message, { retryAfterSeconds: 1 });
}

function unknownMetric(metric: string): Outcome<never> {
  return failed("MetricNotFound", `the server could not find the metric ${metric} for `);
}

/** Both lists in one, and the same array for as long as both are the same. */
function joined<T>(one: () => readonly T[], other: () => readonly T[]): () => readonly T[] {
  let last: { readonly a: readonly T[]; readonly b: readonly T[]; readonly all: readonly T[] } | undefined;
  return () => {
    const [a, b] = [one(), other()];
    if (last?.a !== a || last.b !== b) last = { a, b, all: [...a, ...b] };
    return last.all;
  };
}
