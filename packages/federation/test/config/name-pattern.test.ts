import { expect, test } from "vitest";
import { parseNamePattern } from "../../src/config/name-pattern.ts";

test.each([
  ["datadogmetric@*", "datadogmetric@shop:cpu", true],
  ["datadogmetric@*", "datadogmetric", false],
  ["queue.length", "queue.length", true],
  ["queue.length", "queue-length", false],
  ["/s[0-9]+-.*/", "s0-prometheus", true],
  ["/s[0-9]+-.*/", "as0-prometheus", false],
  ["/a|b/", "ab", false],
])("%s and %s: %s", (source, name, isMatch) => {
  const parsed = parseNamePattern(source);
  expect(parsed.ok && parsed.pattern.matches(name)).toBe(isMatch);
});

test("what makes a backtracking matcher take for ever is matched at once", () => {
  const name = `${"a".repeat(250)}!`;
  for (const source of ["/(a+)+$/", "/(a|a)*b/", `${"a*".repeat(120)}b`]) {
    const parsed = parseNamePattern(source);
    expect(parsed.ok && parsed.pattern.matches(name)).toBe(false);
  }
});
