import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { cacheLimitsMiB } from "../test/backends/prometheus/hostile-load.ts";

const mib = 1024 * 1024;

test("a process with a small heap lives through 10,000 requests, none like another, and its caches keep to their limits", async () => {
  const module = new URL("../test/backends/prometheus/hostile-load.ts", import.meta.url).href;
  const script = `
    import { createCacheMeter } from "@plimsoll/component-base";
    const { sendHostile } = await import(${JSON.stringify(module)});
    const meter = createCacheMeter();
    await sendHostile(10_000, meter);
    gc();
    const { heapUsed } = process.memoryUsage();
    console.log(JSON.stringify({ heapUsed, caches: Object.fromEntries(meter.bytes()) }));
    process.exit(0);
  `;
  const flags = ["--conditions=@plimsoll/source", "--max-old-space-size=256", "--expose-gc"];
  const args = [...flags, "--input-type=module", "--eval", script];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname });
  const { heapUsed, caches } = JSON.parse(stdout) as { heapUsed: number; caches: Record<string, number> };
  expect(heapUsed).toBeLessThan(128 * mib);
  for (const [cache, maxMiB] of Object.entries(cacheLimitsMiB)) {
    expect([cache, caches[cache]]).toEqual([cache, expect.any(Number)]);
    expect(caches[cache]).toBeGreaterThan(0);
    expect(caches[cache]).toBeLessThanOrEqual(maxMiB * mib);
  }
});
