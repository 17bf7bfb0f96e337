// Rewrites PromQL: every selector selects series of one namespace, or with further labels, only.
import type { PrometheusClient } from "../client.ts";
import { PrometheusError } from "../errors.ts";
import type { InstantResult, Labels } from "../sample.ts";
import { type ExtraLabels, withLabels } from "./with-labels.ts";

export { boundJoins, maxJoinedCharacters } from "./bound-joins.ts";
export type { CostFigure, CostFigures, CostKind } from "./cost/figures.ts";
export { type EnforceOptions, enforceNamespace } from "./enforce.ts";
export type { EnforceLimits } from "./limits.ts";
export type { EnforceReason } from "./refused.ts";
export type { EnforcedQuery, EnforceRefusal, EnforceResult } from "./result.ts";
export type { EnforcedSelector, QueryCost } from "./time.ts";
export { type ExtraLabels, type LabeledQuery, withLabels } from "./with-labels.ts";

/** What is read once is known for the next time: autoscalers send the same queries all the time. */
export interface LabeledQueries {
  get(promql: string): string | undefined;
  set(promql: string, labeled: string): void;
}

/**
 * Every selector of every request has the labels. What comes back is without them, as from a server that has no others.
 * A query that cannot be read rejects with PrometheusError bad_data, and nothing is sent.
 */
export function withExtraLabels(
  client: PrometheusClient,
  labels: ExtraLabels,
  known: LabeledQueries,
): PrometheusClient {
  const names = new Set(labels.map(([name]) => name));
  const label = createLabeling(labels, known);
  const bare = (found: Labels): Labels =>
    Object.fromEntries(Object.entries(found).filter(([name]) => !names.has(name)));
  return {
    query: async (promql, options) => withoutLabels(await client.query(label(promql), options), bare),
    queryRange: async (promql, options) =>
      withoutLabels(await client.queryRange(label(promql), options), bare),
    series: async (matches, options) => (await client.series(matches.map(label), options)).map(bare),
    labelNames: async (matches, options) =>
      (await client.labelNames(matches.map(label), options)).filter((name) => !names.has(name)),
    labelValues: async (name, matches, options) =>
      await client.labelValues(name, matches.map(label), options),
    close: () => client.close(),
  };
}

function createLabeling(labels: ExtraLabels, known: LabeledQueries): (promql: string) => string {
  return (promql) => {
    const before = known.get(promql);
    if (before !== undefined) return before;
    const labeled = withLabels(promql, labels);
    if (!labeled.ok) {
      const message = `the labels of the source cannot be added to the query: ${labeled.message} (at character ${labeled.from + 1})`;
      throw new PrometheusError("bad_data", message);
    }
    known.set(promql, labeled.query);
    return labeled.query;
  };
}

function withoutLabels(result: InstantResult, bare: (labels: Labels) => Labels): InstantResult {
  if (result.type === "vector")
    return { ...result, samples: result.samples.map((one) => ({ ...one, labels: bare(one.labels) })) };
  if (result.type === "matrix")
    return { ...result, series: result.series.map((one) => ({ ...one, labels: bare(one.labels) })) };
  return result;
}
