import { stripVTControlCharacters } from "node:util";
import { decide, type MetricSamples } from "@plimsoll/core";
import { describe, expect, test } from "vitest";
import { explanationOf } from "../src/explanation.ts";
import { createScenario, wantedAtPeak } from "../src/scenario.ts";
import { renderSummary, resultOf } from "../src/summary.ts";
import { fitted, renderTable } from "../src/table.ts";

describe("the demo's table", () => {
  const row = {
    workload: "router",
    replicas: 3,
    wanted: 6,
    explanation: {
      metric: "packets-per-second",
      reading: "1916/1k",
      reason: "pods metric above target",
      steady: false,
    },
    loads: [1, 2, 4],
    counts: [1, 1, 3],
  };

  const long = {
    ...row,
    workload: "shop-frontend",
    replicas: 10,
    explanation: {
      ...row.explanation,
      metric: "requests-per-second-of-the-ingress",
      reason: "wants 3 after the window",
    },
    loads: Array.from({ length: 300 }, (_, tick) => tick),
  };

  test.each([0, 10, 20, 40, 60, 80, 90, 100, 120, 200, 400])("fits %i columns", (width) => {
    for (const line of renderTable([row, long], { width, color: false })) {
      expect(line.length).toBeLessThanOrEqual(Math.max(width, 20));
    }
  });

  test("80 columns show the reason and one sparkline, 120 both", () => {
    expect(renderTable([row, long], { width: 80, color: false })).toEqual([
      "WORKLOAD  REPLICAS  METRIC NOW/TARGET            LOAD   REASON",
      "router    3 → 6     packets-per-second 1916/1k   ▃▅█    pods metric above target",
      "shop-fr…  10 → 6    requests-per-secon… 1916/1k  ▂▄▅▇█  wants 3 after the window",
    ]);
    const [head = "", line = ""] = renderTable([row], { width: 120, color: false });
    expect(head).toMatch(/LOAD +REPLICAS OVER TIME +REASON/);
    expect(line).toContain("▃▅█");
    expect(line).toContain("▃▃█");
  });

  test("colors do not count as columns", () => {
    const plain = renderTable([row], { width: 80, color: false });
    const painted = renderTable([row], { width: 80, color: true });
    expect(painted).not.toEqual(plain);
    expect(painted.map(stripVTControlCharacters)).toEqual(plain);
  });

  test.each([
    ["wants 12: TooManyReplicas", 30, "wants 12: TooManyReplicas"],
    ["wants 12: TooManyReplicas", 25, "wants 12: TooManyReplicas"],
    ["unable to get metric queue_depth", 24, "unable to get metric…"],
    ["unable to get metric queue_depth", 21, "unable to get metric…"],
    ["FailedGetExternalMetric: no such metric", 20, "FailedGetExternalMe…"],
    ["word", 1, "…"],
    ["word", 0, ""],
  ])("cuts %j to %i columns", (text, width, cut) => {
    expect(fitted(text, width)).toBe(cut);
  });

  test("shows a move, the metric and the reason", () => {
    const [, line = ""] = renderTable([row], { width: 140, color: false });
    expect(line).toContain("router    3 → 6");
    expect(line).toContain("packets-per-second 1916/1k");
    expect(line).toContain("pods metric above target");
  });
});

describe("the demo's reasons", () => {
  const selector = { matchLabels: { queue: "orders" }, matchExpressions: [] };
  const metric = { name: "queue_depth", selector };
  const spec = {
    type: "External",
    external: { metric, target: { type: "AverageValue", averageValue: "30" } },
  };
  const explanation = (samples: MetricSamples) => {
    const { decision } = decide({
      nowMs: 0,
      hpa: {
        metadata: { name: "worker" },
        spec: { scaleTargetRef: { kind: "Deployment", name: "worker" }, maxReplicas: 10, metrics: [spec] },
      },
      scale: { ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=worker" },
      pods: { ok: true, pods: [] },
      samples: [samples],
    });
    return [decision.reason, explanationOf(decision, [spec])] as const;
  };

  test("do not repeat the metric, nor print its selector as Go does", () => {
    const [reason, short] = explanation({ values: [{ value: "100" }] });
    expect(reason).toContain("queue_depth(&LabelSelector{MatchLabels:map[string]string{queue: orders,}");
    expect(short).toMatchObject({ metric: "queue_depth", reading: "50/30", reason: "above target" });
  });

  test("a failed metric begins with the reason of its condition", () => {
    const error =
      "unable to get external metric default/queue_depth/&LabelSelector{MatchLabels:map[string]string{queue: orders,},MatchExpressions:[]LabelSelectorRequirement{},}: none";
    const [, short] = explanation({ error });
    expect(short.reason).toMatch(/^FailedGetExternalMetric: .*default\/queue_depth: none$/);
  });
});

describe("the demo's explanation", () => {
  const { streams } = createScenario("full");
  const api = streams.filter(({ workload }) => workload === "api");
  const metrics = new Set(api.map(({ metric }) => metric));

  test("wants each stream's ⌈load ÷ target⌉, clear of the tolerance below", () => {
    expect(streams.map(wantedAtPeak)).toEqual([6, 5, 5, 4, 5, 6]);
    for (const stream of streams) {
      expect(stream.peak / stream.perReplica / (wantedAtPeak(stream) - 1)).toBeGreaterThan(1.14);
    }
  });

  test("agrees with the right peak, and says what is wrong with another", () => {
    expect(resultOf({ workload: "api", streams: api, peak: 5, winners: metrics }).complaint).toBeUndefined();
    const wrong = resultOf({ workload: "api", streams: api, peak: 4, winners: metrics });
    expect(wrong.complaint).toBe("peaked at 4");
    expect(renderSummary([wrong])).toEqual([
      "api      ⌈1900 ÷ 500 packets/s⌉ = 4  wanted 5   peak 4",
      "         ⌈1.4 ÷ 0.3 cores⌉ = 5",
      "         DISAGREES: peaked at 4",
    ]);
    expect(resultOf({ workload: "api", streams: api, peak: 5, winners: new Set(["cpu"]) }).complaint).toBe(
      "packets-per-second never decided",
    );
  });
});
