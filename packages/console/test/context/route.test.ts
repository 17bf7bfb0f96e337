import { expect, test } from "vitest";
import { hrefOf, listParam, objectRoute, pageRoute, readRoute, withParams } from "../../src/context/route.ts";

test.each([
  ["?", pageRoute("fleet")],
  ["?ns=web&q=api&problems=1", pageRoute("fleet", { ns: "web", q: "api", problems: "1" })],
  ["?view=shadow", pageRoute("shadow")],
  [
    "?view=trace&ns=web&wla=checkout&at=2026-11-22T10%3A00%3A02.000Z&open=scale%2Cmetric-0",
    objectRoute({ resource: "workloadautoscalers", namespace: "web", name: "checkout" }, "trace", {
      at: "2026-11-22T10:00:02.000Z",
      open: "scale,metric-0",
    }),
  ],
])("%s is a route, and its address again", (href, route) => {
  expect(readRoute(href)).toEqual(route);
  expect(hrefOf(route)).toBe(href);
});

test.each(["?view=other", "?view=object", "?view=trace&ns=web", "?view=object&ns=&hpa=x"])(
  "%s, which names no page or no object, is the fleet",
  (href) => {
    expect(readRoute(href).view).toBe("fleet");
  },
);

test("a name may hold anything", () => {
  const name = `<img src=x onerror="1">&view=shadow#\u202E`;
  const route = objectRoute({ resource: "horizontalpodautoscalers", namespace: "a b", name });
  expect(readRoute(hrefOf(route))).toEqual(route);
});

test("an empty parameter is left out", () => {
  const route = withParams(pageRoute("fleet", { q: "a", ns: "web" }), { q: "", state: "held" });
  expect(route.params).toEqual({ ns: "web", state: "held" });
  expect([...listParam(withParams(route, { open: "a,,b" }), "open")]).toEqual(["a", "b"]);
});
