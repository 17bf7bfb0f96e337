// `plimsoll replay`: what records give again, and what a changed field changes.
import { appendFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { type DecisionRecord, encodeRecord } from "@plimsoll/core";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { schemaErrors } from "./published-schema.ts";
import { nowMs, record, writerIn } from "./queue-records.ts";
import { plimsoll } from "./run-plimsoll.ts";

const folder = fileFolder();
const file = writerIn(folder);
const replay = (args: readonly string[], input = "") =>
  plimsoll(["replay", ...args], { readText: async () => input, nowMs: () => nowMs });

function bent(total: string): DecisionRecord {
  const good = record(total);
  const { result } = good;
  return { ...good, result: { ...result, decision: { ...result.decision, desiredReplicas: 7 } } };
}

test("a record gives the recorded decision to the byte", async () => {
  const path = await file("one.json", encodeRecord(record("50")));
  expect(await replay([path])).toEqual({
    code: 0,
    out: "shop/web  2026-01-01T12:00:00Z  recorded 3 -> 5, the same to the byte\n1 record: 1 equal\n",
    err: "",
  });
});

test("a record that was laid out by hand, or comes from the standard input, is the same record", async () => {
  const text = JSON.stringify(JSON.parse(encodeRecord(record("50"))), undefined, 2);
  expect((await replay([await file("laid-out.json", text)])).code).toBe(0);
  expect((await replay(["-"], text)).out).toContain("1 record: 1 equal\n");
});

test("what does not come out again is shown with its place, and ends with 2", async () => {
  const path = await file("bent.json", encodeRecord(bent("50")));
  const { code, out } = await replay([path]);
  expect(code).toBe(2);
  expect(out).toBe(
    [
      "shop/web  2026-01-01T12:00:00Z  recorded 3 -> 7, now 3 -> 5",
      "  decision         desiredReplicas  7 -> 5",
      "1 record: 0 equal, 1 differs",
      "",
    ].join("\n"),
  );
  const json = await replay([path, "-o", "json"]);
  expect(json.code).toBe(2);
  expect(schemaErrors("replay.v1", json.out)).toBeNull();
  expect(JSON.parse(json.out)).toEqual({
    schema: "plimsoll/replay/v1",
    at: "2026-01-01T12:00:00.000Z",
    records: 1,
    equal: 0,
    differences: [
      {
        record: 1,
        object: "shop/web",
        at: "2026-01-01T12:00:00Z",
        path: "decision.desiredReplicas",
        recorded: 7,
        now: 5,
      },
    ],
    notes: [],
    errors: [],
  });
});

test("a difference in the memory counts, too, and names the version that recorded it", async () => {
  const good = record("50");
  const { result } = good;
  const memory = { ...result.memory, recommendations: [] };
  const path = await file(
    "memory.json",
    encodeRecord({ ...good, coreVersion: "0.0.1", result: { ...result, memory } }),
  );
  const { code, out, err } = await replay([path]);
  expect(code).toBe(2);
  expect(out).toContain("  memory           recommendations[0]  (absent) -> ");
  expect(err).toMatch(/^note: records that differ were made by version 0\.0\.1 of the rules; this is /);
});

test("--set shows what changes, step by step, and ends with 0", async () => {
  const path = await file("up.json", encodeRecord(record("500")));
  const { code, out, err } = await replay([path, "--set", "spec.maxReplicas=60"]);
  expect([code, err]).toEqual([0, ""]);
  const lines = out.split("\n");
  expect(lines[0]).toBe("shop/web  2026-01-01T12:00:00Z  decided 3 -> 6, now 3 -> 6");
  expect(out).toContain("  limit            maxReplicas  10 -> 60\n");
  expect(lines.at(-2)).toBe("1 record: 0 unchanged, 1 changed");

  const none = await replay([path, "--set", "spec.metrics[0].external.target.averageValue=10"]);
  expect(none).toMatchObject({ code: 0, err: "" });
  expect(none.out).toContain("no step changes\n1 record: 1 unchanged, 0 changed\n");
});

test("--set writes quantities as strings, removes by null, and takes the options and the samples", async () => {
  const path = await file("more.json", encodeRecord(record("50")));
  const args = [
    "spec.metrics[0].external.target.averageValue=25",
    "spec.minReplicas=null",
    "options.tolerance=0.2",
    "samples[0].values[0].value=100",
  ].flatMap((text) => ["--set", text]);
  const { code, out } = await replay([path, ...args, "-o", "yaml"]);
  expect(code).toBe(0);
  expect(out).toContain("schema: plimsoll/replay/v1");
  expect(out).toContain('path: metric[0].target.value\n    recorded: "10"\n    now: "25"');
});

test.each([
  ["spec.maxReplica=60", /there is no such field; did you mean maxReplicas\?/],
  ["spec.maxReplicas", /use FIELD=VALUE, such as spec.maxReplicas=60/],
  ["specs.maxReplicas=1", /a record has no specs: did you mean spec\?/],
  ["=1", /use FIELD=VALUE/],
  ["spec.metrics[3].type=Pods", /there is no \[3\]: the list has 1/],
  ["spec.maxReplicas[0]=1", /there is no \[0\]: the list is not a list/],
  ["spec.maxReplicas.x=1", /x is within a value/],
  ["spec.maxReplicas=-1", /the API server would reject this: spec\.maxReplicas: -1: must be greater than/],
  ["spec.maxReplicas=[", /the value is not YAML/],
  ["spec.maxReplicas=many", /maxReplicas/],
  ["samples=null", /samples/],
  ["options.tolerence=1", /tolerence/],
])("--set %s is refused with a remedy", async (text, message) => {
  const path = await file("refused.json", encodeRecord(record("50")));
  const { code, out, err } = await replay([path, "--set", text]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(message);
});

test("a directory is a list of records, compressed or not, and files may be several", async () => {
  const inputs = join(folder, "inputs");
  await mkdir(inputs);
  const lines = (totals: readonly string[]) =>
    totals.map((total) => `${encodeRecord(record(total))}\n`).join("");
  await writeFile(join(inputs, "b.jsonl.gz"), gzipSync(lines(["50", "60"])));
  // As a process that was restarted goes on with a file.
  await appendFile(join(inputs, "b.jsonl.gz"), gzipSync(`${encodeRecord(bent("70"))}\n`));
  await writeFile(join(inputs, "a.jsonl"), lines(["40", "80"]));
  await writeFile(join(inputs, "README"), "not a record");
  const { code, out, err } = await replay([inputs, await file("single.json", encodeRecord(record("50")))]);
  expect([code, err]).toEqual([2, ""]);
  expect(out).toBe(
    [
      "shop/web  2026-01-01T12:00:00Z  recorded 3 -> 7, now 3 -> 6",
      "  decision         desiredReplicas  7 -> 6",
      "6 records: 5 equal, 1 differs",
      "",
    ].join("\n"),
  );
});

test("of a file that ends within a record the complete records count, and it ends with 1", async () => {
  const text = `${encodeRecord(record("50"))}\n${encodeRecord(record("60"))}\n`;
  const cut = await file("cut.jsonl.gz", gzipSync(text).subarray(0, -20));
  const { code, out, err } = await replay([cut, await file("cut.jsonl", text.slice(0, -100))]);
  expect(code).toBe(1);
  expect(out).toMatch(/^\d records: \d equal\n$/);
  expect(err).toMatch(/cut\.jsonl:2: the file ends in the middle of a record: /);
});

test("of many records that differ the first are shown, and all are counted", async () => {
  const path = await file("many.jsonl", `${encodeRecord(bent("50"))}\n`.repeat(25));
  const { out } = await replay([path]);
  expect(out.match(/^shop\/web/gm)).toHaveLength(20);
  expect(out).toContain("and 5 more\n25 records: 0 equal, 25 differ\n");
});

test.each([
  ["no record", '{"apiVersion":"v2"}\n', /^error: .*:1: apiVersion must be decisions\.plimsoll\.dev\/v1/],
  ["no JSON", "hello\n", /^error: .*:1: .*must be JSON/],
])("%s is an error with file and line, and 1", async (_, content, message) => {
  const path = await file("wrong.json", content);
  const { code, out, err } = await replay([path]);
  expect([code, out]).toEqual([1, ""]);
  expect(err).toMatch(message);
});

test("a file that is not there, and a directory without records, are errors of one line", async () => {
  const empty = join(folder, "empty");
  await mkdir(empty);
  const { code, err } = await replay([join(folder, "absent.json"), empty]);
  expect(code).toBe(1);
  expect(err).toBe(
    `error: cannot read ${folder}/absent.json: file not found; check the path\n` +
      `error: no records in this directory\n`,
  );
});

test("hostile names do not control the terminal", async () => {
  const path = await file("hostile.json", encodeRecord(record("50", "we\u001b[31mb")));
  expect((await replay([path])).out).not.toContain("\u001b");
});
