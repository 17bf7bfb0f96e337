import type { Recording } from "@plimsoll/simulator";
import { expect, test } from "vitest";
import { anonymize } from "../src/index.ts";
import { ownQuery } from "../src/metric-queries.ts";

const query = {
  promql: "sum by (pod) (rate(a[2m]))",
  source: "default",
  metric: "shop@query.0123456789abcdef",
};

test("the query of a WorkloadAutoscaler is read for its namespace alone", async () => {
  const read = await ownQuery({ ...query, podLabel: "pod" }, "shop");
  expect(read).toMatchObject({ ok: true, podLabel: "pod" });
  expect(read.ok && read.promql([])).toBe('sum by (pod) (rate(a{namespace="shop"}[2m]))');
});

test.each([
  [{ promql: 'a{namespace="other"}' }, "its query cannot be confined to the namespace: "],
  [{ promql: "a{" }, "its query cannot be confined to the namespace: "],
  [{ source: "team-a" }, "its query is for the source team-a: give it with --query"],
])("%j is not read, and why is said", async (rest, why) => {
  const read = await ownQuery({ ...query, ...rest }, "shop");
  expect(read.ok ? "" : read.why).toContain(why);
});

test("nothing of a query's text stays in an anonymous recording but which ones are the same", () => {
  const target = { type: "AverageValue", averageValue: "10" };
  const entry = (promql: string) => ({
    type: "Query",
    query: { promql, source: "secret-team", podLabel: "secret_label", target },
  });
  const object = {
    kind: "WorkloadAutoscaler",
    metadata: { name: "secret", namespace: "secret" },
    spec: {
      scaleTargetRef: { kind: "Deployment", name: "secret" },
      metrics: [entry("secret_total"), entry("other_secret"), entry("secret_total")],
    },
  };
  const { autoscaler } = anonymize({
    version: 1,
    target: { namespace: "secret", kind: "Deployment", name: "secret" },
    span: { fromMs: 0, toMs: 1 },
    autoscaler: { object, changes: [] },
    pods: [],
    metrics: [],
  } as object as Recording);
  expect(JSON.stringify(autoscaler)).not.toContain("secret");
  const query = { source: "source-1", podLabel: "pod", target };
  expect(autoscaler.object).toMatchObject({
    spec: {
      metrics: [
        { type: "Query", query: { ...query, promql: "query_1" } },
        { query: { promql: "query_2" } },
        { query: { promql: "query_1" } },
      ],
    },
  });
});
