import { expect, test } from "vitest";
import { decisionPaths, readAddress } from "../src/serve/index.ts";

const own = "/apis/decisions/v1";
const group = "/apis/explain.plimsoll.dev/v1";
const shop = "namespaces/default/horizontalpodautoscalers/shop";
/** As the last part of the path of records is. */
const named = "namespaces/default/horizontalpodautoscalers/record";
const object = { resource: "horizontalpodautoscalers", namespace: "default", name: "shop" };

test.each([
  [`${own}/summary?namespace=a&limit=3`, { part: "summary", query: { namespace: "a", limit: 3 } }],
  [`${group}/namespaces/a/summary?namespace=b`, { part: "summary", query: { namespace: "a" } }],
  [`${group}/namespaces/a/stream`, { part: "stream", query: { namespace: "a" } }],
  [`${own}/${shop}`, { part: "decisions", object, query: {}, format: "json" }],
  [`${own}/${shop}?format=text`, { part: "decisions", query: { limit: 1 }, format: "text" }],
  [`${group}/${shop}/record?before=2026-11-22T10:00:00Z`, { part: "record", object }],
  [`${own}/${named}`, { part: "decisions", object: { ...object, name: "record" } }],
  [`${own}/${named}/record`, { part: "record", object: { ...object, name: "record" } }],
  ["/apis/shadow/v1", { part: "shadow" }],
  [`${group}/shadow`, { part: "shadow" }],
])("%s", (url, asked) => {
  expect(readAddress(url)).toMatchObject(asked);
});

test.each([
  [`${own}/${shop}?format=html`, 400],
  [`${own}/${shop}?limit=0`, 400],
  [`${own}/stream?namespace=..%2Fa`, 400],
  [`${own}/namespaces/default/secrets/x`, 404],
  [`${own}/${shop}/record/more`, 404],
  [`${own}/namespaces/default/horizontalpodautoscalers/..%2Fx`, 404],
  [`${own}/namespaces/default/horizontalpodautoscalers/%ff`, 404],
  ["/api/v1/pods", 404],
])("%s is %i", (url, code) => {
  expect(() => readAddress(url)).toThrow(
    expect.objectContaining({ failure: expect.objectContaining({ code }) }),
  );
});

test("every path that routers are given can be read", () => {
  for (const path of decisionPaths)
    expect(() => readAddress(path.replace(":resource", object.resource).replaceAll(":", ""))).not.toThrow();
});
