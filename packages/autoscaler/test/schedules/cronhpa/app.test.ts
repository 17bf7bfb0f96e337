import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { failure } from "../../fake-api.ts";
import { hold, hpa, rig, within, workload } from "../../harness.ts";

const settings = { timeZone: "UTC", bounds: "Move", missedRunsMs: 3_600_000 } as const;

test("unless it is enabled, CronHorizontalPodAutoscalers are not even looked at", async () => {
  const { api, autoscaler } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  expect(api.requests.filter(({ path }) => path.includes("alibabacloud"))).toEqual([]);
});

test("where the kind is not installed, nothing fails, nothing is logged and nothing else is late", async () => {
  const clock = manualClock(Date.now());
  const { api, inputs, log } = await rig({
    clock,
    decide: hold,
    config: { cronHpa: settings, syncPeriodMs: 300 },
    before: (api) => workload(api, "shop"),
  });
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { maxReplicas: 7 } }));
  await within(clock, 6 * 300, () => expect(inputs.length).toBeGreaterThan(4));
  expect(api.requests.filter(({ path }) => path.includes("cronhorizontal"))).toEqual([]);
  expect(log.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
});

test("discovery that fails is read again, and its error is logged once", async () => {
  const clock = manualClock(Date.now());
  const { api, log } = await rig({
    clock,
    decide: hold,
    config: { cronHpa: settings },
    synced: false,
    before: (api) =>
      api.script("GET", /^\/api$/, () => failure(503, "ServiceUnavailable", "no discovery"), 9),
  });
  await within(clock, 120_000, () => expect(api.count("GET", /^\/api$/)).toBeGreaterThan(3));
  expect(log.filter(({ message }) => message === "discovery is not complete")).toEqual([
    expect.objectContaining({ level: "warn", fields: { error: expect.stringContaining("no discovery") } }),
  ]);
});
