import { expect, test } from "vitest";
import { visibleText } from "../../src/ui/visible-text.ts";

test.each([
  ["plain", "queue_depth (External)", "queue_depth (External)"],
  ["accents and symbols", "café ⌈5 ÷ 2⌉ → 3 👍", "café ⌈5 ÷ 2⌉ → 3 👍"],
  ["an override", "a\u202Ecpu (External)", "a‹U+202E›cpu (External)"],
  ["isolates and marks", "\u2066a\u2069\u200F", "‹U+2066›a‹U+2069›‹U+200F›"],
  ["what has no form", "a\u0000\u001B[31m\u200Bb\uFEFF", "a‹U+0000›‹U+001B›[31m‹U+200B›b‹U+FEFF›"],
  ["tags", "a\u{E0041}", "a‹U+E0041›"],
  ["a half of a character", "a\uD800", "a‹U+D800›"],
  ["lines of a message", "first\n\tsecond", "first\n\tsecond"],
  ["separators", "a\u2028b", "a‹U+2028›b"],
  ["words from right to left", "תור: 90 ÷ 30", "\u2068תור\u2069: 90 ÷ 30"],
  ["two of them", "عمق الطابور (External)", "\u2068عمق الطابور\u2069 (External)"],
])("%s", (_, text, shown) => {
  expect(visibleText(text)).toBe(shown);
});

test("a long text of either kind is read once", () => {
  const half = 100_000;
  expect(visibleText(`${"א".repeat(half)}${" ".repeat(half)}`)).toHaveLength(2 * half + 2);
  expect(visibleText("א ".repeat(half))).toHaveLength(2 * half + 2);
});
