import { assertProperty } from "@plimsoll/properties";
import { parser } from "@prometheus-io/lezer-promql";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  escapeRegex,
  formatMatcher,
  formatMatchers,
  formatSelector,
  oneOf,
  quoteString,
} from "../src/index.ts";

test.each([
  ["plain", '"plain"'],
  ['a"b', '"a\\"b"'],
  ["a\\b", '"a\\\\b"'],
  ["a\nb\r\t", '"a\\nb\\r\\t"'],
  ["\u0000\u007f", '"\\x00\\x7f"'],
  ["ü€😀", '"ü€😀"'],
  ["\ud800", '"\ufffd"'],
])("quotes %j", (value, expected) => {
  expect(quoteString(value)).toBe(expected);
});

test("escapes every character that RE2 reads as more than itself", () => {
  expect(escapeRegex("a.b*c+d?(e)[f]{g}|h^i$j\\k-l")).toBe(
    "a\\.b\\*c\\+d\\?\\(e\\)\\[f\\]\\{g\\}\\|h\\^i\\$j\\\\k-l",
  );
});

test("one value is equality, several an alternation", () => {
  expect(formatMatcher(oneOf("pod", ["a.b"]))).toBe('pod="a.b"');
  expect(formatMatcher(oneOf("pod", ["a.b", "c"]))).toBe('pod=~"a\\\\.b|c"');
});

test("names that need quotes get them, and end at them", () => {
  expect(formatMatcher({ label: 'x="1"} or y{z', operator: "=", value: "" })).toBe('"x=\\"1\\"} or y{z"=""');
  const matchers = [{ label: "k8s.pod.name", operator: "=" as const, value: "a" }];
  expect(formatSelector("up", matchers)).toBe('up{"k8s.pod.name"="a"}');
  expect(formatSelector("http.requests", matchers)).toBe('{"http.requests","k8s.pod.name"="a"}');
  expect(formatSelector("http.requests", [])).toBe('{"http.requests"}');
});

test("whatever the values, the selector parses as exactly the matchers that were meant", () => {
  const value = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom('"} or up{x="', "\\", '\\"', "`", "\n", "a|b"),
  );
  const operator = fc.constantFrom("=" as const, "!=" as const);
  assertProperty(
    fc.property(fc.array(fc.tuple(operator, value), { minLength: 1, maxLength: 4 }), (parts) => {
      const matchers = parts.map(([op, text], at) => ({ label: `l${at}`, operator: op, value: text }));
      const promql = `up{${formatMatchers(matchers)}}`;
      expect(namesOfNodes(promql)).toEqual({ errors: 0, selectors: 1, matchers: matchers.length });
    }),
    { numRuns: 1_000 },
  );
});

test("alternations match exactly their values", () => {
  assertProperty(
    fc.property(fc.array(fc.string(), { minLength: 2, maxLength: 5 }), fc.string(), (values, other) => {
      const { value } = oneOf("l", values);
      const regex = new RegExp(`^(?:${value})$`, "s");
      for (const wanted of values) expect(regex.test(wanted)).toBe(true);
      expect(regex.test(other)).toBe(values.includes(other));
    }),
  );
});

function namesOfNodes(promql: string): { errors: number; selectors: number; matchers: number } {
  const count = { errors: 0, selectors: 0, matchers: 0 };
  parser.parse(promql).iterate({
    enter(node) {
      if (node.type.isError) count.errors += 1;
      if (node.name === "VectorSelector") count.selectors += 1;
      if (/^(Unquoted|Quoted)LabelMatcher$/.test(node.name)) count.matchers += 1;
    },
  });
  return count;
}
