import { minuteMs } from "@plimsoll/core/internal/values";
import type { StoredObject } from "@plimsoll/sandbox";
import { expect, test } from "vitest";
import { createCluster } from "../../src/cluster/cluster.ts";
import { lagFaults } from "../../src/faults/lag.ts";
import { podFaults } from "../../src/faults/pods.ts";
import { compactionFaults, restoreFaults } from "../../src/faults/restore.ts";
import { workloadUserFaults } from "../../src/faults/workload-users.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { createRandom } from "../../src/random/random.ts";
import { runScenario } from "../../src/run/run.ts";
import type { World } from "../../src/run/world.ts";
import type { PlannedEvent, Scenario } from "../../src/scenario/scenario.ts";
import { deployment } from "../cluster/rig.ts";

const faults = { ...restoreFaults, ...lagFaults, ...compactionFaults, ...podFaults, ...workloadUserFaults };

type Planned = Pick<PlannedEvent, "kind"> & Partial<PlannedEvent>;

const objects = [
  { apiVersion: "v1", kind: "Namespace", metadata: { name: "shop" } },
  { ...deployment("web", 3), metadata: { name: "web", namespace: "shop" } },
];
const web = { workload: "Deployment", namespace: "shop", name: "web" };

function scenarioOf(...events: readonly Planned[]): Scenario {
  return {
    seed: 1,
    startMs: Date.parse("2026-05-01T10:00:00Z"),
    stormMs: 10 * minuteMs,
    quietMs: minuteMs,
    setup: { autoscalers: 0, adapters: 0, coordination: "alone", objects },
    events: events.map((event, index) => ({
      id: index,
      atMs: (index + 1) * minuteMs,
      forMs: 30_000,
      details: {},
      ...event,
    })),
  };
}

/** Plays it; what a look sees at each of these moments. */
async function play<T>(
  scenario: Scenario,
  atMs: readonly number[],
  look: (world: World) => T,
): Promise<readonly T[]> {
  const seen: T[] = [];
  const result = await runScenario(scenario, {
    createCluster,
    createPrometheus,
    programs: () => new Map(),
    faults,
    invariants: [
      (world) => {
        for (const at of atMs) world.time.after(at, () => void seen.push(look(world)));
        return { name: "none" };
      },
    ],
  });
  expect(result.violation).toBeUndefined();
  return seen;
}

interface Pod extends StoredObject {
  readonly status: {
    readonly phase: string;
    readonly conditions: readonly { readonly type: string; readonly status: string }[];
    readonly containerStatuses: readonly { readonly restartCount: number }[];
  };
}

function pods({ cluster }: World): readonly Pod[] {
  return cluster.store.list("pods") as readonly Pod[];
}

function readyPods(world: World): number {
  return pods(world).filter(({ status, metadata }) =>
    status.conditions.some(
      (one) => one.type === "Ready" && one.status === "True" && metadata.deletionTimestamp === undefined,
    ),
  ).length;
}

function replicas({ cluster }: World): number | undefined {
  const found = cluster.store.get("deployments.apps", "shop", "web");
  return (found?.spec as { readonly replicas: number } | undefined)?.replicas;
}

test.each(Object.keys(faults))("%s is drawn, played and ended in any setup", async (kind) => {
  const fault = faults[kind];
  const scenario = scenarioOf();
  const details = fault?.draw(createRandom(1), scenario.setup) ?? {};
  expect(Object.keys(details).length > 0 || kind === "compaction").toBe(true);
  const events = [1, 2].map((id) => ({ id, atMs: id * 70_000, forMs: minuteMs, kind, details }));
  const counts = await play({ ...scenario, events }, [11 * minuteMs - 1], readyPods);
  expect(counts[0]).toBeGreaterThan(0);
  const empty = { ...scenario, setup: { ...scenario.setup, objects: [] }, events };
  await play(empty, [], () => undefined);
});

test("a pod that crashes counts a restart, and is Ready again in the end", async () => {
  const look = (world: World) => ({
    ready: readyPods(world),
    restarts: pods(world).map(({ status }) => status.containerStatuses[0]?.restartCount ?? 0),
  });
  const scenario = scenarioOf({ kind: "pod-crash", details: { which: 0 } });
  const [during, after] = await play(scenario, [minuteMs + 10_000, 3 * minuteMs], look);
  expect(during).toEqual({ ready: 2, restarts: [1, 0, 0] });
  expect(after).toEqual({ ready: 3, restarts: [1, 0, 0] });
});

test("an evicted pod is replaced, and its object stays for a while", async () => {
  const look = (world: World) => [readyPods(world), pods(world).length];
  const scenario = scenarioOf({ kind: "pod-evicted", details: { which: 0.5 } });
  expect(await play(scenario, [minuteMs + 10_000, 3 * minuteMs], look)).toEqual([
    [3, 4],
    [3, 3],
  ]);
});

test("users scale a workload, GitOps takes that back, and a deleted one comes back", async () => {
  const scenario = scenarioOf(
    { kind: "workload-scaled", details: { ...web, replicas: 7 } },
    { kind: "workload-applied", details: web },
    { kind: "workload-deleted", details: { ...web, propagation: "Foreground" } },
  );
  const seen = await play(scenario, [90_000, 130_000, 205_000, 220_000], replicas);
  expect(seen).toEqual([7, 3, undefined, 3]);
});

test("a rollout that never comes up keeps the old pods, and is rolled back", async () => {
  const phase = { phase: "NeverReady", readyDelay: "0s" };
  const scenario = scenarioOf({ kind: "rollout", details: { ...web, ...phase } });
  const look = (world: World) => [readyPods(world), pods(world).length];
  const [during, after] = await play(scenario, [80_000, 120_000], look);
  expect(during?.[0]).toBe(3);
  expect(during?.[1]).toBeGreaterThan(3);
  expect(after).toEqual([3, 3]);
});

test("a restore undoes what came after its moment", async () => {
  const scenario = scenarioOf(
    { kind: "workload-scaled", details: { ...web, replicas: 7 } },
    { kind: "etcd-restored", details: { backMs: 65_000 } },
  );
  expect(
    await play(scenario, [90_000, 121_000, 600_000], (world) => [replicas(world), readyPods(world)]),
  ).toEqual([
    [7, 7],
    [3, 3],
    [3, 3],
  ]);
});

test("a deleted namespace comes back with what was in it", async () => {
  const scenario = scenarioOf({ kind: "namespace-deleted", details: { namespace: "shop" } });
  const look = ({ cluster }: World) =>
    ["namespaces", "deployments.apps", "pods"].map(
      (resource) =>
        cluster.store
          .list(resource)
          .filter(({ metadata }) => (metadata.namespace ?? metadata.name) === "shop").length,
    );
  expect(await play(scenario, [80_000, 100_000], look)).toEqual([
    [0, 0, 0],
    [1, 1, 3],
  ]);
});

test("a stuck pod stays until it is let go, and another one takes its place", async () => {
  const scenario = scenarioOf({ kind: "pod-stuck", details: { which: 0 } });
  const look = (world: World) => [readyPods(world), pods(world).length];
  expect(await play(scenario, [85_000, 100_000], look)).toEqual([
    [3, 4],
    [3, 3],
  ]);
});
