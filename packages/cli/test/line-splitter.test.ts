// Lines of files and streams, each character looked at once.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test, vi } from "vitest";
import { readRecordingFile } from "../src/commands/backtest/read-recording.ts";
import { readRecords } from "../src/commands/replay/records.ts";
import { createLineSplitter } from "../src/input/line-splitter.ts";

const mebi = 1024 * 1024;

test("lines are the same however the text comes in parts", () => {
  const text = "a\n\nbc\nd";
  for (let size = 1; size <= text.length; size++) {
    const lines = createLineSplitter(mebi, "a test");
    const all: string[] = [];
    for (let at = 0; at < text.length; at += size) all.push(...lines.add(text.slice(at, at + size)));
    expect([...all, lines.rest()]).toEqual(["a", "", "bc", "d"]);
  }
});

test("a line of a thousand parts is put together once, and no part is searched twice", () => {
  const searched = vi.spyOn(String.prototype, "indexOf");
  const joined = vi.spyOn(Array.prototype, "join");
  const lines = createLineSplitter(100 * mebi, "a test");
  const part = "x".repeat(1024);
  for (let n = 0; n < 1000; n++) lines.add(part);
  const characters = searched.mock.contexts.reduce((sum: number, text) => sum + String(text).length, 0);
  const joins = joined.mock.calls.length;
  vi.restoreAllMocks();
  expect([characters, joins]).toEqual([1_024_000, 0]);
  expect(lines.rest()).toHaveLength(1_024_000);
});

test("a line above the limit is refused with its number, whether it has an end or not", () => {
  const message = "line 3 is longer than 1 MiB, too long for a test";
  for (const end of ["", "\n"]) {
    const lines = createLineSplitter(mebi, "a test");
    expect(lines.add(`a\n${"x".repeat(mebi)}\n`)).toHaveLength(2);
    expect(() => lines.add(`${"x".repeat(mebi + 1)}${end}`)).toThrow(message);
  }
});

test.each(["", "\n{}\n"])(
  "replay and recordings refuse one line of 70 MB, with %j behind it",
  async (behind) => {
    const folder = testFolder();
    const file = join(folder, "long.json");
    await writeFile(file, "x".repeat(70_000_000) + behind);
    const seams = { readText: () => Promise.resolve(""), signal: new AbortController().signal };
    const read: unknown[] = [];
    for await (const one of readRecords([file], seams)) read.push(one);
    expect(read).toEqual([
      {
        ok: false,
        file,
        message: `${file}: line 1 is longer than 64 MiB, too long for a file of records`,
      },
    ]);
    await expect(readRecordingFile(file, seams)).rejects.toThrow(
      `${file}: line 1 is longer than 16 MiB, too long for a recording`,
    );
  },
);
