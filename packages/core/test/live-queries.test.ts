import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decide, type MetricSpec, metricRows } from "../src/index.ts";
import { asWritten, liveIntervalMs, readQueries, withQueries } from "../src/objects/queries/index.ts";
import { externalInput, hpaOf } from "./fixtures.ts";

const target = { type: "AverageValue", averageValue: "100" };
const query = (promql: unknown, rest: object = {}) => ({ type: "Query", query: { promql, target, ...rest } });

const live = (block: unknown, rest: object = {}) =>
  readQueries("shop", [query("sum(a)", { live: block, ...rest })])[0];
const problems = (block: unknown, rest?: object) =>
  (live(block, rest)?.problems ?? []).map(({ path, message }) => `${path}: ${message}`);

test("live has defaults, which make no other query", () => {
  const [short, whole] = [
    live({ port: "metrics" }),
    live({ port: "metrics", path: "/metrics", interval: "1s", scheme: "http" }),
  ];
  expect(short?.query.live).toEqual({ port: "metrics", path: "/metrics", interval: "1s", scheme: "http" });
  expect(short?.problems).toEqual([]);
  expect(whole?.query.metric).toBe(short?.query.metric);
  expect(live({ port: 8080 })?.query.metric).not.toBe(short?.query.metric);
  expect(liveIntervalMs({ interval: "15s" })).toBe(15_000);
});

test("live comes back as it was written, in a record, too", () => {
  const [metric] = withQueries(
    [query("a", { live: { port: 8080, podSelector: { matchLabels: { app: "x" } } } })],
    [
      ...readQueries("shop", [
        query("a", { live: { port: 8080, podSelector: { matchLabels: { app: "x" } } } }),
      ]),
    ],
  ) as MetricSpec[];
  expect(metric === undefined ? undefined : asWritten(metric)).toMatchObject({
    query: { live: { port: 8080, podSelector: { matchLabels: { app: "x" } } } },
  });
});

test.each<readonly [unknown, string]>([
  ["metrics", "spec.metrics[0].query.live: is not an object: give the port, such as {port: metrics}"],
  [
    {},
    "spec.metrics[0].query.live.port: is missing: give the name or the number of a declared container port",
  ],
  [
    { port: 0 },
    "spec.metrics[0].query.live.port: cannot be used: give the name or the number of a declared container port",
  ],
  [{ port: "8080" }, "spec.metrics[0].query.live.port: cannot be used: write a number without quotes"],
  [
    { port: "m", path: "metrics" },
    "spec.metrics[0].query.live.path: cannot be used: it begins with / and has no spaces, such as /metrics",
  ],
  [
    { port: "m", path: "/a\r\nHost: b" },
    "spec.metrics[0].query.live.path: cannot be used: it begins with / and has no spaces, such as /metrics",
  ],
  [
    { port: "m", interval: "500ms" },
    "spec.metrics[0].query.live.interval: cannot be used: give whole seconds from 1s to 60s",
  ],
  [{ port: "m", scheme: "file" }, "spec.metrics[0].query.live.scheme: cannot be used: use http or https"],
  [
    { port: "m", host: "a" },
    "spec.metrics[0].query.live.host: is unknown: live has port, path, interval, scheme, podSelector",
  ],
  [
    { port: "m", podSelector: "a=b" },
    "spec.metrics[0].query.live.podSelector: is not a label selector: use matchLabels or matchExpressions",
  ],
  [
    { port: "m", podSelector: { matchExpressions: [{ key: "a", operator: "Is" }] } },
    'spec.metrics[0].query.live.podSelector: "Is" is not a valid label selector operator',
  ],
])("live of %j is refused", (block, problem) => {
  expect(problems(block)).toEqual([problem]);
});

test("a decision says where the values of a live query are from", () => {
  const metrics = [query("sum(a)"), query("sum(a)", { live: { port: 8080, interval: "5s" } })];
  const specs = withQueries(metrics, readQueries("shop", metrics)) as MetricSpec[];
  const samples = specs.map(() => ({ values: [{ value: "450" }] }));
  const { decision } = decide(externalInput("", 1, { hpa: hpaOf({ metrics: specs }), samples }));
  const sources = metricRows(decision).map(({ live: source }) => source);
  expect(sources).toEqual([undefined, "port 8080 of the pods, every 5s"]);
});

test("live and a source exclude each other", () => {
  expect(problems({ port: "m" }, { source: "team" })).toEqual([
    "spec.metrics[0].query.source: has no meaning with live: remove one of the two",
  ]);
});

test("live of any value reads without an exception", () => {
  assertProperty(
    fc.property(fc.jsonValue(), (block) => {
      expect(live(block)?.query.metric).toMatch(/^shop@query\.[0-9a-f]{16}$/);
    }),
  );
});
