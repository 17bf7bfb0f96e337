import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { RE2JS } from "re2js";
import { expect, test } from "vitest";
import { isListOfTexts, readRegex } from "../../src/enforce/regex/read.ts";

const piece: fc.Arbitrary<string> = fc.letrec<{ regex: string }>((tie) => ({
  regex: fc.oneof(
    { maxDepth: 4, depthSize: "medium", withCrossShrink: true },
    fc.constantFrom(
      "a",
      "bc",
      ".",
      "\\.",
      "\\d",
      "\\pN",
      "\\p{Greek}",
      "\\x{10FFFF}",
      "\\101",
      "^",
      "$",
      "\\b",
      "é",
    ),
    fc.constantFrom(
      "[^a]",
      "[]a)]",
      "[[:alpha:]_]",
      "[^[:^digit:]\\]]",
      "\\Qa(b|\\E",
      "\\Q)",
      "[a\\-z]",
      "{",
      "a{,2}",
    ),
    fc.tuple(tie("regex"), tie("regex")).map(([a, b]) => (a === "\\Q)" ? a : `${a}${b}`)),
    fc
      .tuple(tie("regex"), tie("regex"))
      .map(([a, b]) => `(?:${a.replaceAll("\\Q)", "x")}|${b.replaceAll("\\Q)", "y")}|)`),
    fc
      .tuple(fc.constantFrom("(", "(?:", "(?P<n>", "(?i)(", "(?s-i:", "(?U:"), tie("regex"))
      .map(([open, inner]) => `${open}${inner.replaceAll("\\Q)", "z")})`),
    fc
      .tuple(tie("regex"), fc.constantFrom("*", "+", "?", "*?", "{3}", "{2,}", "{0,9}", "{1,4}?", "{0}"))
      .map(([inner, times]) => `(?:${inner.replaceAll("\\Q)", "z")})${times}`),
  ),
})).regex;

test("a program is never larger than its figure, for whatever RE2 reads", () => {
  let [read, all] = [0, 0];
  assertProperty(
    fc.property(piece, (text) => {
      const size = sizeIn(text);
      all += 1;
      if (size === undefined) return;
      read += 1;
      expect(readRegex(text)?.size).toBeGreaterThanOrEqual(size);
    }),
    { numRuns: 3_000 },
  );
  expect(read / all).toBeGreaterThan(0.5);
});

function sizeIn(text: string): number | undefined {
  try {
    return RE2JS.compile(text).programSize();
  } catch {
    return undefined;
  }
}

test.each([
  ["x{0,999}", 2_005],
  ["x{0,999}x{0,999}", 4_003],
  ["((x{99}){99}){9}", 90_916],
  ["(a|b){1,}", 16],
])("%s has about %i instructions", (text, size) => {
  expect(readRegex(text)?.size).toBe(size);
});

test.each([
  ["(?i)[a-z0-9._-]+", 20],
  ["(?i)[\\x{4e00}-\\x{9fff}]", 50],
  ["(?i)[B-\u{1e942}]", 250],
  ["(?i)[\\x{42}-\\x{1e942}B-\u{1e942}]", 500],
  ["(?i)[\\\\x{1e942}-\u{1e942}]", 250],
  ["[B-\u{1e942}]", 20],
])("%s: what reading a class takes is a part of its size", (text, size) => {
  expect(Math.abs((readRegex(text)?.size ?? 0) - size)).toBeLessThan(20);
});

test.each([
  ["what begins at one place", "web-7d9c5f9b6-[a-z0-9]{5}|api-[0-9]{3}-[a-z]{7}", 6],
  ["options of one place", "x{0,999}", 6],
  ["one of several with different starts", "a.*|b.*|c.*", 9],
  ["several with one start", "a.*|ab.*|ac.*", 12],
  ["whatever the case", "(?i)a.*|b.*|c.*", 15],
  ["what follows text of any length", ".*web-[a-z]{5}", 18],
])("%s: %s is read by %j instructions at every character", (_what, text, loose) => {
  expect(readRegex(text)?.loose).toBe(loose);
});

test.each([
  "(",
  ")",
  "a)",
  "(?=a)",
  "(?!a)",
  "[a",
  "*a",
  "a|*",
  "\\",
  "(?P<n",
  `${"(".repeat(201)}${")".repeat(201)}`,
])("%s is not read", (text) => {
  expect(readRegex(text)).toBeUndefined();
});

test("a text of any size is read once", () => {
  for (const text of [
    "[[:".repeat(1_365),
    "(".repeat(4_096),
    "a{9}{9}".repeat(585),
    "|".repeat(4_096),
    "\\Q".repeat(2_048),
  ])
    expect(readRegex(text)?.size ?? 0).toBeGreaterThanOrEqual(0);
  expect(readRegex(`${"(".repeat(150)}x${"){999}".repeat(150)}`)?.size).toBe(2 ** 53 + 6);
});

test("texts with | between them are a list", () => {
  expect(["a", "a|b", "web-1|web\\.2", "a b|ä"].map(isListOfTexts)).toEqual([true, true, true, true]);
  expect(["", "a|", "|a", "a||b", "a.b", "(a|b)", "a\\d", "a?", "^a"].some(isListOfTexts)).toBe(false);
  expect(isListOfTexts(Array.from({ length: 257 }, (_, at) => `p${at}`).join("|"))).toBe(false);
});
