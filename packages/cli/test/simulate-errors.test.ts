// What the command simulate says of bad files.
import { expect, test } from "vitest";
import { cli, hpa, scenario, simulated } from "./small-scenario.ts";

const pod = "{serviceTime: {mean: 40ms}, concurrency: 8}";
test.each([
  ["a field that is unknown", scenario({ rest: "lod: 3" }), "lod is not a field here: use one of apiVersion"],
  [
    "a number without a unit",
    scenario({ pod: "{serviceTime: {mean: 40ms}, concurrency: 8, start: {ready: 20}}" }),
    "workloads[0].pod.start.ready 20 is not a duration: use 20s",
  ],
  [
    "a negative time",
    scenario({ pod: "{serviceTime: {mean: -40ms}, concurrency: 8}" }),
    'workloads[0].pod.serviceTime.mean "-40ms" is negative: use a value such as 30s or 5m',
  ],
  [
    "no capacity",
    scenario({ pod: "{serviceTime: {mean: 40ms}, concurrency: 8, limits: {cpu: 0}, cpuPerRequest: 6ms}" }),
    "with cpu 0 gives a pod no capacity: use a limit above zero",
  ],
  [
    "memory above its limit",
    scenario({
      pod: "{serviceTime: {mean: 40ms}, concurrency: 8, limits: {memory: 64Mi}, memory: {base: 100Mi}}",
    }),
    'workloads[0].pod.memory.base "100Mi" is above the memory limit, so no pod could run: raise limits.memory',
  ],
  [
    "a load that is none",
    scenario({ load: "{}" }),
    "workloads[0].load is empty: use exactly one of constant, steps, points, ",
  ],
  [
    "an unknown time zone",
    scenario({ load: '{daily: {low: 1, high: 2, peakAt: "20:00", timeZone: Mars/Olympus}}' }),
    "is not a time zone: use a name of the IANA list",
  ],
  [
    "a metric without meaning",
    scenario({}).replace("      http_requests_per_second:", "      packets:"),
    "workloads[0].metrics has no http_requests_per_second, but hpa.yaml scales on it: define it: http_requests_per_second: { of: requests, query: rate, window: 1m }",
  ],
  [
    "more than two years",
    scenario({ duration: "20000h" }),
    "is longer than two years: shorten it, or use --duration",
  ],
  [
    "too many syncs",
    scenario({ duration: "17000h", rest: "controller: {syncPeriod: 1s}" }),
    "needs 61,200,000 syncs; at most 50,000,000 are allowed: shorten it, or use --duration",
  ],
  [
    "a patch of nothing",
    scenario({}).replace(
      "file: hpa.yaml",
      "file: hpa.yaml, patch: [{op: replace, path: /spec/a/b, value: 1}]",
    ),
    "has no /spec/a/b, which entry 0 of the patch changes",
  ],
  [
    "a bound that is none",
    scenario({ rest: "expect: [{podHours: many}]" }),
    'expect[0].podHours "many" is not a bound: use one such as "<= 60"',
  ],
  [
    "an unknown column",
    scenario({ rest: 'expect: [{autoscaler: x, podHours: "< 1"}]' }),
    "is not an autoscaler in this file: use one of now",
  ],
])("%s is said with its place, and ends with 1", async (_, text, message) => {
  const { code, out, err } = await simulated(text);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
  expect(err).toMatch(/^error: s\.yaml:\d+:\d+: document 1: /);
});

test("all problems at once", async () => {
  const { err } = await simulated(
    scenario({ pod: "{concurrency: 0}", load: "{constant: -1}", rest: "seed: x" }),
  );
  expect(err.trimEnd().split("\n").length).toBeGreaterThanOrEqual(4);
});

test("an autoscaler that the API would reject", async () => {
  const bad = hpa.replace("maxReplicas: 60", "maxReplicas: 1");
  const { code, err } = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}), "hpa.yaml": bad });
  expect(code).toBe(1);
  expect(err).toContain(
    "has an autoscaler that the API would reject: spec.maxReplicas: 1: must be greater than or equal to `minReplicas`",
  );
});

test("a utilization of requests that pods do not have", async () => {
  const cpu = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, maxReplicas: 3}
`;
  const { err } = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({ pod }), "hpa.yaml": cpu });
  expect(err).toContain("workloads[0].pod.requests has no cpu, but hpa.yaml has a target in percent of it");
});

test.each([
  ["", "has no rows: add at least one row below the header"],
  [
    "2026-11-27T00:00:00Z,5\n2026-11-27T00:00:00Z,6\n",
    't.csv row 3, column time: "2026-11-27T00:00:00Z" is not after the row before',
  ],
  ["0,NaN\n", 't.csv row 2, column value: "NaN" is not a number'],
  ["0,Infinity\n", 't.csv row 2, column value: "Infinity" is not a number'],
  ["0,-3\n", 't.csv row 2, column value: "-3" is negative'],
  ["then,3\n", 't.csv row 2, column time: "then" is not a time'],
])("a table that is %j", async (rows, message) => {
  const text = scenario({ load: "{csv: {file: t.csv}}" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": `time,value\n${rows}` };
  const { code, err } = await cli(["simulate", "s.yaml"], files);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test("a table without its columns, and a file that is not there", async () => {
  const text = scenario({ load: "{csv: {file: t.csv, value: rps}}" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": "time,value\n0,1\n" };
  expect((await cli(["simulate", "s.yaml"], files)).err).toContain(
    "is not a column of t.csv: its first row has time, value",
  );
  const absent = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}) });
  expect(absent.err).toContain("cannot read hpa.yaml");
  expect((await cli(["simulate", "s.yaml"], { "s.yaml": hpa })).err).toContain("no Scenario in s.yaml");
});
