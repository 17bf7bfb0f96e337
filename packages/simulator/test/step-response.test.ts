// What the controller's rules give in closed form, and the loop has to give.
import { expect, test } from "vitest";
import { type Autoscaler, type ReplicaChange, type Scenario, simulate } from "../src/index.ts";
import { externalMetric, hpa, pod, scenario, startMs, steps, workload } from "../src/testing/index.ts";

/** The load itself, a second old at most: requests of one second, so that as many are in flight as arrive in one. */
const direct: Partial<Scenario> = {
  scraping: {
    intervalMs: 1000,
    failures: 0,
    cacheAgeMs: 0,
    promql: "3",
    lookbackMs: 300_000,
    resourceIntervalMs: 15_000,
  },
};

function changesOf(autoscaler: Autoscaler, of: Partial<Scenario> = {}): readonly ReplicaChange[] {
  const run = simulate(
    scenario({ ...direct, ...of }, [
      workload({
        replicas: 10,
        load: steps([-3600, 600], [60, 3600], [600, 600]),
        pod: { ...pod, serviceTimeMs: 1000, concurrency: 1000 },
        metrics: { load: { of: "in-flight", query: "value", windowMs: 0 } },
        autoscaler,
      }),
    ]),
  );
  return (run.workloads[0]?.changes ?? []).map((change) => ({
    ...change,
    atMs: (change.atMs - startMs) / 1000,
  }));
}

test("six times the load doubles the pods at each sync, and the window of 300 s holds them to the second", () => {
  expect(changesOf(hpa({ metrics: [externalMetric("load", "60")] }))).toEqual([
    { atMs: 65, from: 10, to: 20 },
    { atMs: 80, from: 20, to: 40 },
    { atMs: 95, from: 40, to: 60 },
    // The sync at 590 s is the last that saw the load. At 890 s it still counts.
    { atMs: 905, from: 60, to: 10 },
  ]);
});

test("a policy of four pods in a minute takes steps of four", () => {
  const behavior = { scaleUp: { policies: [{ type: "Pods", value: 4, periodSeconds: 60 }] } };
  const changes = changesOf(hpa({ metrics: [externalMetric("load", "60")], behavior }));
  const up = changes.filter(({ from, to }) => to > from);
  expect(up.slice(0, 3)).toEqual([
    { atMs: 65, from: 10, to: 14 },
    { atMs: 125, from: 14, to: 18 },
    { atMs: 185, from: 18, to: 22 },
  ]);
});

test("a policy of percent and the lower of two policies", () => {
  const policies = [
    { type: "Percent", value: 50, periodSeconds: 15 },
    { type: "Pods", value: 8, periodSeconds: 15 },
  ];
  const behavior = { scaleUp: { selectPolicy: "Min", policies } };
  const changes = changesOf(hpa({ metrics: [externalMetric("load", "60")], behavior }));
  expect(changes.slice(0, 3).map(({ to }) => to)).toEqual([15, 23, 31]);
});

test("a direction that is disabled never changes", () => {
  const behavior = { scaleDown: { selectPolicy: "Disabled" } };
  const changes = changesOf(hpa({ metrics: [externalMetric("load", "60")], behavior }));
  expect(changes.at(-1)?.to).toBe(60);
});

test("within the tolerance nothing changes", () => {
  const near = hpa({ metrics: [externalMetric("load", "330")], minReplicas: 10 });
  // 3,600 of 10 × 330 is 1.09.
  expect(changesOf(near)).toEqual([]);
  expect(changesOf({ ...near, options: { tolerance: 0.05 } })[0]).toEqual({ atMs: 65, from: 10, to: 11 });
});

test("the next sync is a period and the slip later, and pods follow after the reaction", () => {
  const syncs: number[] = [];
  const counts: number[] = [];
  simulate(
    scenario(
      {
        controller: { syncPeriodMs: 15_000, slipMs: 20, firstSyncMs: 0, reactionMs: 200, options: {} },
        durationMs: 61_000,
      },
      [workload({ autoscaler: hpa({ minReplicas: 3 }) })],
    ),
    {
      onSync: ({ atMs, input }) => {
        syncs.push(atMs - startMs);
        counts.push(input.scale.ok ? input.scale.statusReplicas : -1);
      },
    },
  );
  expect(syncs).toEqual([0, 15_020, 30_040, 45_060, 60_080]);
  expect(counts.slice(0, 2)).toEqual([1, 3]);
});
