import { expect, test } from "vitest";
import { matchedLabels, selectorFacts } from "../src/selector-facts.ts";

const facts = (selector: string) => {
  const { metricName, labels } = selectorFacts(selector);
  return [metricName, [...labels]];
};

test.each([
  ["up", "up", []],
  ["up{}", "up", []],
  [' up { job = "a" , pod != "" , } ', "up", ["job", "pod"]],
  ["{__name__=\"up\",pod!=''}", "up", ["__name__", "pod"]],
  ['up{namespace!=``,job=""}', "up", ["namespace"]],
  // What a pattern takes is not looked into.
  ['{__name__=~"up",job=~".+",pod!="x"}', undefined, []],
  ['{__name__="with.dot"}', "with.dot", ["__name__"]],
])("%s", (selector, name, labels) => {
  expect(facts(selector)).toEqual([name, labels]);
});

test.each([
  "",
  "up # job",
  "up or down",
  "sum(up)",
  'up{job="a"',
  "up[5m]",
  'up{job="a"} offset 5m',
  "up{job}",
  '{job="a"}{pod!=""}',
  "up{a=b}",
])("says nothing of %s", (selector) => {
  expect(facts(selector)).toEqual([undefined, []]);
});

test("the labels that a query has matchers for, of all that it names", () => {
  const query = `# c
    sum by (d) (rate(a{e="1", "f.g"=~'2'}[5m])) / on(h) group_left(i) b{j!="k"} > 5`;
  expect(matchedLabels(query)).toEqual(new Set(["e", "f.g", "j"]));
  expect(matchedLabels("rate(a[$x])")).toBeUndefined();
});
