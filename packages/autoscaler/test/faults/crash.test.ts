import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { type FakeApi, startFakeApi } from "../fake-api.ts";
import { deployment, hpa, isFullRun, type Rig, rig } from "../harness.ts";
import { type Crash, type CrashingClient, crashingClient } from "./crashing-client.ts";

const stepMs = 15_000;
const windowMs = 60_000;
/** Five evaluations of a rise, then a fall; the first process is to see both. */
const fallsAtMs = 75_000;
const firstRounds = 14;
const allRounds = 30;
/** Lives that are played side by side. */
const atOnce = 6;
/** Before a request the cluster is as after the one before it: each such death only in the long run. */
const deathsBefore = isFullRun ? atOnce : 1;

const behavior = {
  scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] },
  scaleDown: {
    stabilizationWindowSeconds: windowMs / 1000,
    policies: [{ type: "Pods", value: 1, periodSeconds: 30 }],
  },
};
const metric = {
  type: "External",
  external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
};

function prepare(api: FakeApi): void {
  api.put("deployments", deployment("shop", 3));
  const spec = { minReplicas: 2, maxReplicas: 12, metrics: [metric], behavior };
  api.put("horizontalpodautoscalers", hpa("shop", { spec }));
}

function setLoad(api: FakeApi, value: number, nowMs: number): void {
  api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
    kind: "ExternalMetricValueList",
    items: [{ metricName: "queue", value: String(value), timestamp: new Date(nowMs).toISOString() }],
  });
}

/** One life, cut short by a crash, and the life of its successor. */
async function play(crash: Crash): Promise<CrashingClient> {
  const startMs = Date.parse("2030-01-01T00:00:00Z");
  const clock = manualClock(startMs);
  const api = await startFakeApi(clock.nowMs);
  prepare(api);
  setLoad(api, 100, startMs);
  let client: CrashingClient | undefined;
  const common = { api, clock, config: { syncPeriodMs: 3_600_000 } };
  const first = await rig({
    ...common,
    identity: `first-${crash.atRequest}-${crash.when}`,
    wrapClient: (inner) => (client = crashingClient(inner, crash)),
  });
  client?.arm();
  const isCrashed = () => client?.isCrashed === true;
  const round = async (by: Rig): Promise<void> => {
    const sinceMs = clock.nowMs() - startMs;
    setLoad(api, sinceMs < fallsAtMs ? 100 : 10, clock.nowMs());
    await by.autoscaler.sync().catch((error: unknown) => {
      if (!isCrashed()) throw error;
    });
    await clock.advance(stepMs);
  };
  let rounds = 0;
  while (rounds < firstRounds && !isCrashed()) {
    await round(first);
    rounds += 1;
  }
  await first.autoscaler.stop();
  const diedAtMs = clock.nowMs() - stepMs;
  const second = await rig({ ...common, identity: `second-${crash.atRequest}-${crash.when}` });
  // I5: the successor decides at once.
  await round(second);
  expect(second.autoscaler.decisions.of("default", "shop").length).toBeGreaterThan(0);
  for (rounds += 1; rounds < allRounds && replicas(api) !== 2; rounds++) await round(second);
  await second.autoscaler.stop();

  const downs = api.scaled.filter(({ from, to }) => to < from);
  const early = downs.filter(({ atMs, agent }) => {
    const heldUntilMs = agent.startsWith("second") ? diedAtMs + windowMs : 0;
    return atMs < startMs + fallsAtMs + windowMs - stepMs || atMs < heldUntilMs;
  });
  expect({ died: client?.lastRequest, early }).toMatchObject({ early: [] });
  // Whatever happened, it comes to where the load is, by the end.
  expect(replicas(api)).toBe(2);
  await api.stop();
  if (client === undefined) throw new Error("no process was started");
  return client;
}

function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

test("a process that dies at any of its requests leaves a successor that keeps window, policies and bounds", async () => {
  const died: string[] = [];
  for (let n = 1; died.length === n - 1; n += atOnce) {
    const deaths = Array.from({ length: atOnce }, (_, offset) => n + offset);
    const after = await Promise.all(deaths.map((atRequest) => play({ atRequest, when: "after" })));
    await Promise.all(deaths.slice(0, deathsBefore).map((atRequest) => play({ atRequest, when: "before" })));
    died.push(...after.filter(({ isCrashed }) => isCrashed).map(({ lastRequest }) => lastRequest));
  }
  const kinds = new Set(died.map((line) => line.replace(/^(\w+) .*\/([^/]+)$/, "$1 $2")));
  expect([...kinds].sort()).toEqual(
    expect.arrayContaining(["GET queue", "GET scale", "POST events", "PUT scale", "PUT status"]),
  );
  expect(died.length).toBeGreaterThan(30);
});
