// What should have happened, and has not by the end of a process or of the run.
import { expect, test } from "vitest";
import { cronRunsDue } from "../../src/invariants/cron-runs-due.ts";
import { evaluated, settleMs } from "../../src/invariants/evaluated.ts";
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
