// What should have happened, and has not by the end of a process or of the run.
import { expect, test } from "vitest";
import { cronRunsDue } from "../../src/invariants/cron-runs-due.ts";
import { evaluated, settleMs } from "../../src/invariants/evaluated.ts";
import { isKeyOfStored } from "../../src/invariants/kept-keys.ts";
import { nothingRemains } from "../../src/invariants/nothing-remains.ts";
import { stopsInTime } from "../../src/invariants/stops-in-time.ts";
import { autoscalerRig, hpaWith } from "./autoscaler-rig.ts";

const first = "autoscaler-0";

test("an object that is not evaluated any more is noticed once everything must have settled", async () => {
  const setup = { coordination: "leader" } as const;
  const { store, decided, pass, observe, end } = autoscalerRig(evaluated, setup);
  const settleSeconds = settleMs(setup) / 1000;
  expect(end()).toBeUndefined();
  const { metadata } = store.create("horizontalpodautoscalers.autoscaling", {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "team-a" },
    spec: hpaWith().spec,
  });
  const evaluate = () => decided(first, { hpa: { ...hpaWith(), metadata } }).message;
  await pass(settleSeconds + 45);
  expect(end()).toBeUndefined();
  await pass(1);
  expect(end()).toBe("team-a/shop was evaluated never, and its period is 15000 ms");
  expect(evaluate()).toBe("team-a/shop was evaluated never, and its period is 15000 ms");
  await pass(45);
  expect([evaluate(), end()]).toEqual([undefined, undefined]);
  await pass(46);
  expect([evaluate(), end()]).toEqual([expect.stringContaining("was evaluated 46000 ms ago"), undefined]);

  // A fault, and what it leaves behind.
  const event = { id: 1, atMs: 0, forMs: 60_000, kind: "pause", details: {} };
  observe({ kind: "fault", change: "begins", event });
  await pass(600);
  expect([evaluate(), end()]).toEqual([undefined, undefined]);
  await pass(600);
  observe({ kind: "fault", change: "ends", event });
  await pass(settleSeconds);
  expect([evaluate(), end()]).toEqual([undefined, undefined]);
  await pass(46);
  expect(end()).toContain("was evaluated 46000 ms ago");
});

test.each([
  [
    'plimsoll_hpa_controller_desired_replicas{namespace="team-a",hpa_name="NAME",kind="HorizontalPodAutoscaler"} 3',
  ],
  [
    'plimsoll_horizontalpodautoscaler_info{namespace="team-a",horizontalpodautoscaler="NAME",mode="active"} 1',
  ],
])("a series of an object that is gone is noticed: %s", async (line) => {
  for (const name of ["shop", "gone"]) {
    const { store, series, pass, end } = autoscalerRig(nothingRemains);
    const metadata = { name: "shop", namespace: "team-a" };
    store.create("horizontalpodautoscalers.autoscaling", {
      kind: "HorizontalPodAutoscaler",
      metadata,
      spec: {},
    });
    series.set(first, `# HELP series\nother{result="same"} 1\n${line.replace("NAME", name)}\n`);
    await pass(250);
    const problem =
      name === "gone" ? `a series of an object that is gone: ${line.replace("NAME", name)}` : undefined;
    expect(end()?.replace("autoscaler-0 keeps ", "")).toBe(problem);
  }
});

test("decisions, finalizers and moved bounds of what is gone are noticed at the end", () => {
  const { store, kept, end } = autoscalerRig(nothingRemains);
  const hpas = "horizontalpodautoscalers.autoscaling";
  const metadata = { name: "shop", namespace: "team-a" };
  const { metadata: created } = store.create(hpas, { kind: "HorizontalPodAutoscaler", metadata, spec: {} });
  const decision = {
    namespace: "team-a",
    name: "shop",
    resource: "horizontalpodautoscalers",
    uid: created.uid,
  };
  kept.set(first, [decision]);
  expect(end()).toBeUndefined();
  kept.set(first, [{ ...decision, uid: "another" }]);
  expect(end()).toContain(
    "autoscaler-0 keeps decisions on horizontalpodautoscalers team-a/shop of uid another",
  );
  kept.clear();
  const annotations = { "autoscaling.plimsoll.dev/schedule-bounds": '{"by":"night","own":{},"set":{}}' };
  store.update(hpas, { kind: "HorizontalPodAutoscaler", metadata: { ...metadata, annotations }, spec: {} });
  expect(end()).toBe("the bounds of team-a/shop are still moved by night, which is gone");
  const night = {
    metadata: { name: "night", namespace: "team-a", finalizers: ["x"] },
    kind: "WorkloadAutoscaler",
  };
  const wlas = "workloadautoscalers.autoscaling.plimsoll.dev";
  store.create(wlas, night);
  expect(end()).toBeUndefined();
  store.update(wlas, {
    ...night,
    metadata: { ...night.metadata, deletionTimestamp: "2026-06-01T12:00:00Z" },
  });
  expect(end()).toBe("team-a/wla:night was deleted, and still waits for its end");
});

test("an entry of what is gone is noticed once everything must have settled", async () => {
  const setup = { coordination: "leader" } as const;
  const { store, meter, observe, pass, end } = autoscalerRig(nothingRemains, setup);
  const entries = new Map<string, number>();
  meter.add("objects_states", entries);
  const metadata = { name: "shop", namespace: "team-a" };
  const object = { kind: "HorizontalPodAutoscaler", metadata, spec: {} };
  store.create("horizontalpodautoscalers.autoscaling", object);
  entries.set("team-a/shop", 1);
  await pass(settleMs(setup) / 1000 + 1);
  expect(end()).toBeUndefined();
  store.delete("horizontalpodautoscalers.autoscaling", "team-a", "shop");
  const gone = "autoscaler-0 keeps an entry of team-a/shop in objects_states, which is gone";
  expect(end()).toBe(gone);
  const event = { id: 1, atMs: 0, forMs: 1000, kind: "pause", details: {} };
  observe({ kind: "fault", change: "begins", event });
  expect(end()).toBeUndefined();
  observe({ kind: "fault", change: "ends", event });
  await pass(settleMs(setup) / 1000 + 1);
  expect(end()).toBe(gone);
  entries.clear();
  expect(end()).toBeUndefined();
});

test("a pod that has just gone may be in memory still", async () => {
  const setup = { coordination: "leader" } as const;
  const { meter, pass, written, end } = autoscalerRig(nothingRemains, setup);
  meter.add("objects/pods", new Map([["team-a/web-1", 1]]));
  meter.add("selections/pods", new Map([["team-a", 1]]));
  await pass(settleMs(setup) / 1000 + 1);
  expect(end()).toContain("team-a/web-1 in objects/pods");
  written("user", {
    type: "DELETED",
    resource: "pods",
    object: { metadata: { name: "web-1", namespace: "team-a" } },
  });
  expect(end()).toBeUndefined();
  await pass(settleMs(setup) / 1000 + 1);
  expect(end()).toContain("team-a/web-1 in objects/pods");
});

test.each([
  ["objects/pods", "team-a/web-1", true],
  ["objects/pods", "team-a/web-2", false],
  ["objects/nodes", "/node-1", true],
  ["selections/pods", "", true],
  ["selections/pods", "team-a", true],
  ["selections/pods", "team-b", false],
  ["evaluations_queue", "team-a/shop", true],
  ["evaluations_queue", "team-a/wla:shop", false],
  ["objects_states", "team-a/wla:night", true],
  ["bounds_written", "team-a/wla:night", true],
  ["schedules_read", "team-a/night-uid", false],
  ["bounds_due", "team-a/shop", true],
  ["bounds_due", "team-a/later", true],
  ["bounds_runs_plans", "team-a/gone", false],
  ["cron_hpa_records", "team-a/jobs", true],
  ["cron_hpa_records", "team-a/gone", false],
  ["cron_hpa_runs_queue", "team-a/cronhpa:apps|Deployment|web", true],
  ["cron_hpa_targets", "team-a/cronhpa:apps|Deployment|gone", false],
])("of the map %s the key %s is of something that is there: %s", (map, key, isThere) => {
  const { store } = autoscalerRig(nothingRemains);
  const create = (resource: string, name: string, spec: object = {}) =>
    store.create(resource, {
      kind: "Any",
      metadata: { name, namespace: "team-a" },
      spec,
    });
  create("pods", "web-1");
  store.create("nodes", { kind: "Node", metadata: { name: "node-1" } });
  create("horizontalpodautoscalers.autoscaling", "shop");
  const later = { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "later" } };
  const { metadata } = create("workloadautoscalers.autoscaling.plimsoll.dev", "night", later);
  const cronHpas = "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com";
  create(cronHpas, "jobs", { scaleTargetRef: { kind: "Deployment", name: "web" } });
  expect(isKeyOfStored(store, map, key)).toBe(isThere);
  expect(isKeyOfStored(store, "schedules_read", `team-a/${metadata.uid ?? ""}`)).toBe(true);
  expect(() => isKeyOfStored(store, "another", key)).toThrow('no rule says what the keys of "another" are');
});

test("a process that does not stop by itself is noticed, unless requests were lost", async () => {
  const { observe, pass } = autoscalerRig(stopsInTime);
  const turns = (change: "started" | "stopping" | "stopped" | "killed") =>
    observe({ kind: "process", process: first, change });
  const fault = (kind: string, change: "begins" | "ends") =>
    observe({ kind: "fault", change, event: { id: 1, atMs: 0, forMs: 1000, kind, details: {} } });
  const stop = async (seconds: number, end: "stopped" | "killed") => {
    turns("started");
    turns("stopping");
    await pass(seconds);
    return turns(end);
  };
  expect([await stop(5, "killed"), await stop(30, "stopped")]).toEqual([undefined, undefined]);
  fault("object-edited", "begins");
  expect(await stop(30, "killed")).toBe("autoscaler-0 got SIGTERM, and did not stop within 30000 ms");
  fault("requests-lost", "begins");
  expect(await stop(30, "killed")).toBeUndefined();
  fault("requests-lost", "ends");
  await pass(60);
  expect(await stop(30, "killed")).toContain("did not stop within");
});

test("a job that is due and does not run is noticed at the end, unless a clock was set", async () => {
  const cronHpa = {
    kind: "CronHorizontalPodAutoscaler",
    metadata: { name: "night", namespace: "team-a" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      jobs: [
        { name: "often", schedule: "0 */2 * * * *", targetSize: 3 },
        { name: "rarely", schedule: "0 0 0 1 1 *", targetSize: 3 },
        { name: "broken", schedule: "never", targetSize: 3 },
      ],
    },
  };
  const { end, nowMs, observe, pass, store } = autoscalerRig(cronRunsDue, {
    coordination: "leader",
    flags: ["--cron-hpa"],
  });
  expect(end()).toBeUndefined();
  store.create("cronhorizontalpodautoscalers.autoscaling.alibabacloud.com", cronHpa);
  await pass(600);
  expect(end()).toBe("team-a/night often was due, and did not run");
  const fields = { cronHpa: "team-a/night", job: "often", due: new Date(nowMs() - 120_000).toISOString() };
  observe({ kind: "logged", process: first, message: "scheduled run", fields });
  expect(end()).toBeUndefined();
  await pass(600);
  expect(end()).toContain("did not run");
  const event = { id: 1, atMs: 0, forMs: 1000, kind: "wall-clock", details: {} };
  observe({ kind: "fault", change: "begins", event });
  expect(end()).toBeUndefined();
});
