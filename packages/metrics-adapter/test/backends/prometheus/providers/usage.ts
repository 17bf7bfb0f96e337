// Rules of metrics.k8s.io, and a fake Prometheus that answers their queries from a table.
import { type FakeReply, vector } from "@plimsoll/prometheus/testing";
import type { ResourceMetricsQuery } from "../../../../src/backends/prometheus/providers/resource-api.ts";
import type { HarnessOptions } from "../harness.ts";

export const rules = `
resourceRules:
  cpu: &rule
    containerQuery: cpu{<<.LabelMatchers>>} by (<<.GroupBy>>)
    nodeQuery: nodecpu{<<.LabelMatchers>>} by (<<.GroupBy>>)
    resources: {overrides: {instance: {resource: node}, namespace: {resource: namespace}, pod: {resource: pod}}}
    containerLabel: container
  memory:
    <<: *rule
    containerQuery: memory{<<.LabelMatchers>>} by (<<.GroupBy>>)
    nodeQuery: nodememory{<<.LabelMatchers>>} by (<<.GroupBy>>)
  window: 5m
`;

export interface Row {
  readonly labels: Record<string, string>;
  readonly cpu?: string;
  readonly memory?: string;
  readonly atSeconds?: number;
}

/** Answers cpu and memory queries from one table. */
export function answer(rows: readonly Row[]): NonNullable<HarnessOptions["query"]> {
  return ({ parameters }): FakeReply => {
    const kind = (parameters.get("query") ?? "").replace("node", "").startsWith("cpu") ? "cpu" : "memory";
    return vector(
      rows.flatMap((row) => {
        const value = row[kind];
        return value === undefined
          ? []
          : [
              {
                labels: row.labels,
                value,
                ...(row.atSeconds === undefined ? {} : { atSeconds: row.atSeconds }),
              },
            ];
      }),
    );
  };
}

export const both = { cpu: "0.25", memory: "1048576" };

export function ask(query: Partial<ResourceMetricsQuery> = {}): ResourceMetricsQuery {
  return {
    namespace: "ns",
    labelSelector: "",
    fieldSelector: "",
    signal: () => new AbortController().signal,
    ...query,
  };
}
