import { describe, expect, test } from "vitest";
import { createScenario, wantedAtPeak } from "../src/demo/scenario.ts";
import { sparkline } from "../src/demo/sparkline.ts";
import { judge, renderSummary } from "../src/demo/summary.ts";
import { renderTable } from "../src/demo/table.ts";

describe("the demo's table", () => {
  const row = {
    workload: "router",
    replicas: 3,
    wanted: 6,
    verdict: {
      metric: "packets-per-second",
      reading: "1916/1k",
      reason: "pods metric above target",
      steady: false,
    },
    loads: [1, 2, 4],
    counts: [1, 1, 3],
  };

  test.each([60, 80, 100, 120, 200])("fits %i columns", (width) => {
    for (const line of renderTable([row], { width, colour: false }))
      expect(line.length).toBeLessThanOrEqual(Math.max(width, 69));
  });

  test("shows a move, the metric and the reason", () => {
    const [, line = ""] = renderTable([row], { width: 140, colour: false });
    expect(line).toContain("router   3 → 6");
    expect(line).toContain("packets-per-second 1916/1k");
    expect(line).toContain("pods metric above target");
  });

  test("a sparkline keeps the peak when it is compressed", () => {
    expect(sparkline([0, 1, 2, 4], 4)).toBe("▁▃▅█");
    expect(sparkline([1, 1, 1, 8, 1, 1, 1, 1], 4)).toBe("▂█▂▂");
  });
});

describe("the demo's verdict", () => {
  const { streams } = createScenario("full");
  const api = streams.filter(({ workload }) => workload === "api");
  const metrics = new Set(api.map(({ metric }) => metric));

  test("wants each stream's ⌈load ÷ target⌉, clear of the tolerance below", () => {
    expect(streams.map(wantedAtPeak)).toEqual([6, 5, 5, 4, 5]);
    for (const stream of streams) {
      expect(stream.peak / stream.perReplica / (wantedAtPeak(stream) - 1)).toBeGreaterThan(1.14);
    }
  });

  test("agrees with the right peak, and says what is wrong with another", () => {
    expect(judge({ workload: "api", streams: api, peak: 5, winners: metrics }).complaint).toBeUndefined();
    const wrong = judge({ workload: "api", streams: api, peak: 4, winners: metrics });
    expect(wrong.complaint).toBe("peaked at 4");
    expect(renderSummary([wrong]).join("")).toContain("DISAGREES: peaked at 4");
    expect(judge({ workload: "api", streams: api, peak: 5, winners: new Set(["cpu"]) }).complaint).toBe(
      "packets-per-second never decided",
    );
  });
});
