import { readFileSync } from "node:fs";
import { maxJoinedCharacters } from "@plimsoll/prometheus/enforce";
import { expect, test } from "vitest";
import { compileRule } from "../../src/compile/compile-rule.ts";
import { readSpec } from "../../src/kind/read-spec.ts";
import { context, externalSpec, rawRule } from "../rules.ts";
import { ordinaryQueries } from "./ordinary-queries.ts";

function verdict(query: string): string {
  const read = readSpec(rawRule("packets", externalSpec(query)));
  if (!read.ok) throw new Error(read.problems.join("; "));
  const decided = compileRule({ namespace: "shop", name: "packets" }, read.spec, context);
  return decided.type === "refused" ? `${decided.refusal.reason}: ${decided.refusal.message}` : decided.type;
}

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

test.each([
  [
    "a window that slides over a day",
    "max_over_time(quantile_over_time(0.5, a[1d])[1d:30s])",
    /"a" is read again at each step of a subquery, 2881d of samples in all; at most 30d/,
  ],
  [
    "a subquery of milliseconds in one of hours",
    "sum_over_time(sum_over_time(vector(1)[1s:1ms])[12h:12h])",
    /43201001 evaluations, more than 3000/,
  ],
  [
    "count_values at each step",
    'max_over_time(count_values("v", a)[1d:30s])',
    /other series at each of 2881 steps; at most 16/,
  ],
  [
    "count_values at the steps of several subqueries",
    Array.from({ length: 3 }, (_, at) => `max_over_time(count_values("v${at}", a)[9s:1s])`).join(" or "),
    /other series at each of 30 steps; at most 16/,
  ],
  [
    "an aggregation by pod at each step",
    "max_over_time(sum by (pod) (rate(x[5m]))[1d:30s])",
    /"max_over_time\(sum by .*" holds 5762 samples of each series at a time, .* at most 3000 are allowed: use a longer step/,
  ],
  [
    "an operation at each step",
    "max_over_time((sum by (pod) (a) / sum by (pod) (b))[1d:1m])",
    /holds 4323 samples of each series/,
  ],
  [
    "an aggregation by a namespace that the query writes",
    'max_over_time(sum by (namespace) (label_replace(a, "namespace", "$1", "pod", "(.*)"))[1d:30s])',
    /holds 5762 samples of each series/,
  ],
  [
    "series of unions at each step",
    "max_over_time((a or b or c or d)[5h:30s])",
    /holds 4808 samples of each series/,
  ],
  [
    "topk of each pod at each step",
    "max_over_time(topk by (pod) (50, a)[1h:30s])",
    /reserves 6050 series for each group at all steps of its subqueries; at most 3000/,
  ],
  [
    "a join that copies many labels",
    `a * on () group_left (${Array.from({ length: 31 }, (_, at) => `l${at}`).join(", ")}) b`,
    /is one of the parts that copy 31 labels into each series of a join.*at most 30/,
  ],
  [
    "joins that copy labels again",
    `a * on () group_left (${Array.from({ length: 8 }, (_, at) => `l${at}`).join(", ")}) b * on (pod) c * on (pod) d + e`,
    /copy 32 labels into each series of a join, labels of earlier joins and .* included; at most 30/,
  ],
  [
    "a join that copies labels at each step of a subquery",
    "max_over_time((a * on (pod) group_left (x) b)[1d:10m])",
    /copy 145 labels into each series of a join, .* at most 30 .*copy labels around the subquery/,
  ],
  [
    "joins of the series that a subquery made",
    "max by (pod, x) (max_over_time(((a) * on (pod) group_left (x) b)[10s:1s])) * on (pod) group_left (y) c",
    /copy 33 labels into each series of a join/,
  ],
  [
    "copies of joined labels",
    `label_join(a * on () group_left (s, t, u, v, w, x, y, z) b, "p", "", ${Array.from({ length: 3 }, () => '"s", "t", "u", "v", "w", "x", "y", "z"').join()})`,
    /copy 32 labels into each series of a join/,
  ],
  [
    "copies of joined labels that an aggregation keeps",
    `sum by (v) (label_join(a * on () group_left (x, y, z) b, "v", "", "x", "y", "z", "x", "y", "z")) * on (p) c * on (p) d * on (p) e * on (p) f`,
    /copy 33 labels into each series of a join/,
  ],
  ["topk of each pod", "topk by (pod) (99999, a)", /reserves 99999 series for each group; at most 100/],
  ["bottomk of an unknown number", "bottomk(scalar(count(a)), a) without (b)", /an unknown number of series/],
  ["limitk of infinitely many", "limitk by (pod) (+Inf, a)", /an unknown number of series/],
  [
    "a step that the server chooses",
    "max_over_time(a[1d:]) + max_over_time(b[1d:])",
    /5762 evaluations, more than 3000/,
  ],
  [
    "a step of milliseconds",
    "max_over_time(a[1s:5ms])",
    /takes 200 steps a second; at most 1 is allowed: use a step of 1s/,
  ],
  [
    "quantiles of quantiles",
    'histogram_quantiles(label_replace(histogram_quantiles(a, "p", 0.1, 0.5, 0.9, 1), "le", "+Inf", "", ""), "q", 0.1, 0.5, 0.9, 1)',
    /makes 16 series of each series; at most 10/,
  ],
  [
    "many quantiles",
    `histogram_quantiles(a, "q", ${Array.from({ length: 11 }, (_, at) => at / 10).join(", ")})`,
    /11 series/,
  ],
])("%s is refused", (_what, query, message) => {
  expect(verdict(query)).toMatch(/^TooCostly/);
  expect(verdict(query)).toMatch(message);
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
