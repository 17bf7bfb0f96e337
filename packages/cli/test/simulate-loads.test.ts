// The command simulate on loads of files: tables and recordings.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { inferLoad, recordingLines } from "@plimsoll/backtest";
import { readAutoscaler } from "@plimsoll/simulator";
import { fileFolder } from "@plimsoll/testbed/world";
import { beforeAll, describe, expect, test } from "vitest";
import { simulatedRecording } from "./simulated-recording.ts";
import { cli, hpa, scenario, simulated } from "./small-scenario.ts";

test("a table of counts in a minute is a load per second", async () => {
  const text = scenario({ load: "{csv: {file: t.csv, per: 1m}}", duration: "2m" });
  const files = { "s.yaml": text, "hpa.yaml": hpa, "t.csv": "time,value\n-600,600\n60,1200\n" };
  const { out } = await cli(["simulate", "s.yaml", "-o", "json"], files);
  expect(JSON.parse(out)).toMatchObject({
    columns: [{ scores: { offered: { median: expect.closeTo(1800, 6) } } }],
  });
});

describe("the load of a recording", () => {
  const folder = fileFolder();
  const path = join(folder, "shop.jsonl.gz");
  const recording = simulatedRecording();
  beforeAll(() => writeFileSync(path, gzipSync([...recordingLines(recording)].join(""))));

  test("begins at the start of the scenario, and has as many requests as were recorded", async () => {
    const text = scenario({ load: `{recording: ${path}}`, duration: "2h" });
    const { out, err } = await simulated(text, "-o", "json");
    expect(err).toMatch(/^note: workloads\[0\]\.load\.recording: \S+Z moved to 2026-11-27T00:00:00\.000Z\n$/);
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

  test("a file that is not a recording, and one that is not there", async () => {
    const wrong = join(folder, "wrong.jsonl");
    writeFileSync(wrong, "{}\n");
    const { code, err } = await simulated(scenario({ load: `{recording: {file: ${wrong}, window: 2m}}` }));
    expect(code).toBe(1);
    expect(err).toContain(`workloads[0].load.recording.file "${wrong}" cannot be read: ${wrong}: `);
    const absent = await simulated(scenario({ load: "{recording: absent.jsonl}" }));
    expect(absent.err).toContain('workloads[0].load.recording.file "absent.jsonl" cannot be read: ');
  });
});
