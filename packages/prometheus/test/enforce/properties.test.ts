import { assertProperty } from "@plimsoll/properties";
import { parser } from "@prometheus-io/lezer-promql";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { enforceNamespace } from "../../src/enforce/index.ts";
import { madeQuery } from "./random-query.ts";

const shop = { label: "namespace", namespace: "shop" };
const wide = { ...shop, limits: { length: 100_000, operators: 10_000, nesting: 1_000, selectors: 1_000 } };

test("every selector of a random query gets the matcher, and nothing else changes", () => {
  assertProperty(
    fc.property(madeQuery, ({ query, expected, selectors }) => {
      const result = enforceNamespace(query, wide);
      expect(result.ok ? result.query : result.message).toBe(expected);
      expect(result.ok ? result.selectors.length : 0).toBe(selectors);
    }),
    { numRuns: 5_000 },
  );
});

test("a query that is rewritten is refused the second time, when it has a selector", () => {
  assertProperty(
    fc.property(madeQuery, ({ query }) => {
      const once = enforceNamespace(query, wide);
      const twice = enforceNamespace(once.ok ? once.query : "", wide);
      expect(twice).toMatchObject({ ok: false, reason: "NamespaceMatcher" });
    }),
    { numRuns: 1_000 },
  );
});

const piece = fc.constantFrom(
  ...[
    "a",
    "sum",
    "rate",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "=",
    "!=",
    "=~",
    "'",
    '"',
    "`",
    "\\",
    "#",
    "\r",
    "\n",
  ],
  ...[
    " ",
    "\u00a0",
    "-",
    "+",
    "^",
    "@",
    "5m",
    "1",
    "by",
    "on",
    "or",
    "offset",
    "namespace",
    "info",
    "start",
    "inf",
  ],
  ...["a{b='c'}", "[5m]", "sum(a)", "'x'", "\ufffd", "\ud800", "\0", "é", "."],
);

test("whatever is put together ends in a query with all matchers, or in a refusal with a place", () => {
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => check(pieces.join(""))),
    { numRuns: 5_000 },
  );
});

test("so does a query with a part of another in it", () => {
  assertProperty(
    fc.property(
      madeQuery,
      madeQuery,
      fc.nat(),
      fc.array(piece, { maxLength: 3 }),
      (one, other, place, pieces) => {
        const at = place % (one.query.length + 1);
        check(one.query.slice(0, at) + pieces.join("") + other.query.slice(at));
      },
    ),
    { numRuns: 5_000 },
  );
});

function check(query: string): void {
  const result = enforceNamespace(query, wide);
  if (result.ok) {
    expect(selectorsOf(result.query).every((selector) => selector.includes('namespace="shop"'))).toBe(true);
    expect(selectorsOf(result.query)).toHaveLength(result.selectors.length);
    expect(result.query).not.toMatch(/[\n\r\t]/);
  } else {
    expect(result.from).toBeGreaterThanOrEqual(0);
    expect(result.to).toBeGreaterThanOrEqual(result.from);
    expect(result.to).toBeLessThanOrEqual(query.length);
  }
}

function selectorsOf(query: string): readonly string[] {
  const found: string[] = [];
  parser.parse(query).iterate({
    enter({ name, from, to, type }) {
      expect(type.isError).toBe(false);
      if (name === "VectorSelector") found.push(query.slice(from, to));
    },
  });
  return found;
}
