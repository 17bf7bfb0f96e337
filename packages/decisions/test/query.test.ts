import { expect, test } from "vitest";
import { rowFrom, type SummaryRow } from "../src/index.ts";
import { mergedPage, readSummaryQuery } from "../src/serve/index.ts";

const known = rowFrom({ resource: "horizontalpodautoscalers", name: "shop", heldBy: "none" }) as SummaryRow;

test("a row of a newer process comes first, and the pages go on behind it", () => {
  const items = [known, { ...known, name: "later", heldBy: "later" as never, action: "hold" as const }];
  const seen: string[] = [];
  let next: string | undefined = "";
  while (next !== undefined && seen.length < 3) {
    const query = readSummaryQuery(new URLSearchParams({ sort: "held", limit: "1", continue: next }));
    const page = mergedPage([{ items, total: 2, counts: {} }], query);
    seen.push(...page.items.map(({ name }) => name));
    next = page.continue;
  }
  expect(seen).toEqual(["later", "shop"]);
});
