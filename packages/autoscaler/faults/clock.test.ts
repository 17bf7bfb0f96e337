import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { eventually, testFolder } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { type FakeApi, startFakeApi } from "../test/fake-api.ts";
import { violations } from "../test/faults/invariants.ts";
import { hpa, workload } from "../test/harness.ts";
import { type Run, runWith } from "../test/process.ts";

const hourMs = 3_600_000;
const path = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue";

function setQueue(api: FakeApi, value: number): void {
  const timestamp = new Date().toISOString();
  const items = [{ metricName: "queue", value: String(value), timestamp }];
  api.metrics.set(path, { kind: "ExternalMetricValueList", items });
}

function asked(api: FakeApi): number {
  return api.count("GET", /\/queue$/);
}

function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

interface Stage {
  readonly api: FakeApi;
  readonly process: Run;
  readonly setClock: (aheadMs: number) => Promise<void>;
}

/** A real process that reads its wall clock from a file. */
async function stage(...flags: string[]): Promise<Stage> {
  const api = await startFakeApi();
  onTestFinished(() => api.stop());
  const folder = testFolder();
  const file = join(folder, "ahead");
  const setClock = (aheadMs: number) => writeFile(file, `${aheadMs}`.padEnd(12));
  await setClock(0);
  workload(api, "shop");
  const metric = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } },
  };
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [metric] } }));
  setQueue(api, 60);
  const process = runWith(
    {
      before: new URL("./set-clock.ts", import.meta.url).href,
      env: { CLOCK_AHEAD: file },
    },
    [
      `--kubeconfig=${api.kubeconfig}`,
      "--port=0",
      "--manage-hpas=all",
      "--watch-scale-targets=false",
      "--horizontal-pod-autoscaler-sync-period=200ms",
      ...flags,
    ],
  );
  await eventually(() => expect(replicas(api)).toBe(6));
  return { api, process, setClock };
}

/** Rounds enough for whatever is going to happen to happen. */
async function someRounds(api: FakeApi): Promise<void> {
  const before = asked(api);
  await eventually(() => expect(asked(api)).toBeGreaterThan(before + 4));
}

test("a process whose wall clock is set ahead or back ends no window, and loses no evaluation", async () => {
  const { api, setClock } = await stage(
    "--leader-elect=false",
    "--horizontal-pod-autoscaler-downscale-stabilization=20s",
  );
  const heldFromMs = Date.now();
  await someRounds(api);
  setQueue(api, 20);
  for (const aheadMs of [hourMs, -hourMs, 366 * 24 * hourMs]) {
    await setClock(aheadMs);
    await someRounds(api);
    expect([aheadMs, replicas(api)]).toEqual([aheadMs, 6]);
  }
  expect(Date.now() - heldFromMs).toBeLessThan(20_000);
  // The window is as long as it ever was, and a rise waits for nothing.
  await eventually(() => expect(replicas(api)).toBe(2));
  expect(Date.now() - heldFromMs).toBeGreaterThan(20_000);
  setQueue(api, 90);
  await setClock(-hourMs);
  await eventually(() => expect(replicas(api)).toBe(9));
  expect(api.scaled.map(({ to }) => to)).toEqual([6, 2, 4, 8, 9]);
  expect(violations({ calls: [], scaled: api.scaled })).toEqual([]);
});

test("a process that leads and whose clock is set goes on, or takes the lease again", async () => {
  const { api, setClock } = await stage(
    "--leader-elect-resource-namespace=default",
    "--leader-elect-lease-duration=2s",
    "--leader-elect-renew-deadline=1s",
    "--leader-elect-retry-period=200ms",
  );
  let want = 6;
  for (const aheadMs of [hourMs, 0, -hourMs]) {
    await setClock(aheadMs);
    want += 1;
    setQueue(api, want * 10 - 1);
    await eventually(() => expect([aheadMs, replicas(api)]).toEqual([aheadMs, want]));
  }
  expect(api.list("events").map((event) => event["reason"])).not.toContain("ForeignWriter");
});
