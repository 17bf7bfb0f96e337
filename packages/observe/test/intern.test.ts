import { expect, test } from "vitest";
import { createInterner } from "../src/intern.ts";

test("what looks the same is the same", () => {
  const intern = createInterner(10);
  const first = intern.value({ app: "shop", tier: ["web"] });
  expect(intern.value({ app: "shop", tier: ["web"] })).toBe(first);
  expect(intern.value({ app: "shop", tier: ["web", "db"] })).not.toBe(first);
  expect(intern.text("a")).toBe("a");
});

test("it forgets rather than grow, and nothing that it gave away changes", () => {
  const intern = createInterner(2);
  const first = intern.value({ n: 0 });
  for (let n = 1; n < 5; n++) expect(intern.value({ n })).toEqual({ n });
  expect(intern.value({ n: 0 })).toEqual(first);
});
