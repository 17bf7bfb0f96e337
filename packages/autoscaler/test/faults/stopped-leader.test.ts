import { expect, onTestFinished, test } from "vitest";
import { type FakeApi, startFakeApi } from "../fake-api.ts";
import { eventually, hitsPath, workload } from "../harness.ts";
import { type Run, run } from "../process.ts";
import { violations } from "./invariants.ts";

const leaseMs = 2000;

async function start(api: FakeApi, agent: string): Promise<Run> {
  return run(
    `--kubeconfig=${await api.kubeconfigOf(agent)}`,
    "--port=0",
    "--manage-hpas=all",
    "--watch-scale-targets=false",
    "--horizontal-pod-autoscaler-sync-period=200ms",
    "--leader-elect-resource-namespace=default",
    `--leader-elect-lease-duration=${leaseMs}ms`,
    "--leader-elect-renew-deadline=1200ms",
    "--leader-elect-retry-period=200ms",
  );
}

/** Changes of anything but the lease. */
function writesOf(api: FakeApi, agent: string): readonly string[] {
  return api.requests
    .filter(
      (request) => request.agent === agent && request.method !== "GET" && !/\/leases/.test(request.path),
    )
    .map(({ method, path }) => `${method} ${path}`);
}

function isEvaluating(api: FakeApi, agent: string): boolean {
  return api.requests.some((request) => request.agent === agent && request.path.endsWith("/hits"));
}

function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

/** What every pod has of a metric whose target is 10. */
function setHits(api: FakeApi, value: string): void {
  const items = [0, 1, 2].map((n) => ({
    describedObject: { kind: "Pod", namespace: "default", name: `shop-${n}` },
    timestamp: new Date().toISOString(),
    value,
  }));
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
}

/** So that three pods together ask for this count. */
function hitsFor(replicas: number): string {
  return String(Math.floor(((replicas - 0.5) * 10_000) / 3) / 1000);
}

async function twoProcesses(): Promise<{ api: FakeApi; first: Run; second: Run }> {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  workload(api, "shop", { value: "10" });
  const first = await start(api, "first");
  await eventually(() => expect(isEvaluating(api, "first")).toBe(true));
  const second = await start(api, "second");
  await eventually(() => expect(second.lines().some(({ msg }) => msg === "serving")).toBe(true));
  return { api, first, second };
}

test("a leader that is stopped in the middle of a decision carries nothing of it out when it wakes", async () => {
  const { api, first, second } = await twoProcesses();
  let answer = (): void => {};
  // The first process waits for a metric that asks for twice as many; before it comes the process stands still.
  let isAsked = false;
  api.script("GET", /\/hits$/, ({ agent }) => {
    if (agent !== "first") return undefined;
    isAsked = true;
    setHits(api, "20");
    return new Promise((resolve) => (answer = () => resolve(undefined)));
  });
  await eventually(() => expect(isAsked).toBe(true));
  first.kill("SIGSTOP");
  const before = writesOf(api, "first").length;
  answer();
  await eventually(() => expect(replicas(api)).toBe(6));
  expect(api.scaled.map(({ agent, to }) => [agent, to])).toEqual([["second", 6]]);

  first.kill("SIGCONT");
  await eventually(() => expect(first.lines().some(({ msg }) => msg === "objects lost")).toBe(true));
  const asked = () =>
    api.requests.filter(({ agent, path }) => agent === "second" && path.endsWith("/hits")).length;
  const since = asked();
  // Long enough for several periods of both.
  await eventually(() => expect(asked()).toBeGreaterThan(since + 5));
  expect(writesOf(api, "first").slice(before)).toEqual([]);
  expect(violations({ calls: [], scaled: api.scaled })).toEqual([]);
  // It is of use still: the lease is its own again when the other goes.
  second.kill("SIGTERM");
  expect(await second.ended).toBe(0);
  await eventually(() => expect(first.lines().filter(({ msg }) => msg === "objects gained")).toHaveLength(2));
});

test("wherever a leader is stopped, of two processes one writes at a time", { timeout: 60_000 }, async () => {
  const { api, first, second } = await twoProcesses();
  const runs = { first, second };
  let leader: keyof typeof runs = "first";
  for (let round = 0; round < 3; round++) {
    const other: keyof typeof runs = leader === "first" ? "second" : "first";
    const want = 2 * round + 4;
    setHits(api, hitsFor(want));
    // Stopped while its writes of this change are under way, or just before them.
    await eventually(() => expect(replicas(api)).toBe(want));
    runs[leader].kill("SIGSTOP");
    const scaledBefore = api.scaled.length;
    setHits(api, hitsFor(want + 1));
    await eventually(() => expect(replicas(api)).toBe(want + 1));
    expect(api.scaled.slice(scaledBefore).map(({ agent }) => agent)).toEqual([other]);
    const awake = runs[leader];
    const count = (text: string) => awake.lines().filter(({ msg }) => msg === text).length;
    // What was on the wire when the process stood still has come meanwhile, and is not its doing any more.
    const since = writesOf(api, leader).length;
    awake.kill("SIGCONT");
    await eventually(() => expect(count("objects lost")).toBe(count("objects gained")));
    // Events of earlier writes may still be sent.
    const late = writesOf(api, leader).slice(since);
    expect(late.filter((write) => !write.endsWith("/events"))).toEqual([]);
    leader = other;
  }
  expect(api.list("events").map((event) => event["reason"])).not.toContain("ForeignWriter");
});
