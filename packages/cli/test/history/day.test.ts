// `plimsoll backtest --prometheus-url` on a made-up day in the real Prometheus.
import { readFile } from "node:fs/promises";
import { asOurs, fromMs, hpa, type MadeUpSeries, madeUpDay } from "@plimsoll/backtest/testing";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { BacktestDocument } from "../../src/commands/backtest/document.ts";
import type { TuneDocument } from "../../src/commands/tune/document.ts";
import { fakeCluster } from "../cluster/fake-cluster.ts";
import { schemaErrors } from "../published-schema.ts";
import { plimsoll } from "../run-plimsoll.ts";
import { backtest, manifest, manifestFolder } from "./command.ts";

const hours = 3;
const day = madeUpDay(hours);
const nowMs = () => day.toMs;
const span = ["--since=3h", "--partial"];

const folder = manifestFolder();
let prometheus: RealPrometheus;
let wla: string;

/** A head takes samples of about the same time only. */
async function write(series: readonly MadeUpSeries[]): Promise<void> {
  const sliceMs = 1_800_000;
  for (let at = fromMs; at < day.toMs; at += sliceMs) {
    const part = series.map(({ labels, samples }) => ({
      labels,
      samples: samples.filter(([atMs]) => atMs >= at && atMs < at + sliceMs),
    }));
    await prometheus.write(part.filter(({ samples }) => samples.length > 0));
  }
}

beforeAll(async () => {
  await folder.write("hpa.yaml", manifest());
  await folder.write("both.yaml", `${manifest()}\n---\n${manifest("other")}`);
  wla = await folder.write(
    "wla.yaml",
    JSON.stringify({ ...hpa, apiVersion: "autoscaling.plimsoll.dev/v1alpha1", kind: "WorkloadAutoscaler" }),
  );
  prometheus = await startRealPrometheus(process.env["PROMETHEUS"] ?? "prometheus");
  await write([...day.series, ...asOurs(day, "WorkloadAutoscaler")]);
});
afterAll(async () => {
  await prometheus?.stop();
});

function run(object: string, file: string, ...more: readonly string[]) {
  const args = ["--prometheus-url", prometheus.url, "--manifest", folder.path(file)];
  return backtest([...(object === "" ? [] : [object]), ...args, ...span, ...more], { nowMs });
}

test("the status alone reproduces the day", async () => {
  const { code, out, err } = await run("hpa/shop", "hpa.yaml");
  expect(err).toMatch(
    /^note: default\/shop: spec\.metrics\[0\] \(load\) has level status: its query is unknown/,
  );
  await expect(out).toMatchFileSnapshot("../golden/backtest-history.txt");
  expect(code).toBe(0);
});

test("as a document it has the published schema, and the same notes", async () => {
  const { code, out } = await run("shop", "hpa.yaml", "-o", "json");
  expect(code).toBe(0);
  expect(schemaErrors("backtest.v1", out)).toBeNull();
  const { objects, notes } = JSON.parse(out) as BacktestDocument;
  expect(objects).toMatchObject([{ object: "default/shop", level: "status", levels: ["status"] }]);
  expect(notes).toHaveLength(1);
  const markdown = await run("shop", "hpa.yaml", "--level=status", "-o", "markdown");
  expect(markdown.err).toContain("has level status: metrics were not requested\n");
  expect(markdown.out).toContain("| default/shop | 2026-11-06T00:00:02Z to ");
});

test("--what-if shows what another target would have done", async () => {
  const other = await folder.write(
    "target-120.yaml",
    manifest("shop", {
      metrics: [
        {
          type: "Pods",
          pods: { metric: { name: "load" }, target: { type: "AverageValue", averageValue: "120" } },
        },
      ],
    }),
  );
  const { code, out } = await run("deploy/shop", "hpa.yaml", "--what-if", other, "-o", "json");
  expect(code).toBe(0);
  const [report] = (JSON.parse(out) as BacktestDocument).objects;
  const recorded = report?.control?.recorded.podHours ?? 0;
  const ours = report?.whatIfs?.[0]?.scores.podHours ?? 0;
  // A fifth more load for each pod.
  expect(ours / recorded).toBeGreaterThan(0.8);
  expect(ours / recorded).toBeLessThan(0.9);
});

test("--all is a line each, and an autoscaler without series is an error beside them", async () => {
  const { code, out, err } = await run("", "both.yaml", "--all");
  expect(code).toBe(1);
  expect(out.trimEnd().split("\n")).toEqual([
    expect.stringMatching(/^AUTOSCALER +LEVEL +CLOCK +REPRODUCED +SKILL +EVENTS +POD-HOURS +MISMATCHES$/),
    expect.stringMatching(/^default\/shop +status +recovered +\S+ % of 7\d\d steps +/),
  ]);
  expect(err).toContain(
    "error: default/other has no series in this time, but these do: default/shop. Check its name, ",
  );
});

test("--all gives the same bytes with one job and with several", async () => {
  const other = await folder.write("min-4.yaml", manifest("shop", { minReplicas: 4 }));
  await folder.write("two.yaml", `${manifest()}\n---\n${await readFile(wla, "utf8")}`);
  const args = ["--all", "--since=1h", "--what-if", other, "--force", "-o", "json"];
  const [one, two] = [
    await run("", "two.yaml", ...args, "--jobs=1"),
    await run("", "two.yaml", ...args, "--jobs=2"),
  ];
  const { objects } = JSON.parse(one.out) as BacktestDocument;
  expect(objects.map(({ whatIfs }) => whatIfs?.length)).toEqual([1, 1]);
  expect(two).toEqual(one);
});

test("what --save writes is the same to backtest, and --anonymize takes its names out", async () => {
  const saved = await run("hpa/shop", "hpa.yaml", "--save", folder.path("shop.jsonl.gz"));
  expect(saved.code).toBe(0);
  const again = await backtest(["--recording", folder.path("shop.jsonl.gz")], { nowMs });
  expect([again.code, again.out]).toEqual([0, saved.out]);
  const file = folder.path("anonymous.jsonl");
  expect((await run("hpa/shop", "hpa.yaml", "--save", file, "--anonymize")).code).toBe(0);
  expect(await readFile(file, "utf8")).not.toContain("shop");
  // Another name breaks the lines at another place.
  const words = (text: string) => text.split(/\s+/);
  expect(words((await backtest(["--recording", file], { nowMs })).out)).toEqual(
    words(saved.out.replaceAll("default/shop", "namespace/workload")),
  );
});

test("a file that cannot be written is an error", async () => {
  const { code, err } = await run("hpa/shop", "hpa.yaml", "--save", folder.path("no/shop.jsonl"));
  expect(code).toBe(1);
  expect(err).toContain(`error: cannot write --save ${folder.path("no/shop.jsonl")}: file not found`);
});

test("a WorkloadAutoscaler has the series of our own autoscaler, with the instants of its decisions", async () => {
  const args = ["wla/shop", "--prometheus-url", prometheus.url, "--manifest", wla, ...span];
  const { code, out } = await backtest([...args, "-o", "json"], { nowMs });
  expect(code).toBe(0);
  const [report] = (JSON.parse(out) as BacktestDocument).objects;
  expect(report?.openLoop.agreed).toBeGreaterThanOrEqual(0.99 * (report?.openLoop.steps ?? Infinity));
});

test("a manifest that is not that of the series is refused with both values and when", async () => {
  await folder.write("changed.yaml", manifest("shop", { maxReplicas: 40 }));
  const { code, err } = await run("hpa/shop", "changed.yaml");
  expect(code).toBe(1);
  expect(err).toMatch(
    /^error: default\/shop: spec\.maxReplicas 40 of the manifest differs from the series: spec_max_replicas was 200 from 2026-11-06T00:00:04Z to \S+: use the manifest of that time\n$/,
  );
});

test("a span that begins before the series is refused, and read from there with --partial", async () => {
  const args = ["hpa/shop", "--prometheus-url", prometheus.url, "--manifest", folder.path("hpa.yaml")];
  const whole = await backtest([...args, "--since=2d"], { nowMs });
  expect(whole.code).toBe(1);
  expect(whole.err).toBe(
    "error: default/shop: its history in the series of kube-state-metrics begins at 2026-11-06T00:00:04Z, after the requested 2026-11-04T03:00:00Z: read from there, or use --partial\n",
  );
  const partial = await backtest([...args, "--since=2d", "--partial"], { nowMs });
  expect(partial.code).toBe(0);
  expect(partial.err).toContain("reading from there");
});

test("without --manifest the cluster has it, and near names for one that it has not", async () => {
  const cluster = fakeCluster();
  cluster.put(JSON.parse(manifest()) as Parameters<typeof cluster.put>[0]);
  const clock = { nowMs, after: () => () => undefined };
  const seams = { nowMs, connect: async () => cluster.connection(clock) };
  const args = ["--prometheus-url", prometheus.url, "-n", "default", ...span];
  const found = await backtest(["hpa/shop", ...args], seams);
  expect([found.code, found.out.split(",")[0]]).toEqual([0, "default/shop"]);
  const all = await backtest(["--all", ...args], seams);
  expect([all.code, all.out.split("\n").length]).toEqual([0, 3]);
  const absent = await backtest(["hpa/shpo", ...args], seams);
  expect([absent.code, absent.err]).toEqual([
    1,
    'error: no HorizontalPodAutoscaler "shpo" in namespace "default"; did you mean "shop"?\n',
  ]);
});

test("tune reads the same history, of which a few hours are too few", async () => {
  const args = ["--prometheus-url", prometheus.url, "--manifest", folder.path("hpa.yaml"), ...span];
  const { code, out, err } = await plimsoll(["tune", "hpa/shop", ...args, "-o", "json"], { nowMs });
  expect(code).toBe(2);
  expect(err).toMatch(/^note: spec\.metrics\[0\] \(load\) has level status/);
  expect(schemaErrors("tune.v1", out)).toBeNull();
  const document = JSON.parse(out) as TuneDocument;
  expect(document).toMatchObject({ object: "default/shop", refusal: { kind: "too-few-days" } });
  expect(document.command).toMatch(/ --until 2026-11-06T03:00:00\.000Z$/);
});
