import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { labelSelector, parseSelector, SelectorError } from "../src/values/selector/index.ts";

test.each<[string, string]>([
  ["", ""],
  ["  ", ""],
  ["a", "a"],
  ["!a", "!a"],
  ["a=b", "a=b"],
  ["a==b", "a=b"],
  ["a!=b", "a!=b"],
  ["a=", "a="],
  ["a=,b", "a=,b"],
  ["x in (foo,,baz),y,z notin ()", "x in (,baz,foo),y,z notin ()"],
  ["c in (y,x,y) , a = b,!d", "a=b,c in (x,y),!d"],
  ["in in (in,notin)", "in in (in,notin)"],
  ["notin=in", "notin=in"],
  ["a>7,b<12", "a>7,b<12"],
  ["a in (,)", "a in ()"],
  ["a in (b,)", "a in (,b)"],
  ["example.com/App.v1=X_y.z-1", "example.com/App.v1=X_y.z-1"],
])("%j reads as %j", (text, canonical) => {
  const selector = parseSelector(text);
  expect(selector.toString()).toBe(canonical);
  expect(parseSelector(canonical).requirements).toEqual(selector.requirements);
});

const keyRule =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const valueRule =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

test.each<[string, string]>([
  ["a===b", "unable to parse requirement: found '=', expected: identifier"],
  ["!", "unable to parse requirement: found '', expected: identifier"],
  ["=b", "found '=', expected: !, identifier, or 'end of string'"],
  [",", "found ',', expected: !, identifier, or 'end of string'"],
  ["a,", "found '', expected: identifier after ','"],
  ["a=b c", "found 'c', expected: ',' or 'end of string'"],
  ["!a=b", "found '=', expected: ',' or 'end of string'"],
  ["a b", "unable to parse requirement: found 'b', expected: in, notin, =, ==, !=, gt, lt"],
  ["a in", "unable to parse requirement: found '' expected: '('"],
  ["a in b", "unable to parse requirement: found 'b' expected: '('"],
  ["a in (b", "unable to parse requirement: found '', expected: ',' or ')'"],
  ["a in (=", "unable to parse requirement: found '=', expected: ',', ')' or identifier"],
  ["a in (b,=", "unable to parse requirement: found '=', expected: ',', or identifier"],
  [
    "a>b",
    "unable to parse requirement: values[0]: Invalid value: \"b\": for 'Gt', 'Lt' operators, the value must be an integer",
  ],
  ["-a", `unable to parse requirement: <nil>: Invalid value: "-a": name part ${keyRule}`],
  ["/a", 'unable to parse requirement: <nil>: Invalid value: "/a": prefix part must be non-empty'],
  ["a=-b", `unable to parse requirement: values[0][a]: Invalid value: "-b": ${valueRule}`],
  [
    `a=${"b".repeat(64)}`,
    `unable to parse requirement: values[0][a]: Invalid value: "${"b".repeat(64)}": must be no more than 63 bytes`,
  ],
])("%j is refused", (text, message) => {
  expect(() => parseSelector(text)).toThrow(new SelectorError(message));
});

test("requirements match as Kubernetes has it", () => {
  const labels = { app: "shop", size: "10", empty: "" };
  const cases: [string, boolean][] = [
    ["app=shop", true],
    ["app=other", false],
    ["app!=other", true],
    ["missing!=x", true],
    ["missing notin (x)", true],
    ["app notin (shop)", false],
    ["app in (a,shop)", true],
    ["missing in (a)", false],
    ["empty=", true],
    ["missing=", false],
    ["empty", true],
    ["!empty", false],
    ["!missing", true],
    ["size>9", true],
    ["size>10", false],
    ["size<11", true],
    ["app>1", false],
    ["missing<1", false],
    ["app=shop,size=11", false],
    ["constructor", false],
    ["app=shop,app=shop", true],
    ["app=shop,app=other", false],
    ["app in (shop,a),app in (shop,b),app!=c", true],
    ["app in (shop,a),app!=shop", false],
    ["app,!app", false],
    ["missing,!missing", false],
    ["size>9,size>1,size<11,size<99", true],
    ["size>9,size<10", false],
    ["size>8,size!=10", false],
  ];
  for (const [text, expected] of cases)
    expect([text, parseSelector(text).matches(labels)]).toEqual([text, expected]);
  expect(parseSelector("!a").matches(undefined)).toBe(true);
});

const manyKeys = Array.from({ length: 10_000 }, (_, at) => `k${String(at)}`);

test.each<[string, string, boolean]>([
  ["keys that must not be there", manyKeys.map((key) => `!${key}`).join(), true],
  ["values that others must not have", manyKeys.map((key) => `${key}!=x`).join(), true],
  ["values that one must not have", manyKeys.map((value) => `app!=${value}`).join(), true],
  ["values of which it has none", `app in (${manyKeys.join()})`, false],
  ["bounds", manyKeys.map((_, at) => `size<${String(at + 100)}`).join(), true],
  ["the same again", manyKeys.map(() => "app").join(), true],
])("ten thousand %s take a few steps for each object", (_, text, expected) => {
  let steps = 0;
  const count = <A extends unknown[], R>(act: (...args: A) => R) => {
    return (...args: A): R => {
      steps += 1;
      return act(...args);
    };
  };
  const labels = new Proxy<Record<string, string>>(
    { app: "shop", size: "10" },
    {
      get: count(Reflect.get),
      has: count(Reflect.has),
      ownKeys: count(Reflect.ownKeys),
      getOwnPropertyDescriptor: count(Reflect.getOwnPropertyDescriptor),
    },
  );
  expect(parseSelector(text).matches(labels)).toBe(expected);
  expect(steps).toBeLessThan(20);
});

test("what is wrong with ten thousand values is reported for a few", () => {
  const read = () => parseSelector(`a in (${manyKeys.map((key) => `-${key}`).join()})`);
  expect(read).toThrow(/^unable to parse requirement: \[values\[0\]\[a\]: Invalid value: "-k0"/);
  expect(read).toThrow(/^[^]{0,5000}$/);
});

test("selectors of API objects: none takes nothing, an empty one everything", () => {
  expect(labelSelector(undefined).matches({})).toBe(false);
  expect(labelSelector(null).matches({ a: "b" })).toBe(false);
  expect(labelSelector({}).matches({ a: "b" })).toBe(true);
  const selector = labelSelector({
    matchLabels: { b: "1", a: "2" },
    matchExpressions: [
      { key: "tier", operator: "In", values: ["y", "x"] },
      { key: "canary", operator: "DoesNotExist" },
      { key: "env", operator: "NotIn", values: ["dev"] },
      { key: "app", operator: "Exists", values: null },
    ],
  });
  expect(selector.toString()).toBe("a=2,app,b=1,!canary,env notin (dev),tier in (x,y)");
});

test.each<[Parameters<typeof labelSelector>[0], string]>([
  [{ matchExpressions: [{ key: "a", operator: "Near" }] }, '"Near" is not a valid label selector operator'],
  [
    { matchExpressions: [{ key: "a", operator: "In", values: [] }] },
    "values: Invalid value: null: for 'in', 'notin' operators, values set can't be empty",
  ],
  [
    { matchExpressions: [{ key: "a", operator: "Exists", values: ["x"] }] },
    'values: Invalid value: ["x"]: values set must be empty for exists and does not exist',
  ],
  [
    { matchLabels: { "-": "-" } },
    `[key: Invalid value: "-": name part ${keyRule}, values[0][-]: Invalid value: "-": ${valueRule}]`,
  ],
])("%j is refused as a selector", (source, message) => {
  expect(() => labelSelector(source)).toThrow(new SelectorError(message));
});

test("parsing never fails but with a SelectorError, and what it prints reads the same", () => {
  const text = fc.string({
    unit: fc.constantFrom(
      "a",
      "b",
      "=",
      "!",
      "(",
      ")",
      ",",
      " ",
      "in",
      "notin",
      "<",
      ">",
      "1",
      "-",
      "/",
      "\t",
    ),
    maxLength: 14,
  });
  assertProperty(
    fc.property(text, (source) => {
      try {
        const selector = parseSelector(source);
        expect(parseSelector(selector.toString()).requirements).toEqual(selector.requirements);
      } catch (error) {
        if (!(error instanceof SelectorError)) throw error;
      }
    }),
    { numRuns: 3000 },
  );
});
