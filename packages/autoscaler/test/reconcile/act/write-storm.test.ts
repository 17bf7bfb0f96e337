import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import type { HpaStatus } from "@plimsoll/core";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { hitsPath, hpa, rig, wanting, within, workload } from "../../harness.ts";

const startMs = Date.parse("2030-01-01T00:00:00Z");
const count = 60;
const perSecond = 40;
const names = Array.from({ length: count }, (_, n) => `w-${n}`);

interface Written {
  readonly kind: "scale" | "status" | "event";
  readonly atMs: number;
}

/** Notes writes in the order in which they begin, and responds all queries for metrics at once when all have come. */
function atOnce(client: KubeClient, written: Written[], clock: ManualClock): KubeClient {
  let queries = 0;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    ...client,
    async request<T>(request: KubeRequest): Promise<T> {
      const { method = "GET", path } = request;
      const kind = /\/(scale|status|event)s?$/.exec(path)?.[1] as Written["kind"] | undefined;
      if (method !== "GET" && kind !== undefined) written.push({ kind, atMs: clock.nowMs() });
      const answer = await client.request<T>(request);
      if (path !== hitsPath) return answer;
      queries++;
      if (queries === count) release();
      await released;
      return answer;
    },
  };
}

test("when all objects want to scale at once, counts go out first and the rate is kept; events and statuses follow", async () => {
  const written: Written[] = [];
  const clock = manualClock(startMs);
  const { api, autoscaler } = await rig({
    clock,
    decide: wanting(() => 5),
    config: {
      concurrentSyncs: count,
      budget: {
        scaleReadsAtOnce: 100,
        metricsReadsAtOnce: 100,
        writes: { writesPerSecond: perSecond, refreshesPerSecond: perSecond, atOnce: 20 },
      },
    },
    before(api) {
      for (const name of names) workload(api, name);
    },
    wrapClient: (client) => atOnce(client, written, clock),
  });
  let isDone = false;
  const pass = autoscaler.sync().finally(() => (isDone = true));
  await within(clock, 60_000, () => expect(isDone).toBe(true));
  await pass;

  const kinds = written.map(({ kind }) => kind);
  // While a count waits nothing else goes.
  expect(kinds.slice(0, count)).toEqual(names.map(() => "scale"));
  expect(kinds.filter((kind) => kind === "event")).toHaveLength(count);
  expect(kinds.filter((kind) => kind === "status")).toHaveLength(count);
  // What was saved up, and a second's worth.
  for (const { atMs } of written) {
    const inSecond = written.filter((one) => one.atMs >= atMs && one.atMs < atMs + 1000);
    expect(inSecond.length).toBeLessThanOrEqual(2 * perSecond);
  }
  for (const name of names) {
    expect(api.get("horizontalpodautoscalers", "default", name).status).toMatchObject({ desiredReplicas: 5 });
    expect(api.get("deployments", "default", name).spec).toMatchObject({ replicas: 5 });
  }
  const metrics = await autoscaler.metrics();
  const lines = metrics.split("\n").filter((line) => /^plimsoll_(?:events|waiting_events)/.test(line));
  expect(lines).toEqual([
    `plimsoll_events_recorded_total ${count}`,
    "plimsoll_events_combined_total 0",
    'plimsoll_events_lost_total{reason="rate_limited"} 0',
    'plimsoll_events_lost_total{reason="queue_full"} 0',
    'plimsoll_events_lost_total{reason="write_failed"} 0',
    "plimsoll_waiting_events 0",
  ]);
});

const withRefreshes = (refreshesPerSecond: number) => ({
  scaleReadsAtOnce: 50,
  metricsReadsAtOnce: 50,
  writes: { writesPerSecond: 1000, refreshesPerSecond, atOnce: 50 },
});

function shownValue(
  status: { readonly currentMetrics?: HpaStatus["currentMetrics"] | undefined } | undefined,
): number {
  return Number(status?.currentMetrics?.[0]?.external?.current.value);
}

/** Decides 3 replicas, with a metric value that changes at each decision. */
function moving(): NonNullable<Parameters<typeof rig>[0]>["decide"] {
  let n = 0;
  const same = wanting(() => 3);
  return (input, memory) => {
    const result = same(input, memory);
    const status: HpaStatus = {
      ...result.decision.status,
      currentMetrics: [
        { type: "External", external: { metric: { name: "m" }, current: { value: `${++n}` } } },
      ],
    };
    return { ...result, decision: { ...result.decision, status, statusChanged: true } };
  };
}

test("a status in which only numbers moved waits for its turn, and the newest is written then", async () => {
  const clock = manualClock(startMs);
  const { api, autoscaler, inputs } = await rig({
    clock,
    decide: moving(),
    config: { budget: withRefreshes(1), syncPeriodMs: 100 },
    before: (api) => workload(api, "shop"),
  });
  const statusWrites = () => api.count("PUT", /\/status$/);
  await clock.advance(2000);
  expect(inputs.length).toBeGreaterThan(15);
  expect(statusWrites()).toBeLessThan(inputs.length / 2);
  await within(clock, 5000, () => expect(statusWrites()).toBeGreaterThan(3));
  await autoscaler.stop();
  // Each decision took the one before it as stored, also while that waited.
  const values = inputs.slice(1).map(({ hpa }) => shownValue(hpa.status));
  expect(values).toEqual(values.map((_, index) => index + 1));
  const { status } = api.get("horizontalpodautoscalers", "default", "shop");
  expect(shownValue(status as HpaStatus)).toBeLessThanOrEqual(inputs.length);
});

test("an object that is returned to shadow while its status waits is not written any more", async () => {
  const clock = manualClock(startMs);
  const { api, autoscaler, inputs } = await rig({
    clock,
    decide: moving(),
    config: { budget: withRefreshes(1), syncPeriodMs: 100 },
    before: (api) => workload(api, "shop"),
  });
  await within(clock, 2000, () => expect(inputs.length).toBeGreaterThan(6));
  const stored = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", {
    ...hpa("shop"),
    status: { currentReplicas: 3, desiredReplicas: 7, currentMetrics: [], conditions: [] },
    metadata: stored.metadata,
  });
  const before = api.count("PUT", /\/status$/);
  await within(clock, 2000, () =>
    expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("shadow"),
  );
  const decided = inputs.length;
  await within(clock, 5000, () => expect(inputs.length).toBeGreaterThan(decided + 15));
  expect(api.count("PUT", /\/status$/)).toBe(before);
  expect(inputs.at(-1)?.hpa.status).toMatchObject({ desiredReplicas: 7 });
});
