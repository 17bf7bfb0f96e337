import { expect, test } from "vitest";
import { retainedBytes } from "../../src/watch/retained-bytes.ts";

test.each<[what: string, value: unknown, least: number]>([
  ["a long string", "x".repeat(10_000), 10_000],
  ["a long string of wide characters", "日".repeat(10_000), 20_000],
  ["many empty objects", Array.from({ length: 1000 }, () => ({})), 32_000],
  ["many short keys", Object.fromEntries(Array.from({ length: 1000 }, (_, at) => [`k${at}`, 0])), 10_000],
  ["a deep value", JSON.parse(`${"[".repeat(100_000)}${"]".repeat(100_000)}`) as unknown, 3_000_000],
])("%s counts for what it takes", (_, value, least) => {
  expect(retainedBytes(value)).toBeGreaterThanOrEqual(least);
  expect(retainedBytes(value)).toBeLessThan(2 * least);
});
