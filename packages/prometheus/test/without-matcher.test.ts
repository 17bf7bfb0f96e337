import { expect, test } from "vitest";
import { selectorWithout, withoutMatcher } from "../src/syntax.ts";

const shop = { label: "namespace", value: "shop" };

test.each([
  ['a{namespace="shop"}', "a"],
  ["a{namespace='shop', b=\"c\"}", 'a{b="c"}'],
  [
    'sum(rate(a{b="c",namespace = `shop`,d!="e"}[2m])) / b{namespace="shop"}',
    'sum(rate(a{b="c", d!="e"}[2m])) / b',
  ],
  ['{"a.b", namespace="shop"}', '{"a.b"}'],
  ['{"namespace"="shop", __name__="a"}', '{__name__="a"}'],
  ["a", "a"],
  ['a{namespace!="shop"}', 'a{namespace!="shop"}'],
  ['a{namespace=~"shop"}', 'a{namespace=~"shop"}'],
  ['a{namespace="shops"}', 'a{namespace="shops"}'],
  ['a{exported_namespace="shop"}', 'a{exported_namespace="shop"}'],
  [
    'label_replace(a{b="namespace=\\"shop\\""}, "x", "namespace=", "", "")',
    'label_replace(a{b="namespace=\\"shop\\""}, "x", "namespace=", "", "")',
  ],
])("%s becomes %s", (query, expected) => {
  expect(withoutMatcher(query, shop)).toBe(expected);
});

test.each([
  ['sum(a{namespace="shop"}) / {__name__="b", "namespace"=\'shop\'}', undefined],
  ["vector(1)", undefined],
  ['sum(a{namespace="shop"}) / sum(b)', "b"],
  ['rate(a{namespace=~"shop"}[1m])', 'a{namespace=~"shop"}'],
  ['a{b="namespace=\\"shop\\""}', 'a{b="namespace=\\"shop\\""}'],
  ['max_over_time(sum({namespace!="shop"})[5m:])', '{namespace!="shop"}'],
])("the first selector of %s without the matcher is %s", (query, expected) => {
  expect(selectorWithout(query, shop)).toBe(expected);
});
