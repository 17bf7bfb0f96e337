// `plimsoll backtest --recording`: what it says of a recording, and how it ends.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type Recording, recordingLines } from "@plimsoll/backtest";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { textReport } from "../src/commands/backtest/report.ts";
import { plainStyle } from "../src/output/style.ts";
import { schemaErrors } from "./published-schema.ts";
import { plimsoll, type Seams } from "./run-plimsoll.ts";

const startMs = Date.parse("2026-01-01T12:00:00Z");
const periodMs = 15_000;

const folder = fileFolder();
const backtest = (args: readonly string[], seams: Seams = {}) =>
  plimsoll(["backtest", ...args], {
    nowMs: () => startMs,
    terminal: { isTty: true, columns: 200, isUtf8: true },
    ...seams,
  });

/** Of a queue with 10 for each replica: from 3 to 6 replicas at its second decision. */
function recorded(of: Partial<Recording> = {}): Recording {
  const totals = [30, 60, 60, 60];
  const atMs = totals.map((_, n) => startMs + n * periodMs);
  const target = { type: "AverageValue", averageValue: "10" };
  return {
    version: 1,
    target: { namespace: "shop", kind: "Deployment", name: "web" },
    span: { fromMs: startMs, toMs: startMs + totals.length * periodMs },
    autoscaler: {
      object: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: { name: "web", namespace: "shop" },
        spec: {
          scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
          maxReplicas: 50,
          metrics: [{ type: "External", external: { metric: { name: "queue" }, target } }],
        },
      },
      changes: [],
    },
    syncs: { atMs, clock: "known" },
    pods: [],
    scale: [
      { atMs: startMs - 1000, earliestMs: startMs - 1000, value: 3 },
      { atMs: startMs + periodMs, earliestMs: startMs + periodMs, value: 6 },
    ],
    metrics: [
      {
        index: 0,
        level: "series",
        samples: totals.map((value, n) => ({ atMs: startMs + n * periodMs, values: [{ value }] })),
        gaps: [],
      },
    ],
    status: [],
    ...of,
  };
}

/** The count goes up, and nothing says why. */
const unexplained: Partial<Recording> = {
  scale: [
    { atMs: startMs - 1000, earliestMs: startMs - 1000, value: 3 },
    { atMs: startMs + periodMs, earliestMs: startMs + periodMs, value: 9 },
  ],
};

async function file(name: string, recording: Recording): Promise<string> {
  const path = join(folder, name);
  const text = [...recordingLines(recording)].join("");
  await writeFile(path, name.endsWith(".gz") ? gzipSync(text) : text);
  return path;
}

test("a recording that is reproduced ends with 0, also compressed", async () => {
  const path = await file("good.jsonl.gz", recorded());
  expect(await backtest(["--recording", path])).toEqual({
    code: 0,
    out: [
      "shop/web, 2026-01-01T12:00:00Z to 2026-01-01T12:00:45Z, level series, clock known: 15.000 s",
      "REPRODUCED  100.0 % of 4 steps, skill 1.00, events 1 of 1 (1 exact, 0 extra), pod-hours ±0.0 %",
      "",
    ].join("\n"),
    err: "",
  });
});

test("what is unexplained ends with 2, whatever is required, with our decision as evidence", async () => {
  const path = await file("odd.jsonl", recorded(unexplained));
  const { code, out, err } = await backtest(["--recording", path, "--require", "0%"]);
  expect({ code, err }).toEqual({ code: 2, err: "" });
  expect(out).toContain("2 mismatches: unexplained 1, warm-up 1\n");
  expect(out).toContain(
    "2026-01-01T12:00:15Z  recorded 9, ours 6: unexplained, no single input leads to 9; ours: ",
  );
});

test("of many mismatches the text has a few of each cause, the rarest first, and JSON all", async () => {
  const path = await file("many.jsonl", recorded(unexplained));
  const { out } = await backtest(["--recording", path, "-o", "json"]);
  const document = JSON.parse(out);
  const [report] = document.objects;
  const { agreed, steps, mismatches } = report.openLoop;
  expect(mismatches).toHaveLength(steps - agreed);
  const [one] = mismatches;
  const many = Array.from({ length: 200 }, () => ({ ...one, cause: "clock" }));
  const openLoop = { agreed: 0, steps: 201, mismatches: [...many, { ...one, cause: "unexplained" }] };
  const whole = { ...report, openLoop: { ...report.openLoop, ...openLoop } };
  const text = textReport({ ...document, objects: [whole] }, plainStyle);
  const causes = [...text.matchAll(/, ours \d+: (\S+),/g)].map(([, cause]) => cause);
  expect(causes).toEqual(["unexplained", "clock", "clock", "clock"]);
  expect(text).toContain("and 197 more");
});

test("an unknown clock ends with 2, with the range of four phases", async () => {
  const path = await file("unknown.jsonl", recorded({ syncs: { atMs: [], clock: "unknown" } }));
  const { code, out } = await backtest(["--recording", path, "--require", "0%"]);
  expect(code).toBe(2);
  expect(out).toContain("clock unknown: replicas changed 1 times, but the clock needs 8 changes\n");
  expect(out).toMatch(/ {12}four phases: [\d.–]+ % of steps, [\d–]+ of 1 events exact\n/);
});

test("steps without samples are left out, and more than a tenth of them end with 2", async () => {
  const { metrics } = recorded();
  const late = metrics.map((metric) => ({ ...metric, samples: metric.samples.slice(1) }));
  const path = await file("late.jsonl", recorded({ metrics: late }));
  const { code, out } = await backtest(["--recording", path]);
  expect(code).toBe(2);
  expect(out).toContain("NOT KNOWN   1 of 4 steps has no samples near, and is left out\n");
});

test("the level status needs no clock, and each metric has its level", async () => {
  const status = [
    { atMs: startMs + 1000, currentReplicas: 3, desiredReplicas: 6, values: [20] },
    { atMs: startMs + 16_000, currentReplicas: 6, desiredReplicas: 6, values: [10] },
  ];
  const metrics = [{ index: 0, level: "status", samples: [], gaps: [] }] as const;
  const path = await file(
    "status.jsonl",
    recorded({ status, metrics, syncs: { atMs: [], clock: "unknown" } }),
  );
  const { code, out } = await backtest(["--recording", path]);
  expect(code).toBe(0);
  expect(out).toContain("level status, clock not needed\n");
});

test("the document follows its schema, and Markdown has a row with level and clock", async () => {
  const paths = [await file("one.jsonl", recorded(unexplained)), await file("two.jsonl", recorded())];
  const { out } = await backtest(["--recording", ...paths, "-o", "json"]);
  expect(schemaErrors("backtest.v1", out)).toBeNull();
  const markdown = await backtest(["--recording", ...paths, "-o", "markdown"]);
  expect(markdown.out).toMatch(/\| shop\/web \| .* \| series \| known: 15\.000 s \| 50\.0 % of 4 steps /);
});

test("a manifest that contradicts the series is an error with both values and the instant", async () => {
  const base = recorded();
  const changes = [{ atMs: startMs, earliestMs: startMs, field: "maxReplicas", value: 40 }] as const;
  const path = await file("other.jsonl", recorded({ autoscaler: { ...base.autoscaler, changes } }));
  const { code, err } = await backtest(["--recording", path]);
  expect(code).toBe(1);
  expect(err).toContain(
    "spec.maxReplicas is 50, but was 40 from 2026-01-01T12:00:00.000Z: use the manifest of that time",
  );
});

test.each([
  [
    "cut off",
    (lines: readonly string[]) => lines.slice(0, -1),
    "line 9: the recording is cut off after it: record it again, or copy the whole file",
  ],
  [
    "changed",
    (lines: readonly string[]) => lines.map((line) => line.replace('"value":6}', '"value":7}')),
    "line 10: end.digest doesn't match the lines: the recording was changed after it was written",
  ],
  [
    "newer",
    (lines: readonly string[]) => lines.map((line) => line.replace('"recording":1', '"recording":2')),
    "line 1: recording 2 is newer than 1",
  ],
])("a recording that is %s is refused with its line", async (name, change, message) => {
  const path = join(folder, `${name}.jsonl`);
  await writeFile(path, change([...recordingLines(recorded())]).join(""));
  const { code, out, err } = await backtest(["--recording", path, await file("beside.jsonl", recorded())]);
  expect(code).toBe(1);
  expect(err).toContain(`${path}: `);
  expect(err).toContain(message);
  expect(out).toContain("100.0 % of 4 steps");
});

test.each([
  [
    ["--recording", "{path}", "--cache-age", "1h"],
    "--cache-age 1h is not a duration from 0s to 5m: use a value such as 15s",
  ],
  [
    ["--recording", "{path}", "--object", "shop/none"],
    "no recording of --object shop/none: use NAMESPACE/NAME, or omit the flag to see all",
  ],
  [[], "use files of decision records, --recording FILE"],
  [
    ["records.jsonl", "--recording", "{path}"],
    "records.jsonl and --recording can't be combined: use decision records or recordings",
  ],
  [["--recording", "none.jsonl"], "cannot read none.jsonl: file not found; check the path"],
])("%j is refused with a remedy", async (flags, message) => {
  const path = await file("flags.jsonl", recorded());
  const { code, out, err } = await backtest(flags.map((flag) => flag.replace("{path}", path)));
  expect({ code, out: flags.includes("none.jsonl") ? "" : out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
});

test("an interrupt ends with 130", async () => {
  const path = await file("long.jsonl", recorded());
  expect((await backtest(["--recording", path], { signal: AbortSignal.abort() })).code).toBe(130);
});
