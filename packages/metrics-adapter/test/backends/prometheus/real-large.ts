import {
  createPrometheusClient,
  type InstantResult,
  labelOf,
  type PrometheusClient,
} from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus } from "@plimsoll/prometheus/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { maxItemBytes } from "../../../src/backends/prometheus/query/response-budgets.ts";

const kib = 1024;
const samplesOf = (result: InstantResult) => (result.type === "vector" ? result.samples : []);
const isFat = (labels: Readonly<Record<string, string>>): boolean => labelOf(labels, "fat") !== undefined;

/** Large responses of a real server, read series by series and as a whole. */
export function testLargeResponsesOn(binary: string): void {
  const nowMs = Date.now();
  const range = { startMs: nowMs - 60_000, endMs: nowMs + 1_000 };
  let prometheus: RealPrometheus;
  let split: PrometheusClient;
  let whole: PrometheusClient;

  beforeAll(async () => {
    prometheus = await startRealPrometheus(binary);
    const usual = Array.from({ length: 3_000 }, (_, at) => ({
      pod: `pod-${at}`,
      pad: `"\\😀${"x".repeat(100)}`,
    }));
    const fat = Array.from({ length: 4 }, (_, at) => ({ pod: `pod-fat-${at}`, fat: "x".repeat(200 * kib) }));
    await prometheus.write(
      [...usual, ...fat].map((labels) => ({
        labels: { __name__: "large", ...labels },
        samples: [[nowMs, 1]],
      })),
    );
    split = createPrometheusClient({ url: prometheus.url, maxItemBytes });
    whole = createPrometheusClient({ url: prometheus.url });
  });

  afterAll(async () => {
    await split.close();
    await whole.close();
    await prometheus.stop();
  });

  test("a large vector without its fat series is the same as in one piece", async () => {
    const [some, all] = [
      await split.query("large", { atMs: nowMs }),
      await whole.query("large", { atMs: nowMs }),
    ];
    expect(some.leftOut).toBe(4);
    expect(samplesOf(some)).toHaveLength(3_000);
    expect(samplesOf(some)).toEqual(samplesOf(all).filter(({ labels }) => !isFat(labels)));
  });

  test("so are large lists of series and of values", async () => {
    const series = await split.series(["large"], range);
    expect(series).toHaveLength(3_000);
    expect(series).toEqual((await whole.series(["large"], range)).filter((labels) => !isFat(labels)));
    expect(await split.labelValues("fat", ["large"], range)).toEqual([]);
    expect(await split.labelNames(["large"], range)).toEqual(["__name__", "fat", "pad", "pod"]);
  });
}
