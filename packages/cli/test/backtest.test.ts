// `plimsoll backtest`: how far records are reproduced, and what ends it with 2.
import { gzipSync } from "node:zlib";
import { type DecisionRecord, decide, encodeRecord, type HpaMemory, recordDecision } from "@plimsoll/core";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { schemaErrors } from "./published-schema.ts";
import { queueInput, writerIn } from "./queue-records.ts";
import { plimsoll, type Seams } from "./run-plimsoll.ts";

const startMs = Date.parse("2026-01-01T12:00:00Z");

const folder = fileFolder();
const file = writerIn(folder);
const pipe = { isTty: false, columns: undefined, isUtf8: true };
const backtest = (args: readonly string[], { input = "", ...seams }: Seams & { input?: string } = {}) =>
  plimsoll(["backtest", ...args], {
    readText: async () => input,
    nowMs: () => startMs,
    terminal: { isTty: true, columns: 200, isUtf8: true },
    ...seams,
  });

/** Of an external metric with 10 for each replica, every 15 seconds from 3 replicas on. */
function recorded(name: string, totals: readonly number[]): readonly DecisionRecord[] {
  let memory: HpaMemory | undefined;
  let replicas = 3;
  return totals.map((total, n) => {
    const input = queueInput(name, { nowMs: startMs + n * 15_000, replicas, total, maxReplicas: 50 });
    const result = decide(input, memory);
    const record = recordDecision({ input, memory, result, applied: { outcome: "scaled" } });
    memory = result.memory;
    replicas = result.decision.scaleTo ?? replicas;
    return record;
  });
}

/** Of three records, the second has a count that nothing explains. */
function bent(name: string): readonly DecisionRecord[] {
  return recorded(name, [30, 30, 30]).map((record, n) => {
    const { result } = record;
    if (n !== 1) return record;
    return { ...record, result: { ...result, decision: { ...result.decision, desiredReplicas: 7 } } };
  });
}

function lines(records: readonly DecisionRecord[]): string {
  return records.map((record) => `${encodeRecord(record)}\n`).join("");
}

test("records that are reproduced end with 0", async () => {
  const path = await file("good.jsonl.gz", gzipSync(lines(recorded("web", [30, 50, 50]))));
  expect(await backtest([path])).toEqual({
    code: 0,
    out: [
      "shop/web, 2026-01-01T12:00:00Z to 2026-01-01T12:00:30Z, level exact",
      "REPRODUCED  100.0 % of 3 steps, skill 1.00, events 1 of 1 (1 exact, 0 extra), pod-hours ±0.0 %",
      "",
    ].join("\n"),
    err: "",
  });
});

test("in a pipe no line is longer than 80 columns", async () => {
  const path = await file("piped.jsonl", lines([...recorded("web", [30, 30]), ...bent("odd")]));
  const { out } = await backtest([path, "--object", "shop/odd"], { terminal: pipe });
  expect(out).toContain("unexplained");
  expect(Math.max(...out.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
});

test("an unexplained mismatch ends with 2, whatever is required, and the worst is first", async () => {
  const path = await file("two.jsonl", lines([...recorded("web", [30, 30]), ...bent("odd")]));
  const { code, out, err } = await backtest([path, "--require", "0%"]);
  expect({ code, err }).toEqual({ code: 2, err: "" });
  expect(out.split("\n")).toEqual([
    "shop/odd, 2026-01-01T12:00:00Z to 2026-01-01T12:00:30Z, level exact",
    "REPRODUCED  66.6 % of 3 steps, skill 0.00, events 0 of 1 (0 exact, 0 extra), pod-hours −40.0 %",
    "            1 mismatch: unexplained 1",
    "shop/web, 2026-01-01T12:00:00Z to 2026-01-01T12:00:15Z, level exact",
    "REPRODUCED  100.0 % of 2 steps, skill unknown: replicas never changed, events 0 of 0 (0 exact, 0 extra), pod-hours ±0.0 %",
    "",
  ]);
  expect((await backtest([path, "--object", "shop/web"])).code).toBe(0);
  const only = await backtest([path, "--object", "shop/odd"]);
  expect(only.out).toContain(
    "2026-01-01T12:00:15Z  recorded 7, ours 3: unexplained, neither the recorded memory",
  );
});

test("the document follows its schema, and Markdown has a row for each autoscaler", async () => {
  const path = await file("three.jsonl", lines([...recorded("web", [30, 30]), ...bent("odd")]));
  const { out } = await backtest([path, "-o", "json"]);
  expect(schemaErrors("backtest.v1", out)).toBeNull();
  const markdown = await backtest([path, "-o", "markdown"]);
  expect(markdown.out.split("\n").filter((line) => line.startsWith("| shop/"))).toHaveLength(2);
});

test.each([
  [["--require", "99"], "--require 99 is not a percentage: use a value such as 99%"],
  [["--require", "101%"], "--require 101% is not a percentage: use a value such as 99%"],
  [["--sync-period", "15"], "--sync-period 15 is not a duration from 1s to 1h: use a value such as 15s"],
  [
    ["--object", "shop/none"],
    "the files contain no records of --object shop/none: use NAMESPACE/NAME, or omit the flag to see all",
  ],
])("%j is refused with a remedy", async (flags, message) => {
  const { code, out, err } = await backtest(["-", ...flags], { input: lines(recorded("web", [30])) });
  expect({ code, out }).toEqual({ code: 1, out: "" });
  expect(err).toContain(message);
});

test("records that cannot be read are errors with file and line, beside what could be read", async () => {
  const path = await file("cut.jsonl", `${lines(recorded("web", [30]))}{"apiVersion":`);
  const { code, out, err } = await backtest([path]);
  expect(code).toBe(1);
  expect(out).toContain("100.0 % of 1 step,");
  expect(err).toContain(`${path}:2: the file ends in the middle of a record`);
});

test("long files show how much of them is read", async () => {
  const [first, second] = recorded("web", [30, 30]).map((record) => lines([record]));
  const path = await file("long.jsonl", `${first}${`${" ".repeat(999)}\n`.repeat(3000)}${second}`);
  let atMs = startMs;
  const { code, err } = await backtest([path], { terminal: pipe, nowMs: () => (atMs += 60_000) });
  expect(code).toBe(0);
  expect(err.split("\n").map((line) => line.replace(/, .*/, ""))).toEqual([
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90].map((percent) =>
      expect.stringMatching(`^${percent / 10}\\d % of 3 MB$`),
    ),
    "",
  ]);
});

test("an interrupt ends with 130", async () => {
  const path = await file("long.jsonl", lines(recorded("web", [30, 30])));
  expect((await backtest([path], { signal: AbortSignal.abort() })).code).toBe(130);
});
