import { readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { constants, gunzipSync } from "node:zlib";
import { manualClock } from "@plimsoll/component-base/testing";
import { type DecideInput, decide, decodeRecord, replay } from "@plimsoll/core";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, test, vi } from "vitest";
import { openRecordDirectory } from "../../src/decisions/record-files/record-directory.ts";
import { createRecordWriter } from "../../src/decisions/record-files/record-writer.ts";
import { rig, workload } from "../harness.ts";

async function folder(): Promise<string> {
  const path = testFolder();
  return path;
}

function made(n: number, nameLength = 10) {
  const input: DecideInput = {
    nowMs: n * 1000,
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 10 },
    },
    scale: { ok: false, message: randomText(nameLength, n) },
    pods: { ok: true, pods: [] },
    samples: [],
  };
  return { input, memory: undefined, result: decide(input), applied: { outcome: "nothing-to-do" as const } };
}

/** Does not compress well. */
function randomText(length: number, seed: number): string {
  let state = seed * 2_654_435_761 + 12_345;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return String.fromCharCode(97 + ((state >>> 16) % 26));
  }).join("");
}

async function linesOf(path: string): Promise<readonly string[]> {
  const text = gunzipSync(await readFile(path), { finishFlush: constants.Z_SYNC_FLUSH }).toString();
  return text.split("\n").filter((line) => line !== "");
}

function writerIn(path: string, maxBytes = 1e9) {
  const clock = manualClock(Date.parse("2026-11-22T10:00:00Z"));
  const warn = vi.fn();
  const open = vi.fn(() => openRecordDirectory(path));
  const log = { info: () => {}, warn };
  return { clock, warn, open, writer: createRecordWriter({ open, maxBytes, name: "one", clock, log }) };
}

test("each decision is a line that replays, and nothing happens in the call that adds it", async () => {
  const path = join(await folder(), "deep", "records");
  const { writer, open } = writerIn(path);
  for (let n = 0; n < 30; n++) writer.add(made(n));
  expect(open).not.toHaveBeenCalled();
  await writer.stop();
  const [file = "", ...others] = await readdir(path);
  expect([file, others]).toEqual(["decisions-20261122T100000.000Z-one-000001.jsonl.gz", []]);
  expect((await stat(join(path, file))).mode & 0o777).toBe(0o600);
  const records = (await linesOf(join(path, file))).map(decodeRecord);
  expect(records.map(({ input }) => input.nowMs)).toEqual(Array.from({ length: 30 }, (_, n) => n * 1000));
  for (const record of records) expect(replay(record)).toEqual(decide(record.input));
  expect(writer.lost).toBe(0);
});

test("what was written is readable after ten seconds, whatever happens to the process", async () => {
  const path = await folder();
  const { writer, clock } = writerIn(path);
  writer.add(made(1));
  await writer.idle();
  await clock.advance(10_000);
  await eventually(async () => {
    // It is opened beside the write.
    const [file = "not-yet"] = await readdir(path);
    expect(await linesOf(join(path, file))).toHaveLength(1);
  });
  await writer.stop();
});

test("all files together stay within their size, the oldest go first, and other files stay", async () => {
  const path = await folder();
  await writeFile(join(path, "notes.txt"), "x".repeat(1000));
  const maxBytes = 160_000;
  const { writer } = writerIn(path, maxBytes);
  for (let n = 0; n < 100; n++) {
    writer.add(made(n, 10_000));
    await writer.idle();
  }
  await writer.stop();
  const files = (await readdir(path)).filter((name) => name.endsWith(".gz")).sort();
  const sizes = await Promise.all(files.map(async (name) => (await stat(join(path, name))).size));
  // What the compressor still holds back comes on top of each file.
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(1.2 * maxBytes);
  expect(files.length).toBeGreaterThan(3);
  expect(files[0]).not.toContain("-000001.");
  const newest = await linesOf(join(path, files.at(-1) ?? ""));
  expect(decodeRecord(newest.at(-1) ?? "").input.nowMs).toBe(99_000);
  expect(await readFile(join(path, "notes.txt"), "utf8")).toHaveLength(1000);
});

test("more than can be queued is lost and counted", async () => {
  const path = await folder();
  const { writer } = writerIn(path);
  for (let n = 0; n < 1500; n++) writer.add(made(n));
  expect(writer.lost).toBe(500);
  await writer.stop();
  writer.add(made(1));
  expect(writer.lost).toBe(501);
});

test("a directory that cannot be used costs records and one warning a minute", async () => {
  const path = join(await folder(), "file");
  await writeFile(path, "");
  const { writer, warn, clock } = writerIn(path);
  writer.add(made(1));
  await writer.idle();
  for (let n = 0; n < 10; n++) writer.add(made(n));
  await writer.idle();
  expect([warn.mock.calls.length, writer.lost]).toEqual([1, 11]);
  await rm(path);
  await clock.advance(61_000);
  writer.add(made(2));
  await writer.stop();
  expect([await readdir(path), writer.lost]).toEqual([[expect.stringContaining(".jsonl.gz")], 11]);
});

test("the autoscaler writes its decisions, those that failed included", async () => {
  const directory = await folder();
  const { autoscaler } = await rig({
    before: (api) => workload(api, "shop", { value: "20" }),
    config: { recordInputs: { directory, maxBytes: 1e8 } },
  });
  await autoscaler.sync();
  await autoscaler.stop();
  const [file = ""] = await readdir(directory);
  const [line = ""] = await linesOf(join(directory, file));
  const record = decodeRecord(line);
  expect(record).toMatchObject({ applied: { outcome: "scaled" }, result: { decision: { scaleTo: 6 } } });
  expect(replay(record).decision.scaleTo).toBe(6);
});

test("a file that another process removes, and a link to nothing, are no reason to lose records", async () => {
  const path = await folder();
  await symlink(join(path, "nothing"), join(path, "decisions-20200101T000000.000Z-gone-000001.jsonl.gz"));
  const { writer, warn } = writerIn(path);
  writer.add(made(1));
  await writer.stop();
  expect([writer.lost, warn.mock.calls]).toEqual([0, []]);
  const directory = await openRecordDirectory(path);
  const old = "decisions-20200101T000000.000Z-two-000001.jsonl.gz";
  await writeFile(join(path, old), "x".repeat(1000));
  // Two processes make space at the same time.
  await Promise.all([directory.keepAtMost(500), directory.keepAtMost(500)]);
  expect(await readdir(path)).not.toContain(old);
});

test("files with nothing in them are a thousand at most", async () => {
  const path = await folder();
  const nameOf = (n: number) => `decisions-20200101T000000.000Z-one-${String(n).padStart(6, "0")}.jsonl.gz`;
  for (let n = 0; n < 1010; n++) await writeFile(join(path, nameOf(n)), "");
  const directory = await openRecordDirectory(path);
  await directory.keepAtMost(1e9);
  const names = await readdir(path);
  // With the one that comes next.
  expect([names.length, names.includes(nameOf(1009)), names.includes(nameOf(10))]).toEqual([
    999,
    true,
    false,
  ]);
});
