import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Bundle, bundle } from "./bundle.ts";

/** Bytes, minified. A limit goes down when the code shrinks; it goes up only on purpose. */
const limits = [
  ["the main entry", "export * from '@plimsoll/core'", 132_000],
  ["a whole evaluation", "export { decide } from '@plimsoll/core'", 73_500],
  ["one metric's proposal", "export { proposeReplicas } from '@plimsoll/core/steps'", 40_000],
  ["explaining a decision", "export { explain } from '@plimsoll/core'", 11_300],
  ["summarizing a decision", "export { summarize } from '@plimsoll/core'", 9_000],
  ["schedules", "export * from '@plimsoll/core/schedules'", 26_000],
  ["CronHorizontalPodAutoscalers", "export * from '@plimsoll/core/cronhpa'", 9_900],
  ["the API of HPAs", "export * from '@plimsoll/core/api'", 31_000],
  ["label selectors", "export * from '@plimsoll/core/selector'", 8_400],
  ["quantities", "export * from '@plimsoll/core/quantity'", 5_000],
  ["queries of WorkloadAutoscalers", "export * from '@plimsoll/core/queries'", 5_000],
  ["hiding secrets", "export * from '@plimsoll/core/redact'", 1_800],
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
