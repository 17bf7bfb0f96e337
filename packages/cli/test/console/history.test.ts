// Longer histories, out of a Prometheus that only this process reads.
import { createServer } from "node:http";
import type { HistoryPage } from "@plimsoll/decisions";
import { listen } from "@plimsoll/testbed/world";
import { describe, expect, test } from "vitest";
import { shopCluster } from "../cluster/workload.ts";
import { startConsole } from "./client.ts";
import { canary, parsed, shop } from "./shop.ts";

describe("history", () => {
  async function setUp(body: (query: URLSearchParams) => object) {
    const seen: URLSearchParams[] = [];
    const prometheus = createServer((request, response) => {
      const { searchParams } = new URL(request.url ?? "/", "http://x");
      seen.push(searchParams);
      response.end(JSON.stringify(body(searchParams)));
    });
    const url = `http://u:${canary}@${(await listen(prometheus)).host}`;
    const console = await startConsole(shopCluster(), ["--via=none", `--prometheus-url=${url}`]);
    return { seen, console, read: await console.signIn() };
  }
  const path = shop.replace("decisions/v1", "console/v1/history");
  const hour = `${path}?from=2026-11-22T09:00:00Z&to=2026-11-22T10:00:00Z`;
  const labels = { namespace: "default", horizontalpodautoscaler: "shop" };

  test("series of kube-state-metrics on one raster; what is missing is null", async () => {
    const from = Date.parse("2026-11-22T09:00:00Z") / 1_000;
    const { seen, read } = await setUp(() => ({
      status: "success",
      data: {
        resultType: "matrix",
        result: [
          {
            metric: { __name__: "kube_horizontalpodautoscaler_status_current_replicas", ...labels },
            values: [
              [from, "3"],
              [from + 30, "5"],
            ],
          },
          {
            metric: {
              __name__: "kube_horizontalpodautoscaler_spec_target_metric",
              metric_name: "cpu",
              metric_target_type: "utilization",
              ...labels,
            },
            values: [[from, "60"]],
          },
          {
            metric: { __name__: "plimsoll_horizontalpodautoscaler_status_current_replicas", ...labels },
            values: [[from, "99"]],
          },
        ],
      },
    }));
    const page = parsed(await read(hour)) as HistoryPage;
    expect(page.times).toHaveLength(241);
    expect(page.series.map(({ kind, name, values }) => [kind, name, values.slice(0, 3)])).toEqual([
      ["current", "replicas", [3, null, 5]],
      ["target", "cpu, % of requests", [60, null, null]],
    ]);
    expect(seen[0]?.get("query")).toContain('horizontalpodautoscaler="shop"');
  });

  test("without series it says what to scrape; a failure says nothing of the password", async () => {
    const empty = await setUp(() => ({ status: "success", data: { resultType: "matrix", result: [] } }));
    expect(parsed(await empty.read(hour))).toMatchObject({
      series: [],
      notes: [expect.stringContaining("kube-state-metrics")],
    });
    const failing = await setUp(() => ({ status: "error", errorType: "bad_data", error: `no ${canary}` }));
    const got = await failing.read(hour);
    expect(got.code).toBe(503);
    expect(failing.console.output() + failing.console.errors()).not.toContain("canary");
  });

  test.each([
    ["?from=x&to=y", "the parameter from must be a time, such as 2026-11-22T10:00:02Z"],
    ["?from=2026-11-22T10:00:00Z&to=2026-11-22T09:00:00Z", "the parameter from must be before"],
    ["?from=2020-11-22T10:00:00Z&to=2026-11-22T09:00:00Z", "at most 62 days"],
  ])("%s is refused", async (query, message) => {
    const { seen, read } = await setUp(() => ({}));
    const got = await read(`${path}${query}`);
    expect([got.code, got.text, seen]).toEqual([400, expect.stringContaining(message), []]);
  });
});
