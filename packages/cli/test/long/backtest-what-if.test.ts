// `plimsoll backtest --what-if`: the control run, what other specifications would have done, and when that is not shown.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Recording, recordingLines } from "@plimsoll/backtest";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, expect, test } from "vitest";
import type { BacktestDocument } from "../../src/commands/backtest/document.ts";
import { schemaErrors } from "../published-schema.ts";
import { plimsoll } from "../run-plimsoll.ts";
import { hpaOf, simulatedRecording } from "../simulated-recording.ts";

const folder = fileFolder();
let recorded: Recording;
beforeAll(async () => {
  recorded = simulatedRecording();
  await write("shop.jsonl", [...recordingLines(recorded)].join(""));
  await write("target-75.yaml", JSON.stringify(hpaOf("75")));
});

async function write(name: string, text: string): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, text);
  return path;
}

async function backtest(...args: readonly string[]) {
  return backtestUntil(Infinity, args);
}

/** Interrupted when the clock has been read so often. */
async function backtestUntil(reads: number, args: readonly string[]) {
  let read = 0;
  const interrupt = new AbortController();
  return plimsoll(["backtest", ...args.map((arg) => arg.replace("{}", folder))], {
    nowMs() {
      if (++read > reads) interrupt.abort();
      return 0;
    },
    signal: interrupt.signal,
  });
}

/** With each paragraph in one line, and one space between its words. */
const unwrapped = (text: string) => text.replace(/\n? {2,}(?=\S)/g, " ");

test("a control run, what is assumed, and a row for each specification", async () => {
  const { code, out, err } = await backtest("--recording", "{}/shop.jsonl", "--what-if", "{}/target-75.yaml");
  expect({ code, err }).toEqual({ code: 0, err: "" });
  const lines = unwrapped(out);
  expect(lines).toMatch(
    /^CONTROL simulated as recorded: pod-hours [+−±]0\.\d %, peak 2\d \(27\), events \d+ \(29\)$/m,
  );
  expect(lines).toMatch(
    /^ASSUMED HOT is a load above 72\.25 of a Ready pod, the highest that was recorded$/m,
  );
  expect(lines).toMatch(/^ASSUMED each value is a mean over 60s, as the recording says /m);
  expect(out).toMatch(/^ {16}POD-HOURS +PEAK +HOT +SHORT POD-MIN +EVENTS\/DAY$/m);
  expect(out).toMatch(/^recorded +48\.5 +27 +0\.00 % +0 +232$/m);
  expect(out).toMatch(
    /^target-75\.yaml +38\.\d \(−(?:19|20)\.\d %\) +\d\d +3\d\.\d\d % +[\d.]+ +\d+\n {2}range +−2\d\.\d…−1\d\.\d % +\d\d–\d\d +[\d.]+–[\d.]+$/m,
  );
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

test("the document follows its schema, and Markdown has a table of its own", async () => {
  const args = ["--recording", "{}/shop.jsonl", "--what-if", "{}/target-75.yaml", "--hot-above", "90"];
  const { out } = await backtest(...args, "-o", "json");
  expect(schemaErrors("backtest.v1", out)).toBeNull();
  const [report] = (JSON.parse(out) as BacktestDocument).objects;
  expect(report?.control?.isWithinBar).toBe(true);
  expect(report?.assumptions).toContainEqual({ path: "hotAbove", value: "90", source: "given" });
  const [whatIf] = report?.whatIfs ?? [];
  expect(whatIf?.name).toBe("target-75.yaml");
  expect(whatIf?.band.shortPodSeconds.high).toBeGreaterThan(whatIf?.band.shortPodSeconds.low ?? Infinity);
  const markdown = await backtest(...args, "-o", "markdown");
  expect(markdown.out).toMatch(
    /^\| target-75\.yaml \| 38\.\d \(−(?:19|20)\.\d %\) \| .*\n\| range \| −2\d\.\d…−1\d\.\d % \| /m,
  );
});

test("the likely peak and that of the load as its samples have it are within the range", async () => {
  const args = ["--recording", "{}/shop.jsonl", "--what-if", "{}/target-75.yaml", "-o", "json"];
  const { objects } = JSON.parse((await backtest(...args)).out) as BacktestDocument;
  const whatIfs = objects.flatMap((report) => report.whatIfs ?? []);
  expect(whatIfs).toHaveLength(1);
  for (const { band, scores } of whatIfs) {
    const { low, likely, high } = band.peak;
    expect([Math.min(low, likely, scores.peak), Math.max(high, likely, scores.peak)]).toEqual([low, high]);
    expect(high).toBeGreaterThan(low);
  }
});

test("at maxReplicas the load is a lower bound: the share of time, and the result with a fifth more", async () => {
  const bounded = simulatedRecording(hpaOf("60", { maxReplicas: 20 }));
  await write("bounded.jsonl", [...recordingLines(bounded)].join(""));
  const { out } = await backtest("--recording", "{}/bounded.jsonl", "--what-if", "{}/target-75.yaml");
  expect(out).toMatch(/^NOT KNOWN {3}2\d\.\d % of the time: load at maxReplicas is a lower bound$/m);
  expect(unwrapped(out)).toMatch(
    /with \+20 % censored load: hot \d+\.\d\d %, short [\d,.]+ pod-min, 4\d\.\d pod-hours$/m,
  );
});

test("several are simulated on threads, with the figures of each alone", async () => {
  const names = ["one.yaml", "two.yaml", "three.yaml"];
  for (const name of names) await write(name, JSON.stringify(hpaOf("75")));
  const args = ["--recording", "{}/shop.jsonl", "-o", "json", "--what-if"];
  const [one, all, alone] = [
    await backtest(...args, "{}/one.yaml"),
    await backtest(...args, ...names.map((name) => `{}/${name}`)),
    await backtest("--jobs", "1", ...args, "{}/one.yaml"),
  ];
  const [own, each] = [one, all].map(
    ({ out }) => (JSON.parse(out) as BacktestDocument).objects[0]?.whatIfs ?? [],
  );
  expect(each).toEqual(names.map((name) => ({ ...own?.[0], name })));
  expect(alone).toEqual(one);
});

test("an interrupt leaves away what is not complete", async () => {
  const args = ["--recording", "{}/shop.jsonl", "--what-if", "{}/target-75.yaml"];
  const { code, out, err } = await backtestUntil(5, args);
  expect(code).toBe(130);
  expect(out).toMatch(/^CONTROL /m);
  expect(out).not.toContain("target-75.yaml");
  expect(err).toContain("interrupted: 1 of 1 --what-if are not complete\n");
});

test("beyond the bar nothing else is shown without --force", async () => {
  const scale = recorded.scale.map((step) => ({ ...step, value: Math.round(step.value * 1.2) }));
  await write("odd.jsonl", [...recordingLines({ ...recorded, scale })].join(""));
  const args = ["--recording", "{}/odd.jsonl", "--what-if", "{}/target-75.yaml"];
  const { code, out, err } = await backtest(...args);
  expect(code).toBe(2);
  expect(out).toContain(": too far from what was recorded\n");
  expect(out).not.toContain("target-75.yaml");
  expect(err).toContain("so --what-if isn't shown: use --force to show it\n");
  const forced = await backtest(...args, "--force");
  expect(forced).toMatchObject({ code: 2, out: expect.stringMatching(/^target-75\.yaml /m) });
});

test.each([
  [
    "other-target.yaml",
    { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "api" } },
    "--what-if scales api, but the recording is of web: use an autoscaler of that target",
  ],
  [
    "queue.yaml",
    {
      metrics: [
        {
          type: "External",
          external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "5" } },
        },
      ],
    },
    "--what-if queue.yaml: it scales on queue, but the recording only has the load of requests_per_second",
  ],
])("%s cannot be simulated", async (name, spec, message) => {
  await write(name, JSON.stringify(hpaOf("60", spec)));
  const { code, err } = await backtest("--recording", "{}/shop.jsonl", "--what-if", `{}/${name}`);
  expect(code).toBe(1);
  expect(err).toContain(`${message}\n`);
});

test("a metric of no pods needs a model of how it follows them", async () => {
  const external = (value: string) => ({
    metrics: [
      {
        type: "External",
        external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: value } },
      },
    ],
  });
  const [first] = recorded.metrics;
  const samples = (first?.samples ?? []).map(({ atMs, values }) => ({
    atMs,
    values: [{ value: values.reduce((sum, { value }) => sum + value, 0) }],
  }));
  const object = hpaOf("60", external("60"));
  const own = {
    ...recorded,
    autoscaler: { object, changes: [] },
    metrics: [{ index: 0, level: "series" as const, samples, gaps: [] }],
  };
  await write("queue.jsonl", [...recordingLines(own)].join(""));
  await write("queue-75.yaml", JSON.stringify(hpaOf("60", external("75"))));
  const args = ["--recording", "{}/queue.jsonl", "--what-if", "{}/queue-75.yaml", "--force"];
  const refused = await backtest(...args);
  expect(refused.code).toBe(1);
  expect(refused.err).toContain(
    "the load can't be inferred from queue: set how it depends on the pods with --load-model queue=independent, conserved, or backlog\n",
  );
  const { out, err } = await backtest(...args, "--load-model", "queue=independent", "-o", "json");
  expect(err).toBe("");
  expect(schemaErrors("backtest.v1", out)).toBeNull();
  const [report] = (JSON.parse(out) as BacktestDocument).objects;
  expect(report?.assumptions).toContainEqual({
    path: "loadModel.queue",
    value: "independent",
    source: "given",
  });
  expect(report?.whatIfs).toHaveLength(1);
});

test("a recording without values of pods has no load", async () => {
  const metrics = recorded.metrics.map((metric) => ({ ...metric, samples: [], level: "none" as const }));
  await write("bare.jsonl", [...recordingLines({ ...recorded, metrics })].join(""));
  const { code, err } = await backtest("--recording", "{}/bare.jsonl", "--what-if", "{}/target-75.yaml");
  expect(code).toBe(1);
  expect(err).toContain(
    "the load can't be inferred from requests_per_second: a Pods metric, or cpu with values per pod, is required",
  );
});

test.each([
  [
    ["--recording", "{}/shop.jsonl", "--hot-above", "0"],
    "--hot-above 0 is not a number above 0: use a value such as 80",
  ],
  [
    ["--recording", "{}/shop.jsonl", "--metric-window", "9"],
    "--metric-window 9 is not a duration from 1s to 1h: use a value such as 1m",
  ],
  [
    ["--recording", "{}/shop.jsonl", "--scrape-interval", "2h"],
    "--scrape-interval 2h is not a duration from 1s to 1h: use a value such as 1m",
  ],
  [
    ["--recording", "{}/shop.jsonl", "--load-model", "queue=linear"],
    "--load-model queue=linear is not a model: use METRIC=independent, METRIC=conserved, METRIC=backlog",
  ],
  [["--recording", "{}/shop.jsonl", "--seed", "x"], "--seed x is not a whole number from 0 to 4294967295"],
  [["records.jsonl"], "--what-if needs the load, which decision records don't have: use --recording FILE"],
])("%j is refused with a remedy", async (args, message) => {
  const { code, out, err } = await backtest(...args, "--what-if", "{}/target-75.yaml");
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
});
