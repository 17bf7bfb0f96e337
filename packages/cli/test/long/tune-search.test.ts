// `plimsoll tune`: what a search prints and writes, and that jobs change nothing.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { TuneDocument } from "../../src/commands/tune/document.ts";
import { schemaErrors } from "../published-schema.ts";
import { recordedDays, textOf } from "../tune/days-recording.ts";
import { alone, days, quick, recording, space, tuneRig } from "../tune/tune-rig.ts";

const { at, tune } = tuneRig();

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
  const out = at("tune-shop");
  const args = [...alone, "--objective", "hot-above=100,hot=1h", "--budget", "60m", "--out", out];
  const { code, out: text, err } = await tune(args);
  expect({ code, err }).toEqual({ code: 0, err: `wrote ${out}/1.patch.yaml report.json front.svg\n` });
  expect(text).toMatch(
    /^default\/shop: 7 days \(3 training, 2 validation, 2 test\), 2 candidates, 0 s; today 3\d\d pod-h, short 0\.0 pod-min a day$/m,
  );
  expect(text).toMatch(/^1 {2}−1\d\.\d % \(−1\d\.\d…−1\d\.\d\) +3\d\d +0\.0 +0 \(0\) +low +target 60 → 70$/m);
  expect(text).toMatch(/^= +— +3\d\d +0\.0 +0 +— +keep the current spec$/m);
  expect(text).toContain("thin: fewer than 14 whole days");
  const patch = await readFile(join(out, "1.patch.yaml"), "utf8");
  expect(patch).toContain(
    `# kubectl patch hpa shop -n default --type=merge --patch-file=${out}/1.patch.yaml\n`,
  );
  expect(patch).toContain(`# plimsoll tune --recording ${at("shop.jsonl")} --sync-period 4m`);
  expect(parse(patch)).toMatchObject({
    spec: { metrics: [{ external: { target: { averageValue: "70" } } }] },
  });
  expect(schemaErrors("tune.v1", await readFile(join(out, "report.json"), "utf8"))).toBeNull();
  expect(await readFile(join(out, "front.svg"), "utf8")).toMatch(/^<svg /);
  // A search without recommendations leaves no patch of a former one.
  const narrow = at("narrow.yaml");
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
  await writeFile(at("few.jsonl"), textOf(few));
  const args = ["--sync-period", "4m", "--load-model", "orders=independent", "--no-out"];
  const short = await tune(["--recording", "{}/few.jsonl", ...args]);
  expect(short.code).toBe(2);
  expect(short.out).toMatch(/^default\/shop: no search: .*3 whole days/);
  const bent = {
    ...days,
    scale: days.scale.map((step) => ({ ...step, value: Math.round(step.value * 1.3) })),
  };
  await writeFile(at("bent.jsonl"), textOf(bent));
  const wrong = await tune(["--recording", "{}/bent.jsonl", ...args, "-o", "json"]);
  expect(wrong.code).toBe(2);
  expect(schemaErrors("tune.v1", wrong.out)).toBeNull();
  expect(JSON.parse(wrong.out)).toMatchObject({
    refusal: { kind: "model-error", control: { isWithinBar: false } },
  });
  const narrow = ["--space", "{}/space.yaml", "--candidates", "64", "--jobs", "1"];
  const forced = await tune(["--recording", "{}/bent.jsonl", ...args, ...narrow, "--force"]);
  expect(forced.code).toBe(2);
  expect(forced.out).toMatch(/^= .* keep the current spec$/m);
  expect(forced.out).toContain(": too far from what was recorded\n");
});
