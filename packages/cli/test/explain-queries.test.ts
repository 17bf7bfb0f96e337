// What `explain` shows of a query that a WorkloadAutoscaler brings along.
import type { MetricSpec } from "@plimsoll/core";
import { readQueries, withQueries } from "@plimsoll/core/queries";
import type { ServedObject } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { explanationMarkdown } from "../src/commands/explain/markdown.ts";
import { statusText } from "../src/commands/explain/status-text.ts";
import { type Detail, explanationText } from "../src/commands/explain/text.ts";
import { plainStyle } from "../src/output/style.ts";
import { decidedMs, recorded } from "./golden/inputs.ts";

const metrics = [
  { type: "Query", query: { promql: "sum(a)", target: { type: "AverageValue", averageValue: "100" } } },
];
const sent = 'sum(a{namespace="web"})';
const shown = recorded({
  namespace: "web",
  name: "shop",
  replicas: 3,
  bounds: [1, 10],
  metrics: withQueries(metrics, readQueries("shop", metrics)) as readonly MetricSpec[],
  samples: [{ values: [{ value: "450" }], query: sent }],
});

test("the metric has its position as name, and its PromQL below, as it was sent", () => {
  const { decision } = shown;
  if (decision === undefined) throw new Error("no decision");
  const decided = { ...shown, decision };
  const textOf = (detail: Detail): string =>
    explanationText(decided, { style: plainStyle, hasHeadings: true, detail, nowMs: decidedMs });
  const text = textOf("short");
  expect(text).toMatch(/\* query\[0\]\s+450\s+100 each\s+1\.5\s+5/);
  expect(text).toContain(`query[0]: ${sent}`);
  const every = textOf("steps");
  expect(every).toContain("query 1");
  const full = textOf("full");
  expect(full).toContain("Metric 1 (Query): query[0] calls for 5 replicas");
  expect(explanationMarkdown(decided, decidedMs, "short")).toContain('query\\[0\\]: sum(a{namespace="web"})');
});

test("a live query says where its values are from", () => {
  const live = metrics.map((metric) => ({
    ...metric,
    query: { ...metric.query, live: { port: "metrics" } },
  }));
  const { decision, ...rest } = recorded({
    namespace: "web",
    name: "shop",
    replicas: 3,
    bounds: [1, 10],
    metrics: withQueries(live, readQueries("shop", live)) as readonly MetricSpec[],
    samples: [{ values: [{ value: "450" }], query: sent }],
  });
  if (decision === undefined) throw new Error("no decision");
  const decided = { ...rest, decision };
  const style = { style: plainStyle, hasHeadings: true, nowMs: decidedMs };
  const from = "port metrics of the pods, every 1s";
  expect(explanationText(decided, { ...style, detail: "short" })).toContain(
    `query[0] (live: ${from}): ${sent}`,
  );
  expect(explanationText(decided, { ...style, detail: "full" })).toContain(`live: ${from}\n`);
  expect(explanationMarkdown(decided, decidedMs, "short")).toContain(`(live: ${from})`);
});

test("a status alone shows what was sent too, and nothing of what is not a string", () => {
  const served = {
    metadata: { name: "shop", namespace: "web" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 9, metrics },
    status: {
      currentReplicas: 3,
      desiredReplicas: 3,
      currentMetrics: [
        { type: "External", external: { metric: { name: "query[0]" }, current: { averageValue: "90" } } },
      ],
      queries: [{ name: "query[0]", query: sent }, { name: "query[1]", query: 7 }, null],
    },
  } as object as ServedObject;
  const { decision: _, record: __, ...rest } = shown;
  const text = statusText(
    { ...rest, source: "status", served },
    { style: plainStyle, hasHeadings: true, nowMs: decidedMs },
  );
  expect(text).toContain("query[0]  90 of 100 each");
  expect(text).toContain(`    query[0]: ${sent}`);
  expect(text).not.toContain("query[1]");
});
