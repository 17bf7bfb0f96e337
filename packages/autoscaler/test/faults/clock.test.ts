import { manualClock } from "@plimsoll/component-base/testing";
import { decide } from "@plimsoll/core";
import { hourMs } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import type { AutoscalerConfig } from "../../src/index.ts";
import { type FakeApi, startFakeApi } from "../fake-api.ts";
import { hpa, rig, within, workload } from "../harness.ts";
import { violations } from "./invariants.ts";

const periodMs = 15_000;
const windowMs = 300_000;

function setQueue(api: FakeApi, value: number): void {
  api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
    kind: "ExternalMetricValueList",
    items: [{ metricName: "queue", value: String(value), timestamp: "2030-01-01T00:00:00Z" }],
  });
}

function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

/** An autoscaler whose wall clock can be set; timers and the steady clock do not notice. */
async function stage(config: Partial<AutoscalerConfig>) {
  const timers = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  let aheadMs = 0;
  const api = await startFakeApi(timers.nowMs);
  workload(api, "shop");
  const target = { type: "AverageValue", averageValue: "10" };
  const metrics = [{ type: "External", external: { metric: { name: "queue" }, target } }];
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
  setQueue(api, 60);
  const { autoscaler } = await rig({
    api,
    config: { syncPeriodMs: periodMs, ...config },
    clock: { ...timers, nowMs: () => timers.nowMs() + aheadMs, steadyMs: timers.nowMs },
    // Times of decisions and of the server are not comparable here, so that the harness must not compare them.
    decide: (input, memory) => decide(input, memory),
  });
  await within(timers, 2 * periodMs, () => expect(replicas(api)).toBe(6));
  return { api, autoscaler, timers, setClock: (ms: number) => void (aheadMs = ms) };
}

test("a wall clock that is set ahead or back ends no window, and no evaluation is lost", async () => {
  const { api, timers, setClock } = await stage({});
  const asked = () => api.count("GET", /\/queue$/);
  await timers.advance(periodMs);
  setQueue(api, 20);
  const setAtMs = timers.nowMs();
  for (const aheadMs of [hourMs, -hourMs, 366 * 24 * hourMs]) {
    const before = asked();
    setClock(aheadMs);
    await timers.advance(4 * periodMs);
    expect([aheadMs, replicas(api)]).toEqual([aheadMs, 6]);
    expect(asked() - before).toBeGreaterThanOrEqual(3);
  }
  // The window is as long as it ever was, and a rise waits for nothing.
  await within(timers, windowMs, () => expect(replicas(api)).toBe(2));
  const heldMs = timers.nowMs() - setAtMs;
  expect(heldMs).toBeGreaterThan(windowMs - 2 * periodMs);
  expect(heldMs).toBeLessThan(windowMs + 2 * periodMs);
  setQueue(api, 90);
  setClock(-hourMs);
  await within(timers, 6 * periodMs, () => expect(replicas(api)).toBe(9));
  expect(api.scaled.map(({ to }) => to)).toEqual([6, 2, 4, 8, 9]);
  expect(violations({ calls: [], scaled: api.scaled })).toEqual([]);
  await api.stop();
});

const leases = {
  leaseDurationMs: 3000,
  renewDeadlineMs: 2500,
  retryPeriodMs: 500,
  resourceName: "autoscaler",
  resourceNamespace: "default",
} as const;

test("a leader whose clock is set goes on, or takes the lease again", async () => {
  const { api, timers, setClock } = await stage({ coordination: { mode: "leader", ...leases } });
  let want = 6;
  for (const aheadMs of [hourMs, 0, -hourMs]) {
    setClock(aheadMs);
    want += 1;
    setQueue(api, want * 10 - 1);
    await within(timers, 60_000, () => expect([aheadMs, replicas(api)]).toEqual([aheadMs, want]));
  }
  expect(api.list("events").map((event) => event["reason"])).not.toContain("ForeignWriter");
  await api.stop();
});

test("a scale is remembered and reported although the clock was set while it was written", async () => {
  const { api, autoscaler, timers, setClock } = await stage({ coordination: { mode: "leader", ...leases } });
  api.script("PUT", /\/scale$/, () => {
    setClock(hourMs);
    return undefined;
  });
  setQueue(api, 90);
  await within(timers, 2 * periodMs, () => expect(replicas(api)).toBe(9));
  const scaled = () =>
    autoscaler.decisions.of("default", "shop").filter(({ applied }) => applied === "scaled");
  expect(scaled().at(-1)).toMatchObject({ decision: { scaleTo: 9 } });
  await timers.advance(periodMs);
  const messages = api.list("events").map((event) => event["message"]);
  expect(messages.filter((message) => String(message).includes("New size: 9"))).toHaveLength(1);
  await api.stop();
});

/** The leases of a process whose clock was just set are invalid until it renews them, in whatever order. */
test.for([
  { mode: "leader", ...leases },
  { mode: "shards", shards: 2, ...leases },
] as const)(
  "$mode: an object is evaluated although it came while a set clock made the leases invalid",
  async (coordination) => {
    const { api, timers, setClock } = await stage({ coordination });
    const asked = () => api.count("GET", /\/queue$/);
    const times = 10;
    for (let n = 1; n <= times; n += 1) {
      const name = `new-${n}`;
      const before = asked();
      setClock(n * hourMs);
      workload(api, name);
      await within(timers, 3 * periodMs, () => {
        expect([n, asked() > before]).toEqual([n, true]);
        expect(api.get("horizontalpodautoscalers", "default", name).status).toBeDefined();
      });
      // Each time at another moment between two renewals.
      await timers.advance(leases.leaseDurationMs + (n * leases.retryPeriodMs) / times);
    }
    await api.stop();
  },
);
