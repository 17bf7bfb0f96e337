import type { Labels } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { createSeriesSource, type PrometheusRead } from "../../src/index.ts";

const stored: readonly Labels[] = [
  { __name__: "shop_requests_total", namespace: "shop", pod: "a" },
  { __name__: "shop_errors_total", namespace: "shop", pod: "a" },
  { __name__: "secret", namespace: "other", pod: "b" },
];
const namesOf = (all: readonly Labels[]): readonly string[] => all.map((labels) => labels["__name__"] ?? "");

/** A server, whose selectors are answered from a table, and whose label endpoints may give the names of all series. */
function server({ ignoresMatch }: { readonly ignoresMatch: boolean }) {
  const requests: string[] = [];
  const select = (selector: string | undefined): readonly Labels[] =>
    stored.filter(({ __name__: name = "", namespace }) => {
      if (selector?.startsWith("plimsoll:")) return false;
      if (selector?.startsWith("secret")) return name === "secret";
      return selector?.includes('__name__=~"^shop_') === true
        ? name.startsWith("shop_")
        : namespace === "shop";
    });
  const prometheus: PrometheusRead = {
    query: () => Promise.reject(new Error("no query")),
    series: async ([selector]) => {
      requests.push(`series ${selector}`);
      return select(selector);
    },
    labelNames: async () => [],
    labelValues: async (_label, [selector]) => {
      requests.push(`names ${selector}`);
      return namesOf(ignoresMatch ? stored : select(selector));
    },
  };
  const source = createSeriesSource({
    prometheus,
    nowMs: 0,
    maxAgeMs: 60_000,
    signal: new AbortController().signal,
  });
  return { source, requests };
}

const shop = ["shop_requests_total", "shop_errors_total"];

test.each([
  ['{__name__=~"^shop_.*"}', shop],
  ['{namespace="shop"}', shop],
  ["secret", ["secret"]],
])(
  "a server that ignores the selector of label endpoints gives no other series: %s",
  async (selector, names) => {
    const { source, requests } = server({ ignoresMatch: true });
    expect(await source.names(selector)).toEqual(names);
    expect(requests).toContain(`series ${selector}`);
    expect((await source.namesWith(selector, ["pod"])).get("pod")).toEqual(names);
  },
);

test("whether it does is asked once for all rules, and only where the names do not show it", async () => {
  const { source, requests } = server({ ignoresMatch: false });
  expect(await source.names("secret")).toEqual(["secret"]);
  expect(requests).toEqual(["names secret"]);
  for (const selector of ['{__name__=~"^shop_.*"}', '{namespace="shop"}'])
    expect(await source.names(selector)).toEqual(shop);
  expect(requests.filter((request) => request === "names plimsoll:no_such_series")).toHaveLength(1);
  expect(requests.filter((request) => request.startsWith("series"))).toEqual([]);
});
