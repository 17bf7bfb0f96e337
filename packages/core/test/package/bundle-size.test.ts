import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { type Bundle, bundle } from "./bundle.ts";

/** Bytes, minified. A limit goes down when the code shrinks; it goes up only on purpose. */
const limits = [
  ["everything", "export * from '@plimsoll/core'", 110_800],
  ["a whole evaluation", "export { decide } from '@plimsoll/core'", 58_700],
  ["one metric's proposal", "export { proposeReplicas } from '@plimsoll/core'", 40_000],
  ["explaining a decision", "export { explain } from '@plimsoll/core'", 9_100],
  ["quantities", "export * from '@plimsoll/core/quantity'", 5_000],
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
  const { code, bytes } = await bundle("export { parseQuantity } from '@plimsoll/core'");
  expect(bytes).toBeLessThan(4_000);
  expect(code).not.toContain("ScalingLimited");
});
