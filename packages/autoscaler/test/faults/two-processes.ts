// Two real processes that share a lease, for what signals do to them.
import { eventually } from "@plimsoll/testbed/world";
import { expect, onTestFinished } from "vitest";
import { type FakeApi, startFakeApi } from "../fake-api.ts";
import { hitsPath, workload } from "../harness.ts";
import { type Run, run } from "../process.ts";

// Long enough that a process of a busy machine, which gets little time, keeps its lease.
const leaseMs = 4000;
const renewDeadlineMs = 3000;

async function start(api: FakeApi, agent: string): Promise<Run> {
  return run(
    `--kubeconfig=${await api.kubeconfigOf(agent)}`,
    "--port=0",
    "--manage-hpas=all",
    "--watch-scale-targets=false",
    "--horizontal-pod-autoscaler-sync-period=200ms",
    "--leader-elect-resource-namespace=default",
    `--leader-elect-lease-duration=${leaseMs}ms`,
    `--leader-elect-renew-deadline=${renewDeadlineMs}ms`,
    "--leader-elect-retry-period=200ms",
  );
}

/** Changes of anything but the lease. */
export function writesOf(api: FakeApi, agent: string): readonly string[] {
  return api.requests
    .filter(
      (request) => request.agent === agent && request.method !== "GET" && !/\/leases/.test(request.path),
    )
    .map(({ method, path }) => `${method} ${path}`);
}

function isEvaluating(api: FakeApi, agent: string): boolean {
  return api.requests.some((request) => request.agent === agent && request.path.endsWith("/hits"));
}

export function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

/** What every pod has of a metric whose target is 10. */
export function setHits(api: FakeApi, value: string): void {
  const items = [0, 1, 2].map((n) => ({
    describedObject: { kind: "Pod", namespace: "default", name: `shop-${n}` },
    timestamp: new Date().toISOString(),
    value,
  }));
  api.metrics.set(hitsPath, { kind: "MetricValueList", items });
}

/** So that three pods together ask for this count. */
export function hitsFor(replicas: number): string {
  return String(Math.floor(((replicas - 0.5) * 10_000) / 3) / 1000);
}

/** Both serve, and the first one leads. */
export async function twoProcesses(): Promise<{ api: FakeApi; first: Run; second: Run }> {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  workload(api, "shop", { value: "10" });
  const first = await start(api, "first");
  await eventually(() => expect(isEvaluating(api, "first")).toBe(true));
  const second = await start(api, "second");
  await eventually(() => expect(second.lines().some(({ msg }) => msg === "serving")).toBe(true));
  return { api, first, second };
}
