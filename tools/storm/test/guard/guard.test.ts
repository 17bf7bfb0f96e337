import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
// A real timer is what the guard has to notice.
import { setTimeout as wait } from "node:timers/promises";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { expect, test } from "vitest";
import { guardRuntime } from "../../src/guard/guard.ts";

test("reports what reaches for the real runtime, and still does it", async () => {
  const leaks: string[] = [];
  const release = guardRuntime((what) => leaks.push(what.split(" is called")[0] ?? ""));
  let waited: Promise<unknown>;
  let read: Promise<string>;
  let packed: Promise<Buffer>;
  try {
    clearTimeout(setTimeout(() => {}, 0));
    waited = wait(0);
    expect(typeof Math.random()).toBe("number");
    expect(Date.now()).toBeGreaterThan(0);
    expect(new Date().getTime()).toBeGreaterThan(0);
    expect(randomUUID()).toHaveLength(36);
    expect(performance.now()).toBeGreaterThan(0);
    expect(process.hrtime.bigint()).toBeGreaterThan(0n);
    expect(Date()).toContain("GMT");
    expect(new WeakRef(leaks).deref()).toBe(leaks);
    read = readFile(import.meta.filename, "utf8");
    packed = promisify(gzip)("text");
  } finally {
    release();
  }
  await waited;
  expect(await read).toContain("what reaches for the real runtime");
  expect((await packed).length).toBeGreaterThan(0);
  expect(leaks).toEqual([
    "setTimeout",
    "timers.promises.setTimeout",
    "Math.random",
    "Date.now",
    "new Date()",
    "crypto.randomUUID",
    "performance.now",
    "process.hrtime.bigint",
    "Date()",
    "WeakRef.deref",
    "fs.promises.readFile",
    "zlib.gzip",
  ]);
  Date.now();
  randomUUID();
  expect(leaks).toHaveLength(12);
});

test("dates of given moments are no leaks", () => {
  const leaks: string[] = [];
  const release = guardRuntime((what) => leaks.push(what));
  try {
    const date = new Date(0);
    expect(date).toBeInstanceOf(Date);
    expect(date.toISOString()).toBe("1970-01-01T00:00:00.000Z");
    expect(Date.parse("1970-01-01T00:00:01Z")).toBe(1000);
    expect(Object.prototype.toString.call(date)).toBe("[object Date]");
  } finally {
    release();
  }
  expect(leaks).toEqual([]);
});
