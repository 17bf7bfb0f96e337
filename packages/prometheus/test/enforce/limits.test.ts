import { expect, test } from "vitest";
import { enforceNamespace } from "../../src/enforce/index.ts";

const shop = { label: "namespace", namespace: "shop" };

test.each([
  ["a".repeat(4_097), "the query has 4097 characters; at most 4096 are allowed"],
  ["(".repeat(51), "brackets are nested more than 50 deep"],
  ["{".repeat(51), "brackets are nested more than 50 deep"],
  ["-".repeat(201), "there are more than 200 operators"],
  [`1${"^-1".repeat(101)}`, "there are more than 200 operators"],
  [`a${" or a".repeat(201)}`, "there are more than 200 operators"],
  [`a${"[1m:]".repeat(201)}`, "there are more than 200 operators"],
  [`a${" offset 1m".repeat(201)}`, "there are more than 200 operators"],
  [`a${" @ 1".repeat(201)}`, "there are more than 200 operators"],
  [`a${"+a".repeat(50)}`, "there are more than 50 selectors"],
])("%.20s… is too large", (query, message) => {
  expect(enforceNamespace(query, shop)).toMatchObject({
    ok: false,
    reason: "TooLarge",
    message: expect.stringContaining(message),
  });
});

test.each([
  ["brackets", `${"(".repeat(50)}a${")".repeat(50)}`],
  ["calls", `${"abs(".repeat(50)}a${")".repeat(50)}`],
  ["aggregations", `${"sum by (b) (".repeat(50)}a${")".repeat(50)}`],
  ["signs", `${"-".repeat(200)}a`],
  ["powers", `1${"^-1".repeat(100)}`],
  ["sums", `1${"+1".repeat(200)}`],
  ["subqueries", `a${"[1m:]".repeat(200)}`],
  ["both", `${"-1^-abs(".repeat(49)}a${")".repeat(49)}`],
  ["selectors", `a${"+a".repeat(49)}`],
  ["matchers", `a{${"b!='',".repeat(600)}}`],
  ["what is in strings and comments", `a{b="${"(-".repeat(300)}"} # ${"(-".repeat(300)}`],
])("%s at the limit are rewritten", (_what, query) => {
  const result = enforceNamespace(query, shop);
  const matchers = result.ok ? result.query.split('namespace="shop"').length - 1 : result.message;
  expect(matchers).toBe(result.ok ? result.selectors.length : "rewritten");
});

test("limits can be set", () => {
  expect(enforceNamespace("a + b", { ...shop, limits: { selectors: 1 } })).toMatchObject({
    reason: "TooLarge",
  });
  expect(enforceNamespace("a".repeat(5_000), { ...shop, limits: { length: 5_000 } })).toMatchObject({
    ok: true,
  });
});
