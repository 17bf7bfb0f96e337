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

const words = "a sum rate by on or offset namespace info start inf 5m 1 [5m] sum(a) a{b='c'} 'x'".split(" ");
const signs = Array.from("(){}[],:=\\'\"`#-+^@.\r\n\0 \u00a0\ufffdé");
const piece = fc.constantFrom(...words, ...signs, "!=", "=~", "\ud800");

test("whatever is put together ends in a query with all matchers, or in a refusal with a place", () => {
  assertProperty(
    fc.property(fc.array(piece, { maxLength: 25 }), (pieces) => {
      expect(problemOf(pieces.join(""))).toBeUndefined();
    }),
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
        expect(problemOf(one.query.slice(0, at) + pieces.join("") + other.query.slice(at))).toBeUndefined();
      },
    ),
    { numRuns: 5_000 },
  );
});

/** What is wrong with the outcome, for any text at all. */
function problemOf(query: string): string | undefined {
  const result = enforceNamespace(query, wide);
  if (!result.ok) {
    const { from, to } = result;
    return 0 <= from && from <= to && to <= query.length ? undefined : `a refusal from ${from} to ${to}`;
  }
  if (/[\n\r\t]/.test(result.query)) return `more than one line: ${result.query}`;
  const selectors = selectorsOf(result.query);
  const isSafe = selectors.every((selector) => selector.includes('namespace="shop"'));
  return isSafe && selectors.length === result.selectors.length ? undefined : result.query;
}

/** Empty where the grammar finds an error. */
function selectorsOf(query: string): readonly string[] {
  const found: string[] = [];
  let isBroken = false;
  parser.parse(query).iterate({
    enter({ name, from, to, type }) {
      if (type.isError) isBroken = true;
      if (name === "VectorSelector") found.push(query.slice(from, to));
    },
  });
  return isBroken ? [] : found;
}
