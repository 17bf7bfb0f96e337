// Sends the queries of MetricRules through the runners of the sources, which share and limit them.
import { isQueryName } from "@plimsoll/core/queries";
import { type CompiledRule, type QuerySource, type Ran, titleOf } from "@plimsoll/metric-rules";
import type { InstantResult } from "@plimsoll/prometheus";
import type { ExecutableQuery } from "../prometheus/query/execute.ts";
import type { Account } from "../prometheus/query/limits.ts";
import type { QueryRunner } from "../prometheus/query/runner.ts";
import type { Runners } from "../prometheus/query/runners.ts";

/** Counted under the rule and its namespace, as the queries of the rules file are under theirs. */
export function createRuleQueries(runners: Runners): QuerySource {
  const runnerOf = ({ source, namespace }: CompiledRule) => runners.of({ source }, namespace);
  return {
    cached(rule) {
      const runner = runnerOf(rule);
      if (!runner.ok) return undefined;
      const result = runner.value.ofRules.cached({
        promql: rule.query,
        account: accountOf(rule),
        kind: "exact",
      });
      return result === undefined ? undefined : ranOf(runner.value, result);
    },
    async run({ rule, timeoutMs, maxSeries, signal }) {
      const runner = runnerOf(rule);
      if (!runner.ok) return failedWith(runner.failure.message);
      const executable: ExecutableQuery = {
        promql: rule.query,
        account: accountOf(rule),
        kind: "exact",
        maxMs: timeoutMs,
        maxSamples: maxSeries,
        caller: { signal },
      };
      return ranOf(runner.value, await runner.value.ofRules.get(executable));
    },
  };
}

/** Each query of an object has its own. */
function accountOf(rule: CompiledRule): Account {
  const title = titleOf(rule);
  const metric = isQueryName(rule.name) ? `${title} ${rule.name}` : title;
  return { metric, namespace: rule.namespace };
}

function ranOf({ ofRules }: QueryRunner, result: InstantResult): Ran {
  return { ok: true, result, freshness: ofRules.freshnessOf(result, "exact") };
}

function failedWith(message: string): Ran {
  return { ok: false, failure: { code: "Internal", message } };
}
