import { expect, test } from "vitest";
import { type EnforceOptions, enforceNamespace } from "../../src/enforce/index.ts";

const shop = { label: "namespace", namespace: "shop" };

function rewritten(query: string, options: EnforceOptions = shop): string {
  const result = enforceNamespace(query, options);
  return result.ok ? result.query : `${result.reason}: ${result.message}`;
}

const ns = 'namespace="shop"';

test.each([
  ["up", `up{${ns}}`],
  ["a{}", `a{${ns}}`],
  [`{__name__=~"a.*"}`, `{__name__=~"a.*",${ns}}`],
  [`a{b="c"}`, `a{b="c",${ns}}`],
  [`a{b="c",}`, `a{b="c",${ns}}`],
  [`a{ b = 'c' , # }\n }`, `a{ b = "c" ,${ns}}`],
  [`{"http.requests", a!="b"}`, `{"http.requests", a!="b",${ns}}`],
  [`{"a b"=~"c"}`, `{"a b"=~"c",${ns}}`],
  // A metric of this name is not a matcher.
  [`{"namespace"}`, `{"namespace",${ns}}`],
  ["sum by (pod) (rate(a[2m]))", `sum by (pod) (rate(a{${ns}}[2m]))`],
  ["max_over_time(rate(a[5m])[1h:1m])", `max_over_time(rate(a{${ns}}[5m])[1h:1m])`],
  ["a[1h:] @ end() offset -5m", `a{${ns}}[1h:] @ end() offset -5m`],
  ["-a + b offset 5m", `-a{${ns}} + b{${ns}} offset 5m`],
  ["a / on (x) group_left (y) b", `a{${ns}} / on (x) group_left (y) b{${ns}}`],
  ["a > bool ignoring(`x y`) b", `a{${ns}} > bool ignoring("x y") b{${ns}}`],
  ["absent(a) unless absent_over_time(b[1m])", `absent(a{${ns}}) unless absent_over_time(b{${ns}}[1m])`],
  ["topk(scalar(a), b)", `topk(scalar(a{${ns}}), b{${ns}})`],
  [
    "label_replace(a, 'namespace', '$1', 'x', '(.*)')",
    `label_replace(a{${ns}}, "namespace", "$1", "x", "(.*)")`,
  ],
  ["histogram_quantile(0.9, a)", `histogram_quantile(0.9, a{${ns}})`],
  ["1or a", `1 or a{${ns}}`],
  ["SUM BY(pod)(a)", `SUM BY(pod)(a{${ns}})`],
  ["time() - 1_000", "time() - 1000"],
  ["a # the end", `a{${ns}}`],
  ["a\r\n# b\r\n+ c", `a{${ns}} + c{${ns}}`],
  ["a[300] @ 1e3", `a{${ns}}[300] @ 1e3`],
  // Words of PromQL are names of metrics, too.
  ["sum + by", `sum{${ns}} + by{${ns}}`],
])("%j is rewritten", (query, expected) => {
  expect(rewritten(query)).toBe(expected);
});

test.each([
  // A VictoriaMetrics takes the backslash for an escape, and what follows the string for a part of the query.
  ["{a=`\\`} or b{c=`} or secret{d=`}", `{a="\\\\",${ns}} or b{c="} or secret{d=",${ns}}`],
  ['a{b="\\x41\\101\\u0041\\"\\n"}', `a{b="AAA\\"\\n",${ns}}`],
  ["a{b='\"'}", `a{b="\\"",${ns}}`],
  ['a{b="\\xc3\\xa4"}', `a{b="ä",${ns}}`],
  ['a{b="} or secret{"}', `a{b="} or secret{",${ns}}`],
])("strings of %j are quoted alike", (query, expected) => {
  expect(rewritten(query)).toBe(expected);
});

test.each([
  "a{namespace='shop'}",
  "a{namespace!='x'}",
  "a{b='c',namespace=~'.*'}",
  'a{"namespace"!~"x"}',
  "{'namespace'='x'}",
  "{`namespace`='x'}",
  'a{"name\\x73pace"="x"}',
  'a{"\\156amespac\\u0065"="x"}',
  "sum(b) + rate(a{ namespace = 'x' }[5m])",
])("a matcher of the label is refused: %s", (query) => {
  expect(rewritten(query)).toMatch(
    /^NamespaceMatcher: .* selects by the label "namespace", which is set for you/,
  );
});

test.each([
  // For Prometheus the comment ends with the carriage return.
  ["a # x \r or secret", "Syntax: there is a carriage return within a comment"],
  ["a\u00a0", 'Syntax: "\u00a0" is not something that Prometheus reads'],
  ["a\u2028+ b", "Syntax: "],
  ["", "Syntax: the query is empty"],
  ["sum(a", "Syntax: the query ends too early"],
  ["a b", 'Syntax: the query cannot be read from "b" on'],
  ["a{b='c}", "Syntax: "],
  ["a{b='\\q'}", "Syntax: "],
  ["a{b='\\xff'}", "Syntax: "],
  ["a{b='c\nd'}", "Syntax: "],
  ["a{b='\ud800'}", "Syntax: "],
  ["{}", 'Syntax: "{}" selects all series'],
  ["{a=''} + b", "Syntax: \"{a=''}\" selects all series"],
  ['a{"b"}', 'Syntax: "a{\\"b\\"}" has two metric names'],
  ["(a)[5m]", 'Syntax: "(a)[5m]": a range belongs right after a selector'],
  ["a offset 5m [5m]", "Syntax: "],
  ["sum(a) offset 5m", 'Syntax: "sum(a) offset 5m": @ and offset belong after'],
  ["a offset 1m offset 2m", "Syntax: "],
  ["a[0s]", 'Syntax: "0s" must be longer than 0'],
  ["a @ inf", "Syntax: "],
  ["<<.Series>>", "Syntax: "],
  ["unknown(a)", "Syntax: "],
  // Only other servers read these.
  ["with (x = a) x", "Syntax: "],
  ["{a='b' or c='d'}", "Syntax: "],
  ["a default b", "Syntax: "],
  ["info(a)", 'Unsupported: "info": info() selects series by itself'],
  ["info(a, {b='c'})", "Unsupported: "],
  ["a[5m+1m]", 'Unsupported: "5m+1m" is an expression'],
  ["a offset (5m)", "Unsupported: "],
  ["a[step()]", "Unsupported: "],
  ["a + fill(0) b", "Unsupported: "],
  ["a[5m] smoothed", "Unsupported: "],
  ["a[5m] anchored", "Unsupported: "],
  ["a </ b", "Unsupported: "],
])("%j is refused: %s", (query, message) => {
  expect(rewritten(query)).toContain(message);
});

test("a refusal names the place", () => {
  const query = "sum(a) + b{namespace='x'}";
  const result = enforceNamespace(query, shop);
  expect(result.ok ? "" : query.slice(result.from, result.to)).toBe("namespace='x'");
});

test.each([
  ["k8s.namespace.name", 'a{"k8s.namespace.name"="shop"}'],
  ['x"} or secret{y', 'a{"x\\"} or secret{y"="shop"}'],
  ["on", 'a{on="shop"}'],
  ["", "InvalidLabel"],
  ["__name__", "InvalidLabel"],
  ["a\nb", "InvalidLabel"],
  ["\ud800", "InvalidLabel"],
  ["a".repeat(129), "InvalidLabel"],
])("the label %j gives %s", (label, expected) => {
  expect(rewritten("a", { label, namespace: "shop" })).toContain(expected);
});

test.each(["", "Shop", "a b", 'x"} or secret{y="', "a\n", "-a", "a-", "ä", "a".repeat(64), "a,b", "a\\"])(
  "the namespace %j is refused",
  (namespace) => {
    expect(rewritten("a", { label: "namespace", namespace })).toContain("InvalidNamespace");
  },
);
