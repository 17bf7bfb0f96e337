import { minuteMs } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { startAutoscaler } from "../../src/autoscaler/autoscaler-program.ts";
import { createCluster } from "../../src/cluster/cluster.ts";
import { oneWriter } from "../../src/invariants/one-writer.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { runScenario } from "../../src/run/run.ts";
import type { FaultKind, Observation, World } from "../../src/run/world.ts";
import type { PlannedEvent, Scenario } from "../../src/scenario/scenario.ts";
import { deployment } from "../cluster/rig.ts";

const names = ["autoscaler-0", "autoscaler-1"] as const;

const at = (run: (world: World, event: PlannedEvent) => void): FaultKind => ({
  draw: () => ({}),
  begin(world, event) {
    run(world, event);
    return undefined;
  },
});
const faults = {
  kill: at(({ processes }, { details }) => processes.get(String(details["process"]))?.kill()),
  stop: at(({ processes }, { details }) => processes.stop(String(details["process"]))),
  start: at(({ processes }, { details }) => processes.start(String(details["process"]))),
};

function scenarioOf(
  ...events: readonly (readonly [minute: number, kind: string, process: string])[]
): Scenario {
  const wla = {
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "web", namespace: "default" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 3,
      maxReplicas: 5,
      metrics: [
        { type: "External", external: { metric: { name: "queue" }, target: { type: "Value", value: "1" } } },
      ],
    },
  };
  return {
    seed: 1,
    startMs: Date.parse("2026-05-01T10:00:00Z"),
    stormMs: 4 * minuteMs,
    quietMs: minuteMs,
    setup: { autoscalers: 2, adapters: 0, coordination: "leader", objects: [deployment("web", 1), wla] },
    events: events.map(([minute, kind, process], id) => ({
      id,
      atMs: minute * minuteMs,
      forMs: 0,
      kind,
      details: { process },
    })),
  };
}

async function play(scenario: Scenario) {
  const seen: (Observation & { readonly minute: number })[] = [];
  const result = await runScenario(scenario, {
    createCluster,
    createPrometheus,
    programs: (world) => new Map(names.map((name) => [name, (process) => startAutoscaler(world, process)])),
    faults,
    invariants: [
      oneWriter,
      ({ time }) => ({
        name: "seen",
        observe(observation) {
          seen.push({ ...observation, minute: (time.nowMs - scenario.startMs) / minuteMs });
          return undefined;
        },
      }),
    ],
  });
  expect(result.violation).toBeUndefined();
  const decided = seen.filter(({ kind }) => kind === "decided") as (Extract<
    Observation,
    { kind: "decided" }
  > & {
    minute: number;
  })[];
  return { result, seen, decided, deciders: [...new Set(decided.map(({ process }) => process))] };
}

test("of two processes one leads, brings a target to its minimum, and the same run has the same trace", async () => {
  const { result, decided, deciders, seen } = await play(scenarioOf());
  expect(deciders).toHaveLength(1);
  expect(decided[0]?.result.decision).toMatchObject({ currentReplicas: 1, scaleTo: 3 });
  expect(seen).toContainEqual(expect.objectContaining({ kind: "logged", message: "scaled" }));
  expect((await play(scenarioOf())).result.hash).toBe(result.hash);
});

test("a leader that is killed is followed after its lease has expired, one that is stopped at once", async () => {
  const [leader = ""] = (await play(scenarioOf())).deciders;
  const follower = names.find((name) => name !== leader);
  const after = async (kind: string) => {
    const { decided } = await play(scenarioOf([2, kind, leader]));
    const first = decided.find(({ process }) => process === follower);
    return (first?.minute ?? 0) - 2;
  };
  const [killed, stopped] = [await after("kill"), await after("stop")];
  // A lease lasts three seconds.
  expect(killed).toBeGreaterThan(2.5 / 60);
  expect(killed).toBeLessThan(5 / 60);
  expect(stopped).toBeGreaterThan(0);
  expect(stopped).toBeLessThan(1.5 / 60);
});

test("a process that is started again has another identity, and waits for the lease of its former run", async () => {
  const [leader = ""] = (await play(scenarioOf())).deciders;
  const other = names.find((name) => name !== leader) ?? "";
  const { decided } = await play(
    scenarioOf([1, "kill", other], [2, "kill", leader], [2.01, "start", leader]),
  );
  const again = decided.find(({ minute }) => minute > 2);
  expect(again?.process).toBe(leader);
  expect(again?.minute).toBeGreaterThan(2 + 2.5 / 60);
});
