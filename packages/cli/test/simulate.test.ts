// The command simulate: its reports, what it says of bad files, and that jobs change nothing.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { inferLoad, readAutoscaler, recordingLines } from "@plimsoll/simulator";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCli } from "../src/index.ts";
import { simulatedRecording } from "./simulated-recording.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

interface Surroundings {
  readonly nowMs?: () => number;
  readonly signal?: AbortSignal;
  readonly onError?: () => void;
}

async function cli(
  args: readonly string[],
  files: Readonly<Record<string, string>> = {},
  around: Surroundings = {},
) {
  let out = "";
  let error = "";
  const code = await runCli({
    args,
    name: "plimsoll",
    version: "1.2.3",
    readText: async (path) => files[path] ?? readFileSync(`${root}/${path}`, "utf8"),
    writeOut: (text) => {
      out += text;
    },
    writeError: (text) => {
      error += text;
      around.onError?.();
    },
    nowMs: around.nowMs ?? (() => Date.parse("2026-11-21T12:00:00Z")),
    signal: around.signal ?? new AbortController().signal,
  });
  return { code, out, error };
}

const example = "examples/simulate/evening-peak.yaml";
const hpa = readFileSync(`${root}/examples/simulate/hpa.yaml`, "utf8");
const scenario = (of: {
  readonly load?: string;
  readonly pod?: string;
  readonly rest?: string;
  readonly duration?: string;
}) => `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: Scenario
metadata: {name: small}
start: "2026-11-27T00:00:00Z"
duration: ${of.duration ?? "30m"}
workloads:
  - name: shop
    load: ${of.load ?? "{steps: [{at: 0s, value: 100}, {at: 5m, value: 600}]}"}
    pod: ${of.pod ?? "{serviceTime: {mean: 40ms}, concurrency: 8, requests: {cpu: 500m}}"}
    metrics:
      http_requests_per_second: {of: requests, query: rate, window: 1m}
autoscalers:
  - {name: now, file: hpa.yaml}
${of.rest ?? ""}`;

const simulated = (text: string, ...more: readonly string[]) =>
  cli(["simulate", "s.yaml", ...more], { "s.yaml": text, "hpa.yaml": hpa });

test("the example compares two targets", async () => {
  const { code, out, error } = await cli(["simulate", example, "--runs", "1", "--duration", "2h"]);
  expect({ code, error }).toEqual({ code: 0, error: "" });
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

test("the bytes are the same with one job and with several, and with the same seed only", async () => {
  const text = scenario({ load: "{constant: 300, noise: {deviation: 20%, memory: 30s}}" });
  const [one, two, other] = await Promise.all([
    simulated(text, "-o", "json", "--runs", "4", "--jobs", "1"),
    simulated(text, "-o", "json", "--runs", "4", "--jobs", "3"),
    simulated(text, "-o", "json", "--runs", "4", "--seed", "9"),
  ]);
  expect(one.error).toBe("");
  expect(two).toEqual(one);
  expect(other.out).not.toBe(one.out);
});

test("an interruption prints the runs that are complete", async () => {
  const interruption = new AbortController();
  let nowMs = 0;
  const { out, error } = await cli(
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
  expect(error).toContain("note: interrupted: 1 of 4 runs are complete\n");
});

test("the report and the picture are as they were looked at", async () => {
  const short = [example, "--runs", "1", "--duration", "20h", "--seed", "3"];
  const { out } = await cli(["simulate", ...short]);
  await expect(out).toMatchFileSnapshot("golden/evening-peak.txt");
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
  expect((await simulated(scenario({}), "--at", "2h")).error).toContain("--at 2h is not in the simulation");
  expect((await simulated(scenario({}), "--at", "5m", "--column", "2")).error).toContain(
    "there are 1 columns",
  );
});

const pod = "{serviceTime: {mean: 40ms}, concurrency: 8}";
test.each([
  ["a field that is not known", scenario({ rest: "lod: 3" }), "lod is no field here: use one of apiVersion"],
  [
    "a number without a unit",
    scenario({ pod: "{serviceTime: {mean: 40ms}, concurrency: 8, start: {ready: 20}}" }),
    "workloads[0].pod.start.ready 20 is no duration: write 20s",
  ],
  [
    "a negative time",
    scenario({ pod: "{serviceTime: {mean: -40ms}, concurrency: 8}" }),
    'workloads[0].pod.serviceTime.mean "-40ms" is negative: write such as 30s or 5m',
  ],
  [
    "no capacity",
    scenario({ pod: "{serviceTime: {mean: 40ms}, concurrency: 8, limits: {cpu: 0}, cpuPerRequest: 6ms}" }),
    "with cpu 0 give a pod a capacity of zero: write a limit above zero",
  ],
  [
    "memory above its limit",
    scenario({
      pod: "{serviceTime: {mean: 40ms}, concurrency: 8, limits: {memory: 64Mi}, memory: {base: 100Mi}}",
    }),
    'workloads[0].pod.memory.base "100Mi" is above the limit of memory: a pod would never run: raise limits.memory',
  ],
  ["a load that is none", scenario({ load: "{}" }), "workloads[0].load says no load: write one of constant"],
  [
    "an unknown time zone",
    scenario({ load: '{daily: {low: 1, high: 2, peakAt: "20:00", timeZone: Mars/Olympus}}' }),
    "is no time zone: use a name of the IANA list",
  ],
  [
    "a metric without meaning",
    scenario({}).replace("      http_requests_per_second:", "      packets:"),
    "workloads[0].metrics lacks http_requests_per_second, on which hpa.yaml scales: say what it measures",
  ],
  [
    "more than two years",
    scenario({ duration: "20000h" }),
    "is longer than two years: shorten it, or use --duration",
  ],
  [
    "too many syncs",
    scenario({ duration: "17000h", rest: "controller: {syncPeriod: 1s}" }),
    "makes 61,200,000 syncs, more than 50,000,000: shorten it, or use --duration",
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
    'expect[0].podHours "many" is no bound: write such as "<= 60"',
  ],
  [
    "an unknown column",
    scenario({ rest: 'expect: [{autoscaler: x, podHours: "< 1"}]' }),
    "is no autoscaler of this file: use one of now",
  ],
])("%s is said with its place, and ends with 1", async (_, text, message) => {
  const { code, out, error } = await simulated(text);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(error).toContain(message);
  expect(error).toMatch(/^error: s\.yaml:\d+:\d+: document 1: /);
});

test("all problems at once", async () => {
  const { error } = await simulated(
    scenario({ pod: "{concurrency: 0}", load: "{constant: -1}", rest: "seed: x" }),
  );
  expect(error.trimEnd().split("\n").length).toBeGreaterThanOrEqual(4);
});

test("an autoscaler that the API would refuse", async () => {
  const bad = hpa.replace("maxReplicas: 60", "maxReplicas: 1");
  const { code, error } = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}), "hpa.yaml": bad });
  expect(code).toBe(1);
  expect(error).toContain(
    "has an autoscaler that the API would refuse: spec.maxReplicas: 1: must be greater than or equal to `minReplicas`",
  );
});

test("a utilization of requests that pods do not have", async () => {
  const cpu = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, maxReplicas: 3}
`;
  const { error } = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({ pod }), "hpa.yaml": cpu });
  expect(error).toContain(
    "workloads[0].pod.requests lacks cpu, of whose requests hpa.yaml wants a utilization",
  );
});

test.each([
  ["", "has no rows: it needs at least one below its first row"],
  [
    "2026-11-27T00:00:00Z,5\n2026-11-27T00:00:00Z,6\n",
    't.csv row 3, column time: "2026-11-27T00:00:00Z" is not after the row before',
  ],
  ["0,NaN\n", 't.csv row 2, column value: "NaN" is no number'],
  ["0,Infinity\n", 't.csv row 2, column value: "Infinity" is no number'],
  ["0,-3\n", 't.csv row 2, column value: "-3" is negative'],
  ["then,3\n", 't.csv row 2, column time: "then" is no instant'],
])("a table that is %j", async (rows, message) => {
  const text = scenario({ load: "{csv: {file: t.csv}}" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": `time,value\n${rows}` };
  const { code, error } = await cli(["simulate", "s.yaml"], files);
  expect(code).toBe(1);
  expect(error).toContain(message);
});

test("a table without its columns, and a file that is not there", async () => {
  const text = scenario({ load: "{csv: {file: t.csv, value: rps}}" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": "time,value\n0,1\n" };
  expect((await cli(["simulate", "s.yaml"], files)).error).toContain(
    "is no column of t.csv: its first row has time, value",
  );
  const absent = await cli(["simulate", "s.yaml"], { "s.yaml": scenario({}) });
  expect(absent.error).toContain("cannot read hpa.yaml");
  expect((await cli(["simulate", "s.yaml"], { "s.yaml": hpa })).error).toContain(
    "there is no Scenario in s.yaml",
  );
});

test("a table of counts in a minute is a load per second", async () => {
  const text = scenario({ load: "{csv: {file: t.csv, per: 1m}}", duration: "2m" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": "time,value\n-600,600\n60,1200\n" };
  const { out } = await cli(["simulate", "s.yaml", "-o", "json"], files);
  expect(JSON.parse(out)).toMatchObject({
    columns: [{ scores: { offered: { median: expect.closeTo(1800, 6) } } }],
  });
});

describe("the load of a recording", () => {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-simulate-"));
  const path = join(folder, "shop.jsonl.gz");
  const recording = simulatedRecording();
  beforeAll(() => writeFileSync(path, gzipSync([...recordingLines(recording)].join(""))));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("begins at the start of the scenario, and has as many requests as were recorded", async () => {
    const text = scenario({ load: `{recording: ${path}}`, duration: "2h" });
    const { out, error } = await simulated(text, "-o", "json");
    expect(error).toBe("");
    const read = readAutoscaler(recording.autoscaler.object);
    if (!read.ok) throw new Error(read.message);
    const inferred = inferLoad(recording, { autoscaler: read.autoscaler, rateMs: 60_000, scrapeMs: 15_000 });
    if (!inferred.ok) throw new Error(inferred.message);
    const { fromMs, bucketMs, perSecond } = inferred.load.series;
    const untilMs = recording.span.fromMs + 7_200_000;
    const expected = [...perSecond].reduce((sum, one, at) => {
      const from = Math.max(recording.span.fromMs, fromMs + at * bucketMs);
      const to = Math.min(untilMs, fromMs + (at + 1) * bucketMs);
      return sum + (one * Math.max(0, to - from)) / 1000;
    }, 0);
    const document = JSON.parse(out) as {
      readonly columns: readonly { readonly scores: { readonly offered: { readonly median: number } } }[];
    };
    expect(document.columns[0]?.scores.offered.median).toBeCloseTo(expected, 3);
  });

  test("a file that is no recording, and one that is not there", async () => {
    const wrong = join(folder, "wrong.jsonl");
    writeFileSync(wrong, "{}\n");
    const { code, error } = await simulated(scenario({ load: `{recording: {file: ${wrong}, window: 2m}}` }));
    expect(code).toBe(1);
    expect(error).toContain(`workloads[0].load.recording.file "${wrong}" cannot be read: ${wrong}: `);
    const absent = await simulated(scenario({ load: "{recording: absent.jsonl}" }));
    expect(absent.error).toContain('workloads[0].load.recording.file "absent.jsonl" cannot be read: ');
  });
});
