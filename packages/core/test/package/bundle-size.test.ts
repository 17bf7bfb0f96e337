import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Bundle, bundle } from "./bundle.ts";

/** Bytes, minified. A limit goes down when the code shrinks; it goes up only on purpose. */
const limits = [
  // With the rules of 1.36 and 1.38: 133,000 and 74,000 before. With selectors and bytes in words: 138,500.
  // In plain words: 139,800 before. With live queries: 139,900.
  ["the main entry", "export * from '@plimsoll/core'", 140_100],
  ["a whole evaluation", "export { decide } from '@plimsoll/core'", 76_700],
  ["one metric's proposal", "export { proposeReplicas } from '@plimsoll/core/steps'", 40_000],
  // Selectors in words in place of Go's structs, and bytes with a suffix: 11,500 before.
  ["explaining a decision", "export { explain } from '@plimsoll/core'", 12_600],
  ["summarizing a decision", "export { summarize } from '@plimsoll/core'", 9_000],
  ["schedules", "export * from '@plimsoll/core/schedules'", 26_100],
  ["CronHorizontalPodAutoscalers", "export * from '@plimsoll/core/cronhpa'", 9_900],
  ["the API of HPAs", "export * from '@plimsoll/core/api'", 30_000],
  ["label selectors", "export * from '@plimsoll/core/selector'", 8_400],
  ["quantities", "export * from '@plimsoll/core/quantity'", 5_000],
  // Live queries select pods by their labels: 5,000 before. With the period that they ask for: 9,600.
  ["queries of WorkloadAutoscalers", "export * from '@plimsoll/core/queries'", 9_800],
  // Every encoding of a secret, and what looks like an address: 1,800 before these.
  ["hiding secrets", "export * from '@plimsoll/core/redact'", 8_100],
] as const;

function sizes({ code, bytes, weights }: Bundle): string {
  const heaviest = weights
    .slice(0, 6)
    .map(([folder, weight]) => `${folder} ${weight}`)
    .join(", ");
  return `${bytes} bytes minified, ${gzipSync(code, { level: 9 }).length} gzipped: ${heaviest}`;
}

test.each(limits)("the bundle of %s stays within its budget", async (name, source, limit) => {
  const built = await bundle(source);
  console.log(`${name}: ${sizes(built)}`);
  expect(built.bytes).toBeLessThanOrEqual(limit);
});

test("what is not imported is left out of a bundle", async () => {
  const { code, bytes } = await bundle("export { parseQuantity } from '@plimsoll/core/quantity'");
  expect(bytes).toBeLessThan(4_000);
  expect(code).not.toContain("ScalingLimited");
});
