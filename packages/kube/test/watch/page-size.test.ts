import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPageSize } from "../../src/watch/page-size.ts";

/** Lists objects of these sizes page by page, each page as far as the budget goes; returns the limits of the pages. */
function list(pages: ReturnType<typeof createPageSize>, sizes: readonly number[]): readonly number[] {
  const limits: number[] = [];
  for (let from = 0; from < sizes.length; ) {
    const { limit } = pages;
    limits.push(limit);
    const page = sizes.slice(from, from + limit);
    let bytes = 0;
    const cut = page.findIndex((size) => (bytes += size) > pages.maxBytes);
    if (cut !== -1 && limit > 1) pages.tooLarge(cut);
    else {
      pages.passed({ objects: page.length, bytes });
      from += page.length;
    }
  }
  pages.ended();
  return limits;
}

test("every list ends, with few pages read for nothing, and pages are long again once all objects are small", () => {
  const sizes = fc.array(fc.constantFrom(1, 1, 1, 30, 2000), { minLength: 1, maxLength: 300 });
  assertProperty(
    fc.property(fc.array(sizes, { minLength: 1, maxLength: 4 }), (lists) => {
      const pages = createPageSize(500, 100);
      for (const drawn of lists) expect(list(pages, drawn).length).toBeLessThan(drawn.length + 20);
      for (let n = 0; n < 10; n++)
        list(
          pages,
          Array.from({ length: 2000 }, () => 0.01),
        );
      expect(
        list(
          pages,
          Array.from({ length: 2000 }, () => 0.01),
        ).length,
      ).toBeLessThanOrEqual(5);
    }),
    { numRuns: 1000 },
  );
});

test("a server that was away for long gets pages of fifty objects, and soon longer ones", () => {
  const pages = createPageSize(500, 1e6);
  for (let n = 0; n < 100; n++) pages.timedOut();
  expect(
    list(
      pages,
      Array.from({ length: 2000 }, () => 1),
    ).slice(0, 5),
  ).toEqual([50, 100, 200, 400, 500]);
  expect(
    list(
      pages,
      Array.from({ length: 2000 }, () => 1),
    )[0],
  ).toBe(100);
});

test("a few large objects here and there make the pages of all others no shorter", () => {
  const pages = createPageSize(500);
  const large = Array.from({ length: 12 }, () => 1_500_000);
  const small = (length: number) => Array.from({ length }, () => 3_000);
  const mixed = Array.from({ length: 7 }, () => [...large, ...small(400)]).flat();
  for (let n = 0; n < 3; n++) {
    const all = list(pages, [...mixed, ...small(100_000)]);
    expect(all.length).toBeLessThan(500);
    expect(all.at(-1)).toBeGreaterThan(200);
  }
});
