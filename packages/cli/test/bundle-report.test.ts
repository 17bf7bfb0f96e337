// What `plimsoll bundle` writes about its files.
import { expect, test } from "vitest";
import { filesText } from "../src/commands/bundle/report.ts";

test("a bundle of a large cluster has more files than a function takes arguments", () => {
  const files = Array.from({ length: 200_000 }, (_, index) => ({
    path: `f${index}`,
    bytes: index,
    sha256: "",
  }));
  const text = filesText({ file: "x.tgz", files, missing: [], at: "", notes: [] });
  expect(text.slice(0, 12)).toBe("     0  f0\n ");
  expect(text).toMatch(/\nwrote x\.tgz: 200000 files, 0 missing\n$/);
});
