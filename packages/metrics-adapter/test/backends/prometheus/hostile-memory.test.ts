import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { createCacheMeter } from "@plimsoll/component-base";
import { expect, test } from "vitest";
import { sendHostile } from "./hostile-load.ts";

const requests = 10_000;
const mib = 1024 * 1024;

test("10,000 requests, none like another, leave no more in the caches than fits in them", async () => {
  const meter = createCacheMeter();
  await sendHostile(requests, meter);
  const bytes = meter.bytes();
  for (const [cache, max] of [
    ["results", 32],
    ["plans", 16],
    ["batches", 8],
    ["selectors", 8],
    ["selections", 16],
    ["metric_queries", 16],
    ["names", 4],
    ["batchable", 2],
    ["requests", 32],
    ["identities", 4],
  ] as const) {
    expect([cache, bytes.get(cache)]).toEqual([cache, expect.any(Number)]);
    expect(bytes.get(cache)).toBeGreaterThan(0);
    expect(bytes.get(cache)).toBeLessThanOrEqual(max * mib);
  }
});

test("a process with a small heap lives through them", async () => {
  const module = new URL("./hostile-load.ts", import.meta.url).href;
  const script = `
    const { sendHostile } = await import(${JSON.stringify(module)});
    await sendHostile(${String(requests)});
    gc();
    console.log(process.memoryUsage().heapUsed);
    process.exit(0);
  `;
  const flags = ["--max-old-space-size=256", "--expose-gc", "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, flags);
  expect(Number(stdout)).toBeLessThan(128 * mib);
}, 120_000);
