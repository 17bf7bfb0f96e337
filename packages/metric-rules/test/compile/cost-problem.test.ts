import { readFileSync } from "node:fs";
import { maxJoinedCharacters } from "@plimsoll/prometheus/enforce";
import { expect, test } from "vitest";
import { context } from "../rules.ts";
import { ordinaryQueries } from "./ordinary-queries.ts";
import { verdict } from "./verdict.ts";

const tenfold = (inner: string): string => `label_replace(${inner},"a","${"$1".repeat(10)}","a","(.*)")`;
const literal = (length: number): string => `label_replace(vector(1),"a","${"x".repeat(length)}","","")`;
const times = (count: number, make: (inner: string) => string, seed: string): string =>
  Array.from({ length: count }).reduce<string>(make, seed);

test("a query that kills Prometheus by the memory of its labels is refused", () => {
  const grown = times(5, tenfold, literal(100));
  expect(verdict(`count(label_join(label_join(${grown},"b","","a"),"c","","a"))`)).toBe(
    'TooCostly: spec.query: "label_join(label_join(label_replace(label_replace(label_repl…" may write 30333335 bytes into the labels of each series; at most 512 are allowed: write shorter texts, and use each group once in a replacement (at character 7)',
  );
});

test("a query that keeps Prometheus busy for hours with a regular expression is refused", () => {
  const pattern = `(${"x{0,999}".repeat(20)}y)`;
  expect(
    verdict(`count(label_replace(${times(3, tenfold, literal(100))},"b","$1","a","${pattern}"))`),
  ).toMatch(/^TooCostly: .* may write 202223 bytes into the labels/);
  expect(verdict(`count(label_replace(up,"b","$1","a","${pattern}"))`)).toMatch(
    /^TooCostly: .* with 39971 instructions once repetitions such as \{0,99\} are expanded; at most 5000 are allowed/,
  );
});

test.each([
  ["nested references", tenfold("up"), /labels of a series 10 times as long; at most 6 times/],
  ["several references", `label_replace(up,"a","${"$1".repeat(7)}","b","(.*)")`, /8 times|7 times/],
  ["$0 and ${0}", `label_replace(up,"a","${"$0${0}".repeat(4)}","b",".*")`, /times as long/],
  [
    "a named group",
    `label_replace(up,"a","${"$n".repeat(3)}${"${n}".repeat(4)}","b","(?P<n>.*)")`,
    /times as long/,
  ],
  ["groups within groups", `label_replace(up,"a","$1$2$3$4$5$6$7","b","(((((((.*)))))))")`, /times as long/],
  [
    "groups of a repetition",
    `label_replace(up,"a","$1$2$3$1$2$3$1$2$3","b","(((a|b)*)-?)+")`,
    /times as long/,
  ],
  ["a fan of label_join", `label_join(up,"b",",","a","a","a","a","a","a","a")`, /times as long/],
  [
    "label_join upon label_join",
    times(3, (inner) => `label_join(${inner},"a","-","a","a")`, "up"),
    /labels of a series 8 times/,
  ],
  [
    "copies under other names",
    times(7, (inner) => `label_join(${inner},"${"abcdefg"[inner.length % 7]}${inner.length}","","x")`, "up"),
    /times as long/,
  ],
  [
    "labels that group_left copies",
    `a * on (x) group_left (b) ${times(3, (inner) => `label_join(${inner},"b","","b","b")`, "c")}`,
    /times as long/,
  ],
  [
    "labels that group_right copies",
    `label_join(c,"b","","b","b","b","b","b","b","b") * on (x) group_right (b) a`,
    /times/,
  ],
  ["growth within an aggregation", `max by (a) (${tenfold("up")})`, /times as long/],
  ["growth in a subquery", `max_over_time(${tenfold("up")}[5m:1m])`, /times as long/],
  ["growth in a branch", `up or -(${tenfold("up")})`, /times as long/],
  ["literal text", `label_replace(up,"a","${"x".repeat(600)}","","")`, /write 601 bytes into the labels/],
  ["text of many bytes", `label_replace(up,"a","${"語".repeat(200)}","","")`, /write 601 bytes/],
  ["a long name of a label", `label_replace(up,"${"x".repeat(600)}","$1","a","(.*)")`, /write 600 bytes/],
  [
    "labels of absent",
    `up * on () group_left (a) absent(none{a="${"x".repeat(600)}"})`,
    /write 601 bytes into the labels/,
  ],
  [
    "labels of absent in brackets",
    `label_replace((absent_over_time((none{"a"="${"x".repeat(300)}"})[5m:])),"b","$1","a","(.*)")`,
    /write 603 bytes/,
  ],
  ["a separator", `label_join(up,"a","${"-".repeat(300)}","b","c","d")`, /write 601 bytes/],
  [
    "several literals",
    times(3, (inner) => `label_replace(${inner},"l${inner.length}","${"x".repeat(200)}","","")`, "up"),
    /bytes/,
  ],
  [
    "repeated numbers",
    times(2, (inner) => `count_values without () ("v${inner.length}", ${inner})`, "up"),
    /bytes/,
  ],
  [
    "a literal at each step",
    `max_over_time(label_replace(up,"a","${"x".repeat(300)}","","")[1d:30s])`,
    /at all steps/,
  ],
])("%s: text without bound is refused", (_what, query, message) => {
  expect(verdict(query)).toMatch(/^TooCostly/);
  expect(verdict(query)).toMatch(message);
});

test.each([
  ["nested repetitions", "((a{0,99}){0,99}){0,9}"],
  ["repetitions in a row", "x{0,999}".repeat(3)],
  ["repetitions of groups", "(?P<n>[[:alpha:]]{20}-?){0,99}\\\\.{50}"],
  ["repetitions behind flags", "(?i)(?s:.{0,500}-)(?U:.{0,500})y"],
  ["repetitions behind a quotation", "\\\\Q(?{\\\\E(\\\\pN{1,500}\\\\x{10FFFF}?){3}"],
  ["options in a row", `${".?".repeat(300)}y`],
  ["a class with a bracket in it", "[]|)a]{0,900}[^]]{0,900}x{0,900}"],
])("%s: an expensive regular expression is refused, in label_replace and in matchers", (_what, pattern) => {
  for (const query of [
    `label_replace(up,"a","$1","b","${pattern}")`,
    `up{a=~"${pattern}"}`,
    `up{a!~"${pattern}"}`,
    `absent({__name__=~"up.+${pattern}"})`,
  ])
    expect(verdict(query)).toMatch(/^TooCostly: .*instructions/);
});

test("the text that a regular expression reads from a label of absent counts", () => {
  const query = (length: number): string =>
    `label_replace(absent(none{a="${"x".repeat(length)}"}),"a","$1","a","(.*.{0,60})y")`;
  expect(verdict(query(10))).toBe("accepted");
  expect(verdict(query(450))).toMatch(/^TooCostly: .*instructions for each series/);
});

test("the text that a regular expression reads counts, and so do all of a query together", () => {
  const pattern = `(?:${"[a-z]?".repeat(20)})(.*)`;
  const one = (inner: string): string => `label_replace(${inner},"a","$1","b","${pattern}")`;
  expect(verdict(one("up"))).toBe("accepted");
  expect(verdict(times(10, one, "up"))).toMatch(
    /regular expressions that may run \d+ instructions for each series/,
  );
  expect(verdict(one('label_join(up,"b","","c","d","e","f","g","h","i","j","k","l")'))).toMatch(
    /for each series/,
  );
  const matcher = `{a=~".*${"[a-z]?".repeat(20)}"}`;
  expect(verdict(`up${matcher}`)).toBe("accepted");
  expect(verdict(Array.from({ length: 10 }, () => `up${matcher}`).join(" + "))).toMatch(
    /matchers that may run \d+ instructions for each value/,
  );
});

test.each([
  [
    "every value",
    Array.from({ length: 17 }, (_, at) => `l${at}!=""`).join(","),
    /one of 17 matchers that read all values/,
  ],
  ["no value", Array.from({ length: 17 }, () => 'pod=""').join(","), /one of 17 matchers/],
  ["simple expressions", Array.from({ length: 17 }, () => 'pod!~"a.*"').join(","), /one of 17 matchers/],
])("matchers for %s are counted", (_what, matchers, message) => {
  expect(verdict(`up{${matchers}}`)).toMatch(message);
});

test("what has no use here or cannot be read is refused", () => {
  expect(verdict('sort_by_label(a, "b")')).toMatch(/^Unsupported: .*remove sort_by_label/);
  expect(verdict('label_replace(a, "b", "$1", "c", "(d")')).toMatch(
    /^Unparsable: .*"\(d\\"" is not a valid RE2/,
  );
  expect(verdict('label_replace(a, "b", "$1", "c", "(?=d)")')).toMatch(/^Unparsable/);
  expect(verdict(`up{a=~"${"(".repeat(300)}b${")".repeat(300)}"}`)).toMatch(/^Unparsable/);
  expect(verdict('label_replace(a, "b", "$1", "c", d)')).toMatch(
    /^Unparsable: .*label_replace\(\) takes strings/,
  );
  expect(verdict('label_replace(a, "b", "$1", "c")')).toMatch(
    /^Unparsable: .*an expression and four strings/,
  );
});

test.each(ordinaryQueries)("what users write is accepted: %s", (query) => {
  expect(verdict(query)).toBe("accepted");
});

test("a list of pods as long as a query may be is accepted, and so are patterns with a fixed start", () => {
  const pods = Array.from({ length: 150 }, (_, at) => `web-7d9c5f9b6-${at.toString(36).padStart(5, "a")}`);
  expect(verdict(`up{pod=~"${pods.join("|")}"}`)).toBe("accepted");
  expect(verdict(`up{pod!~"(${pods.join("|")})"}`)).toBe("accepted");
  const deployments = Array.from({ length: 300 }, (_, at) => `d${at.toString(36).padStart(3, "0")}-.*`);
  expect(verdict(`up{pod=~"${deployments.join("|")}"}`)).toBe("accepted");
});

test("the limits in the documentation are those that are used", () => {
  const page = readFileSync(new URL("../../../../docs/metric-rules.md", import.meta.url), "utf8");
  const { maxCost } = context.limits;
  const rows = [
    `${maxCost.labelCopies} times`,
    `${maxCost.labelBytes} bytes`,
    `${maxCost.labelText.toLocaleString("en")} bytes`,
    `${maxCost.regexSize.toLocaleString("en")} instructions`,
    `${maxCost.labelRegexWork.toLocaleString("en")} instructions`,
    `${maxCost.matcherRegexWork.toLocaleString("en")} instructions`,
    `${maxCost.windowMs / 86_400_000} days`,
  ];
  for (const row of rows) expect(page).toContain(`| ${row} |`);
  const amounts = {
    heldSteps: "samples of one series",
    joinedLabels: "labels that `group_left`",
    groupedK: "series of each group in",
    groupedKSteps: "the same, times the steps",
    valueScans: "matchers that read all",
    countValuesSteps: "steps of a subquery around",
    quantiles: "quantiles of",
  } as const;
  for (const [kind, words] of Object.entries(amounts)) {
    const max = maxCost[kind as keyof typeof amounts].toLocaleString("en");
    expect(page).toMatch(new RegExp(`^\\| ${words}.* \\| ${max} \\|$`, "m"));
  }
  expect(page).toContain(`${maxJoinedCharacters} characters`);
});
