// Serves the metric of a rule: runs its query, within the limits of its namespace, and reads the values.
import {
  type Awaitable,
  type CacheMeter,
  type Clock,
  chain,
  createFairCache,
} from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { InstantResult } from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled.ts";
import type { RuleLimits } from "../compile/limits.ts";
import { titleOf } from "../compile/title.ts";
import { type Failure, failed, type Outcome, type QuerySource, type Ran, type RuleQuery } from "./outcome.ts";
import {
  type Dropped,
  type ObjectValue,
  type PlainValue,
  readObjectValues,
  readPlainValues,
  type Values,
  type WantedObjects,
} from "./read-values.ts";
import { shareQueries } from "./share.ts";

/** A request, or the check of a rule. */
export type RuleCaller = Pick<RuleQuery, "signal" | "isCheck">;

/** Values, and what was left out of the result. */
export interface Served<V> {
  readonly values: readonly V[];
  readonly dropped: Dropped;
}

export interface RuleServer {
  /** @param object the rule's own. */
  objects(
    rule: CompiledRule,
    object: NonNullable<CompiledRule["object"]>,
    request: RuleCaller & WantedObjects,
  ): Awaitable<Outcome<Served<ObjectValue>>>;
  external(
    rule: CompiledRule,
    request: RuleCaller & { readonly selector: Selector },
  ): Awaitable<Outcome<Served<PlainValue>>>;
  /** The bare result, for the status of the rule. */
  result(rule: CompiledRule, caller: RuleCaller): Awaitable<Outcome<InstantResult>>;
}

export interface RuleServerSeams {
  readonly clock: Clock;
  readonly meter?: CacheMeter | undefined;
}

export function createRuleServer(
  source: QuerySource,
  limits: RuleLimits,
  seams: RuleServerSeams,
): RuleServer {
  const { maxSeries, maxResponseBytes, timeoutMs } = limits;
  const runShared = shareQueries(source, limits);
  const excesses = createExcesses(seams);

  const run = (rule: CompiledRule, { signal, isCheck }: RuleCaller): Awaitable<Ran> =>
    excesses.of(rule) ??
    chain(runShared({ rule, timeoutMs, maxSeries, maxResponseBytes, signal, isCheck }), (ran) => {
      if (!ran.ok || ran.result.type !== "vector" || ran.result.samples.length <= maxSeries) return ran;
      return excesses.found(rule, tooManySeries(rule, ran.result.samples.length, maxSeries));
    });

  const serve = <V>(
    rule: CompiledRule,
    caller: RuleCaller,
    read: (result: InstantResult) => Values<V>,
  ): Awaitable<Outcome<Served<V>>> =>
    chain(run(rule, caller), (ran): Outcome<Served<V>> => {
      if (!ran.ok) return ran;
      const found = read(ran.result);
      if (!found.ok) return found;
      const { values, dropped } = found;
      return { ok: true, value: { values, dropped }, freshness: ran.freshness };
    });

  return {
    objects: (rule, object, request) =>
      serve(rule, request, (result) => readObjectValues(rule, object, result, request)),
    external: (rule, request) =>
      serve(rule, request, (result) => readPlainValues(rule, result, request.selector)),
    result: (rule, caller) =>
      chain(run(rule, caller), (ran) =>
        ran.ok ? { ok: true, value: ran.result, freshness: ran.freshness } : ran,
      ),
  };
}

/** Of more series than that an autoscaler would read an answer of megabytes for each of its evaluations. */
function tooManySeries(rule: CompiledRule, series: number, max: number): Failure {
  const message = `unable to fetch metrics: the query of the ${titleOf(rule)} gives ${series} series, more than ${max}: aggregate them`;
  return failed("Internal", message);
}

/** A query that gave too many series is not sent again for so long: to read the answer costs more than all else. */
const excessPauseMs = 15_000;

/** The queries that gave too many series lately. */
function createExcesses({ clock, meter }: RuleServerSeams) {
  const known = createFairCache<Failure>({
    name: "rule_excesses",
    meter,
    maxBytes: 2 * 1024 * 1024,
    maxKeyLength: 65_536,
    sizeOf: ({ failure }) => 2 * failure.message.length,
    ttlMs: excessPauseMs,
    nowMs: () => clock.nowMs(),
  });
  const keyOf = ({ name, source, query }: CompiledRule): string => `${name}\n${source}\n${query}`;
  return {
    of: (rule: CompiledRule): Failure | undefined =>
      known.bytes === 0 ? undefined : known.get(rule.namespace, keyOf(rule)),
    found(rule: CompiledRule, failure: Failure): Failure {
      known.set(rule.namespace, keyOf(rule), failure);
      return failure;
    },
  };
}
