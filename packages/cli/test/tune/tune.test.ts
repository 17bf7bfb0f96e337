// `plimsoll tune`: what it refuses. What a search prints and writes: test/long/tune-search.test.ts.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { quick, recording, tuneRig } from "./tune-rig.ts";

const { at, tune } = tuneRig();

test("a folder with other files is refused before the search", async () => {
  const out = at("other");
  await mkdir(out);
  await writeFile(join(out, "notes.txt"), "x");
  const { code, out: text, err } = await tune([...quick, "--out", out]);
  expect({ code, text, err }).toEqual({
    code: 1,
    text: "",
    err: `error: --out ${out} contains other files: use a new folder\n`,
  });
});

test("all problems of a space at once, with their places", async () => {
  const file = at("bad.yaml");
  await writeFile(file, "target: { min: 80, max: 60 }\nminReplica: today\nfloor: [0.6]\ntoleranceUp: 2\n");
  const { code, out, err } = await tune([...recording, "--space", file]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toBe(
    [
      `error: ${file}:1:25: document 1: target.max 60 is below target.min: raise it`,
      `error: ${file}:2:13: document 1: minReplica "today" is not a parameter: use one of target, minReplicas, maxReplicas, scaleDownWindow, scaleUpWindow, scaleDownPolicies, scaleUpPolicies, toleranceDown, toleranceUp, floor`,
      `error: ${file}:3:9: document 1: floor[0] 0.6 is not one of the values: use one of none, 0.5, 0.75, 0.9, 1`,
      `error: ${file}:4:14: document 1: toleranceUp 2 is not a limit: write today, { min: 1, max: 2 }, or a list of values`,
      "",
    ].join("\n"),
  );
});

test.each([
  ["target: [", "is not YAML: "],
  ["target: today\n---\nfloor: today\n", "2:1: document 1: is a second document: leave one of them"],
  ["", "1:1: document 1: null is not a map of parameters: use a value such as target: { min: 50, max: 80 }"],
])("a space that is %j", async (text, message) => {
  const file = at("odd.yaml");
  await writeFile(file, text);
  const { code, err } = await tune([...recording, "--space", file]);
  expect(code).toBe(1);
  expect(err).toContain(message);
});

test.each([
  [
    ["--objective", "speed=1"],
    "--objective speed=1 is unknown: use a percentage of a pod's CPU request, such as utilization=85%; ",
  ],
  [
    ["--objective", "utilization=85"],
    "--objective utilization=85: use a percentage of a pod's CPU request, such as utilization=85%",
  ],
  [
    ["--objective", "hot-above=0"],
    "--objective hot-above=0: use a load per Ready pod in the metric's unit, such as hot-above=80",
  ],
  [["--objective", "hot=2d"], "--objective hot=2d: use the share or time of a day in which pods may be hot"],
  [["--objective", "hot=1%,hot=2%"], "--objective hot=2%: hot is set twice"],
  [
    ["--objective", "utilization=85%,hot-above=9"],
    "--objective: utilization and hot-above mean the same: use one of them",
  ],
  [["--budget", "2"], "--budget 2 is not a duration: use missing pod time per day, such as 2m"],
  [["--candidates", "20"], "--candidates 20 is not a whole number from 64 to 256"],
  [["--seed", "x"], "--seed x is not a whole number from 0 to 4294967295"],
  [["--jobs", "0"], "--jobs 0 is not a whole number from 1 to 256"],
  [["--time-zone", "Mars"], '--time-zone "Mars" is not a time zone'],
  [["--prometheus-url", "http://127.0.0.1:1"], "--prometheus-url and --recording can't be combined"],
  [["hpa/shop"], "hpa/shop needs --prometheus-url, which has its history: remove one of them"],
  [["--until", "2026-11-20T00:00:00Z"], "--until needs --prometheus-url"],
])("%j is refused with a remedy", async (args, message) => {
  const { code, out, err } = await tune([...recording, ...args]);
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
});

test("utilization is of cpu alone", async () => {
  const { code, out } = await tune([...quick, "--objective", "utilization=85%", "--no-out"]);
  expect(code).toBe(1);
  expect(out).toContain("default/shop: no search: ");
});

test("a recording or an object is needed", async () => {
  expect((await tune([])).err).toBe(
    "error: nothing to read: use --recording FILE, or an object with --prometheus-url\n",
  );
  expect((await tune(["--prometheus-url", "http://127.0.0.1:1"])).err).toBe(
    "error: --prometheus-url needs an object, such as hpa/shop\n",
  );
});
