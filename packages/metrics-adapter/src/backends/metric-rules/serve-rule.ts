// Serves a request for the metric of a MetricRule.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type {
  CompiledRule,
  Dropped,
  Outcome as RuleOutcome,
  RuleServer,
  Served,
} from "@plimsoll/metric-rules";
import { groupResourceOf } from "@plimsoll/rules";
import type { EngineTelemetry } from "../../telemetry/prometheus.ts";
import type { CustomMetricQuery, CustomMetricValue } from "../prometheus/providers/custom-api.ts";
import type { SelectObjects } from "../prometheus/providers/custom-objects.ts";
import type { ExternalMetricQuery, ExternalMetricValue } from "../prometheus/providers/external.ts";
import { guarded } from "../prometheus/providers/failure.ts";
import { failed, type Outcome, ok, whenOk } from "../prometheus/providers/outcome.ts";
import { type ReadSelector, selectorObject } from "../prometheus/providers/selectors.ts";
import { allFresh } from "../prometheus/query/freshness.ts";

/** How requests for MetricRules ended, and what was left out of their values. */
export interface RuleTelemetry extends Pick<EngineTelemetry, "samplesDropped"> {
  served(api: "custom" | "external", outcome: "ok" | "failed"): void;
}

export interface ServeRuleOptions {
  readonly server: RuleServer;
  readonly selectObjects: SelectObjects;
  readonly readSelector: ReadSelector;
  readonly telemetry: RuleTelemetry;
}

export interface ServeRule {
  custom(query: CustomMetricQuery, rule: CompiledRule): Awaitable<Outcome<readonly CustomMetricValue[]>>;
  external(
    query: ExternalMetricQuery,
    rule: CompiledRule,
  ): Awaitable<Outcome<readonly ExternalMetricValue[]>>;
}

export function createServeRule(options: ServeRuleOptions): ServeRule {
  const { telemetry } = options;
  const counted =
    <Q extends { readonly signal: () => AbortSignal }, V>(
      api: "custom" | "external",
      serve: (query: Q, rule: CompiledRule) => Awaitable<Outcome<V>>,
    ) =>
    (query: Q, rule: CompiledRule): Awaitable<Outcome<V>> =>
      chain(
        guarded(query, () => serve(query, rule)),
        (outcome) => {
          telemetry.served(api, outcome.ok ? "ok" : "failed");
          return outcome;
        },
      );
  return {
    custom: counted("custom", (query, rule) => custom(options, query, rule)),
    external: counted("external", (query, rule) => external(options, query, rule)),
  };
}

function custom(
  { server, selectObjects, readSelector, telemetry }: ServeRuleOptions,
  query: CustomMetricQuery,
  rule: CompiledRule,
): Awaitable<Outcome<readonly CustomMetricValue[]>> {
  const { object, windowSeconds } = rule;
  if (object === undefined) return failed("Internal", "the rule has no objects");
  const { info } = object;
  return whenOk(readSelector(query.labelSelector), (objectSelector) =>
    whenOk(readSelector(query.metricLabelSelector), (metricSelector) => {
      const request = {
        query,
        caller: query,
        metric: query.metric,
        namespace: query.namespace,
        objectSelector,
        metricSelector,
        metricSelectorText: query.metricLabelSelector,
      };
      const isList = query.name === "*";
      const shared = {
        kind: info.kind,
        apiVersion: `${info.group}/${info.version}`,
        namespace: query.namespace,
        metric: rule.metric,
        windowSeconds,
        selector: selectorObject(metricSelector),
      };
      return whenOk(selectObjects(request, object), ({ names = [], isUnchanged }) =>
        chain(
          server.objects(rule, object, { names, isList, selector: metricSelector, signal: query.signal }),
          (served) =>
            valuesOf(served, {
              telemetry,
              isUnchanged,
              details: { resource: groupResourceOf(info), name: query.name },
              convert: (value) => ({ ...shared, ...value }),
            }),
        ),
      );
    }),
  );
}

function external(
  { server, readSelector, telemetry }: ServeRuleOptions,
  query: ExternalMetricQuery,
  rule: CompiledRule,
): Awaitable<Outcome<readonly ExternalMetricValue[]>> {
  return whenOk(readSelector(query.labelSelector), (selector) =>
    chain(server.external(rule, { selector, signal: query.signal }), (served) =>
      valuesOf(served, {
        telemetry,
        isUnchanged: () => true,
        details: { name: rule.metric },
        convert: (value) => ({ metric: rule.metric, windowSeconds: rule.windowSeconds, ...value }),
      }),
    ),
  );
}

interface Conversion<V, W> {
  readonly telemetry: RuleTelemetry;
  readonly isUnchanged: () => boolean;
  /** Of the object, in a failure that names it. */
  readonly details: { readonly resource?: string; readonly name: string };
  readonly convert: (value: V) => W;
}

function valuesOf<V, W>(
  served: RuleOutcome<Served<V>>,
  { telemetry, isUnchanged, details, convert }: Conversion<V, W>,
): Outcome<readonly W[]> {
  if (!served.ok) {
    const { code, message, ...rest } = served.failure;
    return failed(code, message, code === "ObjectNotFound" ? { ...rest, ...details } : rest);
  }
  const { value, freshness } = served;
  countDropped(telemetry, value.dropped);
  const values = value.values.map(convert);
  return freshness === undefined ? ok(values) : ok(values, allFresh([freshness], isUnchanged));
}

function countDropped(telemetry: RuleTelemetry, dropped: Dropped): void {
  const { notANumber, otherNamespace, severalSeries } = dropped;
  if (notANumber > 0) telemetry.samplesDropped("not_a_number", notANumber);
  if (otherNamespace > 0) telemetry.samplesDropped("other_namespace", otherNamespace);
  if (severalSeries > 0) telemetry.samplesDropped("several_series", severalSeries);
}
