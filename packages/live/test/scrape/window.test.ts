import { expect, test } from "vitest";
import { compileQuery, createWindows, evaluate } from "../../src/index.ts";
import type { Window } from "../../src/scrape/query.ts";

const target = (pod: string) => ({ key: pod, pod, isReady: true, container: "main", origin: "", path: "" });

function planOf(promql: string) {
  const plan = compileQuery(promql);
  if (!plan.ok) throw new Error(plan.message);
  return plan;
}

/** @returns what is wrong with the page */
function page(window: Window, pod: string, atMs: number, text: string): string | undefined {
  const own = window.open(target(pod), atMs);
  own.start(text.includes("# OpenMetrics") ? "application/openmetrics-text; version=1.0.0" : "text/plain");
  own.push(Buffer.from(text));
  return own.end();
}

function rig(promql: string, series = 100) {
  const windows = createWindows({ series, samples: 64 * series, labelBytes: 1_000 * series });
  const window = windows({ namespace: "shop" });
  const plan = planOf(promql);
  window.want([plan]);
  return { window, windows, values: (atMs: number) => valuesOf(window, promql, atMs, plan) };
}

function valuesOf(window: Window, promql: string, atMs: number, plan = planOf(promql)) {
  const result = evaluate(plan, { atMs, seriesOf: (selector) => window.seriesOf(selector) });
  if (!result.ok || result.type !== "vector") throw new Error("no vector");
  return result.samples.map(({ labels, value }) => [labels, value]);
}

const many = (count: number) =>
  Array.from({ length: count }, (_, at) => `requests_total{x="${at}"} 1\n`).join("");

test("series have the labels of their pod", () => {
  const { window, values } = rig("requests_total");
  expect(page(window, "web-1", 1_000, 'requests_total{pod="other"} 5\nother_total 1\n')).toBeUndefined();
  const labels = {
    __name__: "requests_total",
    namespace: "shop",
    pod: "web-1",
    container: "main",
    exported_pod: "other",
  };
  expect(values(1_000)).toEqual([[labels, 5]]);
});

test("OpenMetrics is read as such", () => {
  const { window, values } = rig("requests_total");
  expect(page(window, "a", 1_000, "# OpenMetrics\nrequests_total 5\n")).toBe(
    "the response does not end with # EOF",
  );
  expect(page(window, "a", 2_000, "# OpenMetrics\nrequests_total 5\n# EOF\n")).toBeUndefined();
  expect(values(2_000)).toMatchObject([[{ pod: "a" }, 5]]);
});

test("what is gone is stale: a series, the series of a pod that fails, and of one that is gone", () => {
  const { window, values } = rig("requests_total");
  page(window, "a", 1_000, many(2));
  page(window, "b", 1_000, many(1));
  page(window, "a", 2_000, many(1));
  expect(values(2_000)).toHaveLength(2);
  window.open(target("a"), 3_000).fail();
  expect(values(3_000)).toHaveLength(1);
  window.keepOnly([target("a")], 4_000);
  expect(values(4_000)).toEqual([]);
});

test("a page without content counts as failed", () => {
  const { window } = rig("requests_total");
  expect(window.open(target("a"), 1_000).end()).toBe("it has no content");
});

test("groups of a namespace share its limit, and other namespaces have their own", () => {
  const { window, windows } = rig("requests_total", 10);
  expect(page(window, "a", 1_000, many(6))).toBeUndefined();
  const second = windows({ namespace: "shop" });
  second.want([planOf("requests_total")]);
  expect(page(second, "b", 1_000, many(6))).toContain("2 of its series are over the limit of the namespace");
  const other = windows({ namespace: "news" });
  other.want([planOf("requests_total")]);
  expect(page(other, "c", 1_000, many(10))).toBeUndefined();
  window.close();
  expect(page(second, "b", 2_000, many(10))).toBeUndefined();
});

test("namespaces share a limit: those below their share are not kept out by others", () => {
  const limits = { series: 100, samples: 6_400, labelBytes: 100_000 };
  const windows = createWindows(limits, { maxBytes: 10_000 });
  const [large, small] = ["large", "small"].map((namespace) => {
    const window = windows({ namespace });
    window.want([planOf("requests_total")]);
    return window;
  }) as [Window, Window];
  expect(page(large, "a", 1_000, many(50))).toContain("over the limit of the namespace, or of all");
  expect(page(small, "b", 1_000, many(5))).toBeUndefined();
  expect(page(small, "b", 2_000, many(50))).toContain("over the limit");
});

test("queries that come and go want other series", () => {
  const { window, values } = rig("requests_total");
  page(window, "a", 1_000, "requests_total 1\nother_total 2\n");
  window.want([planOf("other_total")]);
  expect(values(1_000)).toEqual([]);
  page(window, "a", 2_000, "requests_total 1\nother_total 2\n");
  const both = [planOf("other_total"), planOf("requests_total")];
  window.want(both);
  page(window, "a", 3_000, "requests_total 1\nother_total 2\n");
  expect(both.map((plan) => valuesOf(window, "", 3_000, plan).length)).toEqual([1, 1]);
});

test("the page's labels win where the rule of an administrator says so, but for the pod's", () => {
  const { windows } = rig("requests_total");
  const window = windows({ namespace: "gateway", honorsLabels: true });
  const plan = planOf("requests_total");
  window.want([plan]);
  page(window, "web-1", 1_000, 'requests_total{namespace="shop",pod="other",container=""} 5\n');
  const labels = { namespace: "shop", pod: "web-1", container: "main", exported_pod: "other" };
  expect(valuesOf(window, "requests_total", 1_000, plan)).toEqual([
    [{ __name__: "requests_total", ...labels }, 5],
  ]);
});
