// `plimsoll tune`: what it prints and writes, what it refuses, and that jobs change nothing.
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse } from "yaml";
import { runCli } from "../../src/index.ts";
import type { TuneDocument } from "../../src/tune/document.ts";
import { schemaErrors } from "../published-schema.ts";
import { recordedDays, textOf } from "./days-recording.ts";

const days = recordedDays(7);
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "plimsoll-tune-"));
  await writeFile(join(folder, "shop.jsonl"), textOf(days));
  await writeFile(join(folder, "space.yaml"), space);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Few specifications, so that a search is quick. */
const space = `target: [60, 70]
minReplicas: today
maxReplicas: today
scaleDownWindow: today
scaleUpWindow: today
scaleDownPolicies: today
scaleUpPolicies: today
toleranceDown: today
toleranceUp: today
floor: today
`;

interface Surroundings {
  readonly nowMs?: () => number;
  readonly signal?: AbortSignal;
  readonly onError?: (text: string) => void;
}

async function tune(args: readonly string[], around: Surroundings = {}) {
  let [out, err] = ["", ""];
  const code = await runCli({
    args: ["tune", ...args.map((arg) => arg.replace("{}", folder))],
    name: "plimsoll",
    version: "1.2.3",
    readText: (path) => readFile(path, "utf8"),
    writeOut: (part) => (out += part),
    writeError: (part) => {
      err += part;
      around.onError?.(part);
    },
    nowMs: around.nowMs ?? (() => 0),
    signal: around.signal ?? new AbortController().signal,
  });
  return { code, out, err };
}

const recording = [
  "--recording",
  "{}/shop.jsonl",
  "--sync-period",
  "4m",
  "--load-model",
  "orders=independent",
  "--cache-age",
  "0s",
];
const quick = [...recording, "--space", "{}/space.yaml", "--candidates", "64"];
const alone = [...quick, "--jobs", "1"];

test("the bytes are the same with one job and with several", async () => {
  const [one, two] = await Promise.all([
    tune([...quick, "--jobs", "1", "-o", "json"]),
    tune([...quick, "--jobs", "2", "-o", "json"]),
  ]);
  expect({ code: one.code, err: one.err }).toEqual({ code: 0, err: "" });
  expect(schemaErrors("tune.v1", one.out)).toBeNull();
  expect(two.out.replace("--jobs 2", "--jobs 1")).toBe(one.out);
  const { report, openLoop } = JSON.parse(one.out) as TuneDocument;
  expect(openLoop).toEqual({ steps: 2520, agreed: 2520, skill: 1, clock: "known" });
  expect(report?.today.candidate.id).toBe(0);
});

test("text, and a folder with the patches, the document and the picture", async () => {
  const out = join(folder, "tune-shop");
  const args = [...alone, "--objective", "hot-above=100,hot=1h", "--budget", "60m", "--out", out];
  const { code, out: text, err } = await tune(args);
  expect({ code, err }).toEqual({ code: 0, err: `wrote ${out}/1.patch.yaml report.json front.svg\n` });
  expect(text).toMatch(
    /^default\/shop: 7 days \(3 training, 2 validation, 2 test\), 2 candidates, 0 s; today 3\d\d pod-h, short 0\.0 pod-min a day$/m,
  );
  expect(text).toMatch(/^1 {2}−1\d\.\d % \(−1\d\.\d…−1\d\.\d\) +3\d\d +0\.0 +0 \(0\) +low +target 60 → 70$/m);
  expect(text).toMatch(/^= +— +3\d\d +0\.0 +0 +— +keep what you have$/m);
  expect(text).toContain("thin: fewer than 14 whole days");
  const patch = await readFile(join(out, "1.patch.yaml"), "utf8");
  expect(patch).toContain(
    `# kubectl patch hpa shop -n default --type=merge --patch-file=${out}/1.patch.yaml\n`,
  );
  expect(patch).toContain(`# plimsoll tune --recording ${folder}/shop.jsonl --sync-period 4m`);
  expect(parse(patch)).toMatchObject({
    spec: { metrics: [{ external: { target: { averageValue: "70" } } }] },
  });
  expect(schemaErrors("tune.v1", await readFile(join(out, "report.json"), "utf8"))).toBeNull();
  expect(await readFile(join(out, "front.svg"), "utf8")).toMatch(/^<svg /);
  // A search without recommendations leaves no patch of a former one.
  const narrow = join(folder, "narrow.yaml");
  await writeFile(
    narrow,
    space.replace("[60, 70]", "today").replace("toleranceUp: today", "toleranceUp: [0.1, 0.15]"),
  );
  const again = await tune([
    ...recording,
    "--candidates",
    "64",
    "--jobs",
    "1",
    "--space",
    narrow,
    "--out",
    out,
    "-o",
    "yaml",
    "--forecast",
  ]);
  expect(again.code).toBe(0);
  expect(parse(again.out)).toMatchObject({
    report: { recommendations: [] },
    forecast: { ok: false, message: expect.stringContaining("21") },
  });
  expect((await readdir(out)).toSorted()).toEqual(["front.svg", "report.json"]);
});

test("a folder with other files is refused before the search", async () => {
  const out = join(folder, "other");
  await mkdir(out);
  await writeFile(join(out, "notes.txt"), "x");
  const { code, out: text, err } = await tune([...quick, "--out", out]);
  expect({ code, text, err }).toEqual({
    code: 1,
    text: "",
    err: `error: --out ${out} holds other files: name a new folder\n`,
  });
});

test("an interruption prints what is complete, and says so", async () => {
  const interruption = new AbortController();
  let nowMs = 0;
  const { code, out, err } = await tune(
    [...recording, "--candidates", "64", "--jobs", "1", "--no-out", "--color", "never"],
    {
      // So slow that progress is shown; the first line of it is the interruption.
      nowMs: () => (nowMs += 60_000),
      signal: interruption.signal,
      onError: () => interruption.abort(new Error("interrupted")),
    },
  );
  expect(code).toBe(130);
  expect(err).toMatch(/^\d+ % of \d+ simulated days, \w+ left\nnote: interrupted/);
  expect(out).toMatch(/^default\/shop: /);
  expect(out).not.toMatch(/^1 {2}/m);
});

test("too few days, and a recorded autoscaler that is simulated badly, end with 2", async () => {
  const few = recordedDays(3);
  await writeFile(join(folder, "few.jsonl"), textOf(few));
  const args = ["--sync-period", "4m", "--load-model", "orders=independent", "--no-out"];
  const short = await tune(["--recording", "{}/few.jsonl", ...args]);
  expect(short.code).toBe(2);
  expect(short.out).toMatch(/^default\/shop: nothing is searched: .*3 whole days/);
  const bent = {
    ...days,
    scale: days.scale.map((step) => ({ ...step, value: Math.round(step.value * 1.3) })),
  };
  await writeFile(join(folder, "bent.jsonl"), textOf(bent));
  const wrong = await tune(["--recording", "{}/bent.jsonl", ...args, "-o", "json"]);
  expect(wrong.code).toBe(2);
  expect(schemaErrors("tune.v1", wrong.out)).toBeNull();
  expect(JSON.parse(wrong.out)).toMatchObject({
    refusal: { kind: "model-error", control: { isWithinBar: false } },
  });
  const narrow = ["--space", "{}/space.yaml", "--candidates", "64", "--jobs", "1"];
  const forced = await tune(["--recording", "{}/bent.jsonl", ...args, ...narrow, "--force"]);
  expect(forced.code).toBe(2);
  expect(forced.out).toMatch(/^= .* keep what you have$/m);
  expect(forced.out).toContain(": too far from what was recorded\n");
});

test("all problems of a space at once, with their places", async () => {
  const file = join(folder, "bad.yaml");
  await writeFile(file, "target: { min: 80, max: 60 }\nminReplica: today\nfloor: [0.6]\ntoleranceUp: 2\n");
  const { code, out, err } = await tune([...recording, "--space", file]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toBe(
    [
      `error: ${file}:1:25: document 1: target.max 60 is below target.min: raise it`,
      `error: ${file}:2:13: document 1: minReplica "today" is no parameter: use one of target, minReplicas, maxReplicas, scaleDownWindow, scaleUpWindow, scaleDownPolicies, scaleUpPolicies, toleranceDown, toleranceUp, floor`,
      `error: ${file}:3:9: document 1: floor[0] 0.6 is none of the values: use one of none, 0.5, 0.75, 0.9, 1`,
      `error: ${file}:4:14: document 1: toleranceUp 2 is no limit: write today, { min: 1, max: 2 }, or a list of values`,
      "",
    ].join("\n"),
  );
});

test.each([
  ["target: [", "is not YAML: "],
  ["target: today\n---\nfloor: today\n", "2:1: document 1: is a second document: leave one of them"],
  ["", "1:1: document 1: null is no map of parameters: write such as target: { min: 50, max: 80 }"],
])("a space that is %j", async (text, message) => {
  const file = join(folder, "odd.yaml");
  await writeFile(file, text);
  const { code, err } = await tune([...recording, "--space", file]);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test.each([
  [
    ["--objective", "speed=1"],
    "--objective speed=1 is none of ours: write a part of what a pod requests of cpu, such as utilization=85%; ",
  ],
  [
    ["--objective", "utilization=85"],
    "--objective utilization=85: write a part of what a pod requests of cpu, such as utilization=85%",
  ],
  [
    ["--objective", "hot-above=0"],
    "--objective hot-above=0: write a load of a Ready pod in the unit of the metric, such as hot-above=80",
  ],
  [["--objective", "hot=2d"], "--objective hot=2d: write the part of a day, "],
  [["--objective", "hot=1%,hot=2%"], "--objective hot=2%: hot is there twice"],
  [
    ["--objective", "utilization=85%,hot-above=9"],
    "--objective: utilization and hot-above say the same: give one of them",
  ],
  [["--budget", "2"], "--budget 2 is no time of missing pods in a day: write such as 2m"],
  [["--candidates", "20"], "--candidates 20 is no whole number from 64 to 256"],
  [["--seed", "x"], "--seed x is no whole number from 0 to 4294967295"],
  [["--jobs", "0"], "--jobs 0 is no whole number from 1 to 256"],
  [["--time-zone", "Mars"], '--time-zone "Mars" is no time zone'],
  [["--prometheus-url", "http://127.0.0.1:1"], "--prometheus-url and --recording exclude each other"],
  [["hpa/shop"], "hpa/shop needs --prometheus-url, which has its history: leave one of them away"],
  [["--until", "2026-11-20T00:00:00Z"], "--until needs --prometheus-url"],
])("%j is refused with a remedy", async (args, message) => {
  const { code, out, err } = await tune([...recording, ...args]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
});

test("utilization is of cpu alone", async () => {
  const { code, out } = await tune([...quick, "--objective", "utilization=85%", "--no-out"]);
  expect(code).toBe(1);
  expect(out).toContain("default/shop: nothing is searched: ");
});

test("a recording or an object is needed", async () => {
  expect((await tune([])).err).toBe(
    "error: name a recording with --recording FILE, or an object with --prometheus-url\n",
  );
  expect((await tune(["--prometheus-url", "http://127.0.0.1:1"])).err).toBe(
    "error: --prometheus-url needs an object, such as hpa/shop\n",
  );
});
