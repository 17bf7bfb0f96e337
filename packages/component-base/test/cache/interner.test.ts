import { expect, test } from "vitest";
import { createInterner } from "../../src/index.ts";

test("equal values are one object", () => {
  const intern = createInterner(10);
  const first = intern.value({ app: "shop", tier: ["web"] });
  expect(intern.value({ app: "shop", tier: ["web"] })).toBe(first);
  expect(intern.value({ app: "shop", tier: ["web", "db"] })).not.toBe(first);
  expect(intern.string("a")).toBe("a");
});

test("it forgets rather than grow, and nothing that it gave away changes", () => {
  const intern = createInterner(2);
  const first = intern.value({ n: 0 });
  for (let n = 1; n < 10; n++) expect(intern.value({ n })).toEqual({ n });
  const second = intern.value({ n: 0 });
  expect(second).toEqual(first);
  expect(intern.value({ n: 0 })).toBe(second);
});

test("long values, and many of them, are not kept", () => {
  const intern = createInterner(10_000);
  const long = () => ({ text: "x".repeat(20_000) });
  const first = intern.value(long());
  expect(intern.value(long())).not.toBe(first);
  const early = intern.value({ n: -1 });
  for (let n = 0; n < 700; n++) intern.value({ n, text: "x".repeat(12_000) });
  expect(intern.value({ n: -1 })).not.toBe(early);
});
