import { expect, test } from "vitest";
import { hash } from "../../src/controller/hash.ts";

test("the hash is FNV-1a", () => {
  expect(hash("")).toBe(0x811c9dc5);
  expect(hash("a")).toBe(0xe40c292c);
  expect(hash("foobar")).toBe(0xbf9cf968);
});
