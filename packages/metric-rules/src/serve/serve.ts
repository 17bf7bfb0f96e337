// Serves the metric of a rule: runs its query, within the limits of its namespace, and reads the values.
import { type Awaitable, chain } from "@plimsoll/component-base";
import type { Selector } from "@plimsoll/core/selector";
import type { InstantResult } from "@plimsoll/prometheus";
import type { CompiledRule } from "../compile/compiled.ts";
import type { RuleLimits } from "../compile/limits.ts";
import { titleOf } from "../compile/title.ts";
import { failed, type Outcome, type QuerySource, type Ran } from "./outcome.ts";
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
export interface RuleCaller {
  readonly signal: () => AbortSignal;
}

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

export function createRuleServer(source: QuerySource, limits: RuleLimits): RuleServer {
  const runShared = shareQueries(source, limits);

  const run = (rule: CompiledRule, { signal }: RuleCaller): Awaitable<Ran> =>
    chain(runShared({ rule, timeoutMs: limits.timeoutMs, signal }), (ran) =>
      ran.ok ? boundSeries(rule, ran, limits.maxSeries) : ran,
    );

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
function boundSeries(rule: CompiledRule, ran: Extract<Ran, { ok: true }>, max: number): Ran {
  const { result } = ran;
  if (result.type !== "vector" || result.samples.length <= max) return ran;
  const message = `unable to fetch metrics: the query of the ${titleOf(rule)} gives ${result.samples.length} series, more than ${max}: aggregate them`;
  return failed("Internal", message);
}
