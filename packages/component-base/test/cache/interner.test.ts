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
