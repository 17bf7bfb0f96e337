// The command simulate: its reports, and that jobs change nothing.
import { expect, test } from "vitest";
import { cli, hpa, scenario, simulated } from "./small-scenario.ts";

const example = "examples/simulate/evening-peak.yaml";

test("the example compares two targets", async () => {
  const { code, out, err } = await cli(["simulate", example, "--runs", "1", "--duration", "2h"]);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  expect(out).toContain("evening-peak: 2 h, 1 run, seed 1\n");
  expect(out).toMatch(/^AUTOSCALER +POD-HOURS +OVER IDEAL +HOT +SHORT POD-MIN/m);
  expect(out).toMatch(/^as it stands +\d/m);
  expect(out).toMatch(/^pods {2}2 {2}[▁-█]+ {2}\d+$/m);
  expect(out).toContain("ok  as it stands: hotSeconds <= 600, was ");
});

test("JSON has figures with their range, digests and assumptions", async () => {
  const { code, out } = await simulated(scenario({}), "-o", "json", "--runs", "3");
  expect(code).toBe(0);
  const document = JSON.parse(out) as Record<string, unknown>;
  expect(document).toMatchObject({
    schema: "plimsoll/simulate/v1",
    version: "1.2.3",
    seed: 1,
    runs: 3,
    columns: [
      {
        name: "now",
        runs: 3,
        // The load is six times as high after five minutes.
        steps: [[{ from: 100, to: 600, reaction: expect.any(Number), settling: expect.any(Number) }]],
        scores: {
          podsStarted: { median: expect.any(Number), low: expect.any(Number), high: expect.any(Number) },
        },
      },
    ],
    expectations: [],
  });
  expect(document["scenarioDigest"]).toMatch(/^sha256:[0-9a-f]{64}$/);
  expect(document["assumptions"]).toContainEqual({
    path: "controller.syncPeriod",
    value: "15s",
    source: "default",
  });
  expect(document["assumptions"]).toContainEqual({
    path: "workloads[0].pod.concurrency",
    value: "8",
    source: "given",
  });
  expect(document["assumptions"]).toContainEqual({
    path: "workloads[0].replicas",
    value: "1",
    source: "estimated",
  });
});

test("a live query reacts within seconds of a step, a scraped metric within a minute", async () => {
  const live = `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: {name: shop, namespace: default}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 30
  metrics:
    - type: Query
      query: {promql: "sum(rate(a[5s]))", live: {port: metrics}, target: {type: AverageValue, averageValue: "100"}}`;
  const text = scenario({ duration: "10m", rest: "  - {name: live, file: live.yaml}" }).replace(
    "      http_requests",
    '      "query[0]": {of: offered, query: rate, window: 5s}\n      http_requests',
  );
  const files = { "s.yaml": text, "hpa.yaml": hpa, "live.yaml": live };
  const { code, out, err } = await cli(["simulate", "s.yaml"], files);
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const seconds = (name: string) =>
    Number(new RegExp(`^${name}: reacts ([\\d.]+) s after a step of the load$`, "m").exec(out)?.[1]);
  expect(seconds("live")).toBeLessThan(3.5);
  expect(seconds("now")).toBeGreaterThan(10);
});

test("the bytes are the same with one job and with several, and with the same seed only", async () => {
  const text = scenario({ load: "{constant: 300, noise: {deviation: 20%, memory: 30s}}" });
  const [one, two, other] = await Promise.all([
    simulated(text, "-o", "json", "--runs", "4", "--jobs", "1"),
    simulated(text, "-o", "json", "--runs", "4", "--jobs", "3"),
    simulated(text, "-o", "json", "--runs", "4", "--seed", "9"),
  ]);
  expect(one.err).toBe("");
  expect(two).toEqual(one);
  expect(other.out).not.toBe(one.out);
});

test("an interruption prints the runs that are complete", async () => {
  const interruption = new AbortController();
  let nowMs = 0;
  const { out, err } = await cli(
    ["simulate", "s.yaml", "--runs", "4", "-o", "json"],
    { "s.yaml": scenario({}), "hpa.yaml": hpa },
    {
      // So slow that progress is shown after each run; the first line of it is the interruption.
      nowMs: () => (nowMs += 60_000),
      signal: interruption.signal,
      onError: () => interruption.abort(),
    },
  );
  expect(JSON.parse(out)).toMatchObject({
    runs: 4,
    columns: [{ name: "now", runs: 1, scores: { podHours: { median: expect.any(Number) } } }],
    notes: ["interrupted: 1 of 4 runs are complete"],
  });
  expect(err).toContain("note: interrupted: 1 of 4 runs are complete\n");
});

test("an interruption leaves columns that can be compared", async () => {
  const interruption = new AbortController();
  let nowMs = 0;
  const { out } = await cli(
    ["simulate", "s.yaml", "--runs", "4", "--autoscaler", "hpa.yaml", "-o", "json"],
    { "s.yaml": scenario({}), "hpa.yaml": hpa },
    {
      nowMs: () => (nowMs += 60_000),
      signal: interruption.signal,
      onError: () => interruption.abort(),
    },
  );
  const { columns } = JSON.parse(out) as { readonly columns: readonly { readonly runs: number }[] };
  const [first = 0, second = 0] = columns.map(({ runs }) => runs);
  expect(first + second).toBeLessThan(8);
  expect(first - second).toBeLessThanOrEqual(1);
});

test("the report and the picture are as they were looked at", async () => {
  const short = [example, "--runs", "1", "--duration", "20h", "--seed", "3"];
  const { out } = await cli(
    ["simulate", ...short],
    {},
    { terminal: { isTty: false, columns: undefined, isUtf8: true }, env: { COLUMNS: "80" } },
  );
  await expect(out).toMatchFileSnapshot("golden/evening-peak.txt");
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  const { out: svg } = await cli(["simulate", ...short, "-o", "svg"]);
  expect(svg.length).toBeLessThan(200_000);
  await expect(svg).toMatchFileSnapshot("golden/evening-peak.svg");
});

test("SVG, CSV and Markdown", async () => {
  const svg = await simulated(scenario({}), "-o", "svg");
  expect(svg.out).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
  expect(svg.out.length).toBeLessThan(200_000);
  expect(svg.out).not.toContain("NaN");
  const csv = await simulated(scenario({}), "-o", "csv");
  const rows = csv.out.trimEnd().split("\n");
  expect(rows).toHaveLength(1441);
  expect(rows[0]).toBe("autoscaler,workload,time,load,capacity,ready,desired,hot,short,backlog");
  expect(rows[1]).toBe("now,shop,2026-11-27T00:00:00Z,100,200,1,1,0,0,0");
  const markdown = await simulated(scenario({}), "-o", "markdown");
  expect(markdown.out).toContain("### small\n");
  expect(markdown.out).toContain("| Autoscaler | Pod-hours |");
});

test("what is expected and false ends with 2", async () => {
  const rest = 'expect: [{autoscaler: now, podHours: "<= 0.1"}, {hotSeconds: ">= 0"}]';
  const { code, out } = await simulated(scenario({ rest }));
  expect(code).toBe(2);
  expect(out).toMatch(/^FAILED {2}now: podHours <= 0.1, was \d/m);
  expect(out).toMatch(/^ok {2}now: hotSeconds >= 0, was \d/m);
});

test("--at explains a decision, and --autoscaler adds a column", async () => {
  const { code, out } = await simulated(scenario({}), "--at", "6m");
  expect(code).toBe(0);
  expect(out).toMatch(/^now, shop, 2026-11-27T00:0[56]:\d\dZ \(\d+\.\d\d s after the start\)\n/);
  expect(out).toContain("http_requests_per_second");
  const two = await simulated(scenario({}), "--autoscaler", "hpa.yaml");
  expect(two.out).toMatch(/^hpa.yaml +\d/m);
  expect((await simulated(scenario({}), "--at", "2h")).err).toContain(
    "--at 2h is outside the simulation, 2026-11-27T00:00:00Z to 2026-11-27T00:30:00Z",
  );
  expect((await simulated(scenario({}), "--at", "5m", "--column", "2")).err).toContain(
    "--column 2: the scenario's last column is 1",
  );
});
