import type { MetricSamples, MetricSpec } from "@plimsoll/core";
import { maxQueries } from "@plimsoll/core/queries";
import { notRequested } from "@plimsoll/observe";
import { expect, test } from "vitest";
import {
  isQueryStatus,
  type QueryStatus,
  queryStatuses,
  sameQueries,
} from "../../../src/reconcile/evaluate/query-status.ts";

const nowMs = Date.parse("2026-11-22T10:00:00Z");
const metrics = [
  { type: "Query", query: { promql: "sum(a)", metric: "query-a", target: { type: "Value", value: "1" } } },
] as object as readonly MetricSpec[];

function statusOf(samples: MetricSamples | undefined, former: readonly QueryStatus[] = []): QueryStatus {
  const all = samples === undefined ? [] : [samples];
  const [status] = queryStatuses({ metrics, samples: all, former, generation: 3, nowMs });
  return status as QueryStatus;
}
const said = ({ conditions }: QueryStatus): readonly string[] =>
  conditions.map(({ type, status, reason, message }) => `${type}=${status} ${reason}: ${message}`);
const values = (query?: string): MetricSamples => ({ values: [{ value: "1" }], query });
const served = statusOf(values("sum(a) of default"));

test("a query with values is accepted and resolved, and shows what was sent", () => {
  expect(said(served)).toEqual([
    "Accepted=True Accepted: the adapter serves the query",
    "Resolved=True Resolved: the query returned values",
  ]);
  expect(served).toMatchObject({ name: "query[0]", metric: "query-a", query: "sum(a) of default" });
  expect(served.conditions[0]).toMatchObject({
    lastTransitionTime: "2026-11-22T10:00:00Z",
    observedGeneration: 3,
  });
});

test.each([
  "InvalidSpec",
  "NamespaceMatcher",
  "Unparsable",
  "Unsupported",
  "TooCostly",
  "LimitExceeded",
  "UnknownSource",
  "SourceNotForNamespace",
  "NotServed",
])("the adapter does not serve a query for the reason %s", (reason) => {
  const status = statusOf({ error: "no", reason }, [served]);
  expect(said(status)[0]).toMatch(new RegExp(`^Accepted=False ${reason}: no`));
  expect(said(status)[1]).toMatch(/^Resolved=False NotAccepted: the adapter rejected the query/);
  expect(status.query).toBeUndefined();
});

test.each(["NoSeries", "NoObjectLabel", "NoValue", "QueryFailed"])(
  "a query that is served has no value for the reason %s",
  (reason) => {
    const status = statusOf({ error: "no", reason }, [served]);
    expect(said(status)[0]).toBe("Accepted=True Accepted: the adapter serves the query");
    expect(said(status)[1]).toMatch(new RegExp(`^Resolved=False ${reason}: no`));
    expect(status.query).toBe("sum(a) of default");
  },
);

test("another failure does not say whether the adapter serves the query: what was known stays", () => {
  const unknown = statusOf({ error: "no route" });
  expect(said(unknown)[0]).toBe("Accepted=Unknown NotChecked: the query hasn't run yet");
  expect(said(unknown)[1]).toMatch(/^Resolved=False QueryFailed: no route/);
  const known = statusOf({ error: "no route", reason: "Timeout" }, [served]);
  expect(said(known)[0]).toBe("Accepted=True Accepted: the adapter serves the query");
  expect(said(known)[1]).toMatch(/^Resolved=False Timeout: no route/);
});

test("a query that was not asked for is as it was before, or not checked", () => {
  expect(statusOf(notRequested, [{ ...served, name: "query[7]" }])).toEqual(served);
  expect(said(statusOf(undefined))).toEqual([
    "Accepted=Unknown NotChecked: the query hasn't run yet",
    "Resolved=Unknown NotChecked: the query hasn't run yet",
  ]);
});

test("what was known of a query stays as it was said, with its code", () => {
  const refused = statusOf({ error: "no", reason: "Unparsable" });
  const later = statusOf({ error: "no route" }, [refused]);
  expect(later.conditions[0]).toEqual(refused.conditions[0]);
  expect(statusOf({ error: "no route" }, [{ ...refused, conditions: [] }]).conditions[0]).toMatchObject({
    status: "Unknown",
    reason: "NotChecked",
  });
});

test("each query has its position as its name, and keeps what was known of it when it moves", () => {
  const query = (metric: string, promql = metric) => ({ type: "Query", query: { promql, metric } });
  const all = [{ type: "Pods" }, query("a"), query("dropped", ""), query("b")] as object as typeof metrics;
  const samples = [values(), notRequested, values(), values("b of default")];
  const former = [
    { ...served, name: "query[0]", metric: "b" },
    { ...served, name: "query[9]", metric: "a", query: "a of default" },
  ];
  const at = { samples, former, generation: 3, nowMs: nowMs + 60_000 };
  const statuses = queryStatuses({ ...at, metrics: all });
  expect(statuses.map(({ name, metric, query }) => [name, metric, query])).toEqual([
    ["query[1]", "a", "a of default"],
    ["query[3]", "b", "b of default"],
  ]);
  for (const { conditions } of statuses) expect(conditions).toEqual(served.conditions);
  const many = Array.from({ length: 200 }, (_, n) => query(`m${n}`)) as object as typeof metrics;
  expect(queryStatuses({ ...at, metrics: many })).toHaveLength(maxQueries);
});

test("a condition keeps its time while its status stays; a long message is cut", () => {
  const later = { metrics, samples: [values()], generation: undefined, nowMs: nowMs + 60_000 };
  const [again] = queryStatuses({ ...later, former: [served] });
  expect(again?.conditions[0]?.lastTransitionTime).toBe("2026-11-22T10:00:00Z");
  expect(again?.conditions[0]).not.toHaveProperty("observedGeneration");
  expect(again).not.toHaveProperty("query");
  const failed = { error: "x".repeat(2000), reason: "NoSeries" };
  const [, resolved] = queryStatuses({ ...later, samples: [failed], former: [served] })[0]?.conditions ?? [];
  expect(resolved?.lastTransitionTime).toBe("2026-11-22T10:01:00Z");
  expect(resolved?.message.match(/x+/)?.[0]).toHaveLength(1000);
});

test("each condition keeps its own time", () => {
  const since = "2026-11-22T09:00:00Z";
  const conditions = served.conditions.map((one) =>
    one.type === "Resolved" ? { ...one, status: "False" as const, lastTransitionTime: since } : one,
  );
  const failing = statusOf({ error: "no", reason: "NoSeries" }, [{ ...served, conditions }]);
  expect(failing.conditions.map((one) => one.lastTransitionTime)).toEqual(["2026-11-22T10:00:00Z", since]);
});

test("only what people read makes two lists differ", () => {
  const [accepted, resolved] = served.conditions;
  const later = {
    ...served,
    conditions: served.conditions.map((one) => ({ ...one, observedGeneration: 4 })),
  };
  expect(sameQueries([served], [later])).toBe(true);
  expect(sameQueries([], [])).toBe(true);
  expect(sameQueries([served], [])).toBe(false);
  expect(sameQueries([served], [{ ...served, query: "other" }])).toBe(false);
  const failed = { ...served, conditions: [accepted, { ...resolved, status: "False" }] } as QueryStatus;
  expect(sameQueries([served], [failed])).toBe(false);
  expect(sameQueries([], [served])).toBe(false);
  for (const change of [{ name: "query[1]" }, { metric: "query-b" }, { conditions: [] }])
    expect(sameQueries([served], [{ ...served, ...change }])).toBe(false);
  for (const change of [{ type: "Other" }, { reason: "Other" }, { message: "other" }]) {
    const conditions = served.conditions.map((one) => ({ ...one, ...change }));
    expect(sameQueries([served], [{ ...served, conditions }])).toBe(false);
  }
});

test("a stored entry without conditions is none", () => {
  expect([served, { name: "x" }, null, undefined].map(isQueryStatus)).toEqual([true, false, false, false]);
});
