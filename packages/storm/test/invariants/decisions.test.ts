import type { FailurePolicy, HpaMemory } from "@plimsoll/core";
import { expect, test } from "vitest";
import { cronRunsDue } from "../../src/invariants/cron-runs-due.ts";
import { disputedTarget } from "../../src/invariants/disputed-target.ts";
import { evaluated } from "../../src/invariants/evaluated.ts";
import { keptPolicies } from "../../src/invariants/kept-policies.ts";
import { leftAlone } from "../../src/invariants/left-alone.ts";
import { noBlindScaleDown } from "../../src/invariants/no-blind-scale-down.ts";
import { noErrors } from "../../src/invariants/no-errors.ts";
import { nothingRemains } from "../../src/invariants/nothing-remains.ts";
import { replayed } from "../../src/invariants/replayed.ts";
import { stopsInTime } from "../../src/invariants/stops-in-time.ts";
import { withinBounds } from "../../src/invariants/within-bounds.ts";
import { writtenAsDecided } from "../../src/invariants/written-as-decided.ts";
import { autoscalerRig, hpaWith, orders, scaleOf, scalePath } from "./autoscaler-rig.ts";

const [first, second] = ["autoscaler-0", "autoscaler-1"] as const;
const known: HpaMemory = {
  recommendations: [{ replicas: 2, atMs: 0 }],
  scaleUpEvents: [],
  scaleDownEvents: [],
};
/** Two more in a minute. */
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };
const limited = hpaWith({ behavior });

test("a scale-down without its metric, its pods or any reading is noticed; one by bounds or by a policy is not", () => {
  const { observe, decided } = autoscalerRig(noBlindScaleDown);
  const honest = decided(first, { scale: scaleOf(5), samples: orders(20) }, known);
  expect(honest).toMatchObject({ message: undefined, result: { decision: { scaleTo: 2 } } });
  const input = { nowMs: 0, hpa: hpaWith(), scale: scaleOf(5), pods: { ok: true, pods: [] } as const };
  const lowered = (samples: object, failurePolicies: readonly FailurePolicy[] = []) =>
    observe({
      kind: "decided",
      process: first,
      input: { ...input, samples: [samples] as never, failurePolicies },
      memory: known,
      result: honest.result,
    });
  expect(lowered({ error: "no" })).toBe("autoscaler-0 scales team-a/shop from 5 to 2 without metric 0");
  expect(lowered({ values: [] })).toContain("without metric 0");
  expect(lowered({ error: "no" }, [{ policy: "Ignore" }])).toContain("without any metric");
  expect(lowered({ error: "no" }, [{ policy: "HoldLast", forSeconds: 60 }])).toBeUndefined();
  const above = decided(first, { scale: scaleOf(20), samples: [{ error: "no" }] }, known);
  expect(above).toMatchObject({ message: undefined, result: { decision: { scaleTo: 10 } } });
});

/** A process raises the target, and receives whether that was done. */
function policyRig() {
  const rig = autoscalerRig(keptPolicies);
  return {
    ...rig,
    /** By core, with a memory in which nothing counts. */
    raises: (process: string, from: number, status: object = {}, memory: HpaMemory | undefined = known) =>
      rig.decided(
        process,
        { hpa: { ...limited, status }, scale: scaleOf(from), samples: orders(90) },
        memory,
      ),
    isDone(process: string, to: number, code = 200) {
      rig.sent(process, "PUT", scalePath, { spec: { replicas: to } });
      rig.received(process, "PUT", scalePath, { code });
    },
  };
}

test("a change that was made counts until its period is over, whatever the process remembers", async () => {
  const { raises, isDone, pass } = policyRig();
  expect(raises(first, 2)).toMatchObject({ message: undefined, result: { decision: { scaleTo: 4 } } });
  isDone(first, 4);
  await pass(50);
  expect(raises(first, 4).message).toBe(
    "autoscaler-0 scales team-a/shop from 4 to 6, and its policies allow 4",
  );
  await pass(15);
  expect(raises(first, 4).message).toBeUndefined();
});

test("a change that was refused, or whose end is not known, need not count", () => {
  const { raises, isDone } = policyRig();
  raises(first, 2);
  isDone(first, 4, 409);
  expect(raises(first, 4).message).toBeUndefined();
});

test("a change that was refused need not count when a job of the same process scaled the target meanwhile", () => {
  const { raises, sent, received } = policyRig();
  raises(first, 2);
  sent(first, "PUT", scalePath, { spec: { replicas: 4 } });
  received(first, "PUT", scalePath, { fieldManager: "plimsoll-cronhpa" });
  received(first, "PUT", scalePath, { code: 409 });
  expect(raises(first, 4).message).toBeUndefined();
});

test("a period begins with the evaluation, also when its process was paused before it decided", async () => {
  const { nowMs, decided, isDone, pass, raises } = policyRig();
  const begunMs = nowMs();
  await pass(30);
  const input = { nowMs: begunMs, hpa: limited, scale: scaleOf(2), samples: orders(90) };
  expect(decided(first, input, known).result.decision.scaleTo).toBe(4);
  isDone(first, 4);
  await pass(35);
  expect(raises(first, 4).message).toBeUndefined();
});

test("who takes over counts what the status names, unless a clock was wrong or etcd was restored", async () => {
  const status = (lastScaleTime: string) => ({
    lastScaleTime,
    currentReplicas: 2,
    desiredReplicas: 4,
    conditions: [],
  });
  const lastScaled = status("2026-06-01T12:00:00Z");
  const takeover = async (prepare: (rig: ReturnType<typeof policyRig>) => void, statusBefore: object) => {
    const rig = policyRig();
    if (prepare === wrongBefore) prepare(rig);
    rig.raises(first, 2);
    rig.isDone(first, 4);
    if (prepare !== wrongBefore) prepare(rig);
    await rig.pass(20);
    // It finds no recommendation, and is then made to decide with a memory in which nothing counts.
    rig.decided(second, {
      hpa: { ...limited, status: statusBefore },
      scale: scaleOf(4),
      samples: orders(40),
    });
    return rig.raises(second, 4, statusBefore).message;
  };
  const wrongBefore = ({ aheadMs }: ReturnType<typeof policyRig>): void => void aheadMs.set(first, 3_600_000);
  expect(await takeover(() => {}, lastScaled)).toContain("its policies allow 4");
  expect(await takeover(() => {}, status("2026-06-01T11:00:00Z"))).toBeUndefined();
  expect(await takeover(({ aheadMs }) => aheadMs.set(second, -3_600_000), lastScaled)).toBeUndefined();
  expect(await takeover(wrongBefore, lastScaled)).toBeUndefined();
  expect(await takeover(({ restore }) => restore(), lastScaled)).toBeUndefined();
});

test("what is paused is not carried out, and an HPA is left alone once its annotation is gone", async () => {
  const { observe, store, decided, written, sent, pass } = autoscalerRig(leftAlone, {
    coordination: "leader",
    flags: ["--manage-hpas=annotated"],
  });
  const spec = { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 3 };
  const wla = { kind: "WorkloadAutoscaler", metadata: { name: "shop", namespace: "team-a" } };
  const until = "2026-06-01T12:01:00Z";
  const stored = store.create("workloadautoscalers.autoscaling.plimsoll.dev", {
    ...wla,
    spec: { ...spec, mode: "Paused", pause: { until } },
  });
  const input = { hpa: { ...wla, metadata: stored.metadata, spec } as never };
  expect(decided(first, input).message).toContain("team-a/wla:shop, which has the mode Paused");
  expect(decided(first, { ...input, mode: "Paused" }).message).toBeUndefined();
  await pass(60);
  expect(decided(first, input).message).toBeUndefined();

  const hpa = { metadata: { name: "shop", namespace: "team-a", uid: "u1" }, spec: {} };
  const resource = "horizontalpodautoscalers.autoscaling";
  const { metadata } = store.create(resource, { ...hpa, kind: "HorizontalPodAutoscaler" });
  const path = "/apis/autoscaling/v2/namespaces/team-a/horizontalpodautoscalers/shop/status";
  written("user", { resource, type: "ADDED", object: { ...hpa, metadata } });
  const event = { id: 1, atMs: 0, forMs: 600_000, kind: "hpa-released", details: {} };
  observe({ kind: "fault", change: "begins", event });
  const mine = { hpa: { ...hpaWith(), metadata } as never };
  expect([decided(first, mine).message, sent(first, "PUT", path)]).toEqual([undefined, undefined]);
  await pass(120);
  expect(decided(first, mine).message).toContain("team-a/shop, which is not managed");
  expect(sent(first, "PUT", path)).toContain("writes the status of team-a/shop");
  expect(decided(first, { ...mine, mode: "Shadow" }).message).toBeUndefined();
});

test("an object that is not evaluated any more is noticed at the end", async () => {
  const { store, decided, pass, end } = autoscalerRig(evaluated);
  expect(end()).toBeUndefined();
  const { metadata } = store.create("horizontalpodautoscalers.autoscaling", {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "team-a" },
    spec: hpaWith().spec,
  });
  expect(end()).toBe("team-a/shop was evaluated never, and its period is 15000 ms");
  decided(first, { hpa: { ...hpaWith(), metadata } });
  await pass(45);
  expect(end()).toBeUndefined();
  await pass(1);
  expect(end()).toContain("was evaluated 46000 ms ago");
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

test("a decision that does not follow from its input is noticed", () => {
  const { observe, decided } = autoscalerRig(replayed);
  const { message, result } = decided(first, { samples: orders(50) }, known);
  expect([message, result.decision.scaleTo]).toEqual([undefined, 4]);
  const input = {
    nowMs: 0,
    hpa: hpaWith(),
    scale: scaleOf(2),
    pods: { ok: true, pods: [] } as const,
    samples: orders(20),
  };
  // One in four of the decisions that scale is replayed.
  const observed = Array.from({ length: 4 }, () =>
    observe({ kind: "decided", process: first, input, memory: known, result }),
  );
  expect(observed.filter((one) => one !== undefined)).toEqual([
    expect.stringContaining("decided on team-a/shop what its record does not give again"),
  ]);
});

test("errors of the programs are noticed, refusals of users are not", () => {
  const { observe } = autoscalerRig(noErrors);
  const error = { kind: "error", message: "it crashed", isUnhandled: false } as const;
  expect(observe({ ...error, process: "gitops" })).toBeUndefined();
  expect(observe({ ...error, process: "adapter-1" })).toBe("adapter-1 logged an error: it crashed");
});

test("replicas beyond the bounds are noticed, also beyond those that a schedule moves", async () => {
  const { store, decided, pass } = autoscalerRig(withinBounds);
  const night = { name: "night", timeZone: "UTC", start: "5 12 * * *", duration: "10m", maxReplicas: 2 };
  const { metadata } = store.create("workloadautoscalers.autoscaling.plimsoll.dev", {
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop", namespace: "team-a" },
    spec: { ...hpaWith().spec, maxReplicas: 4, schedules: [night] },
  });
  const to = (maxReplicas: number) => {
    const hpa = { ...hpaWith({ maxReplicas }), kind: "WorkloadAutoscaler", metadata } as never;
    return decided(first, { hpa, scale: scaleOf(3), samples: orders(90) }, known);
  };
  expect(to(4)).toMatchObject({ message: undefined, result: { decision: { scaleTo: 4 } } });
  expect(to(10).message).toContain("not within its bounds");
  await pass(6 * 60);
  expect(to(4).message).toBeUndefined();
  await pass(60);
  expect(to(4).message).toContain("autoscaler-0 scales team-a/wla:shop to 4, which is not within its bounds");
  await pass(8 * 60);
  expect(to(4).message).toBeUndefined();
});

test("a target that two objects have named for a while is scaled by neither", async () => {
  const { written, sent, pass } = autoscalerRig(disputedTarget);
  const claim = (kind: string, name: string, mode?: string) => {
    const plural =
      kind === "WorkloadAutoscaler"
        ? "workloadautoscalers.autoscaling.plimsoll.dev"
        : "horizontalpodautoscalers.autoscaling";
    const object = { kind, metadata: { name, namespace: "team-a" }, spec: { ...hpaWith().spec, mode } };
    written("user", { resource: plural, object });
  };
  const writes = () => sent(first, "PUT", scalePath, { spec: { replicas: 3 } });
  claim("HorizontalPodAutoscaler", "shop");
  claim("WorkloadAutoscaler", "shop");
  expect(writes()).toBeUndefined();
  await pass(120);
  expect(writes()).toBe(
    "autoscaler-0 scales team-a/Deployment/shop, which team-a/shop and team-a/wla:shop name",
  );
  claim("WorkloadAutoscaler", "shop", "Shadow");
  expect(writes()).toBeUndefined();
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

test("replicas that nothing decided on, or that a later decision took back, are noticed when they are sent", () => {
  const { decided, sent } = autoscalerRig(writtenAsDecided);
  const write = (process: string, replicas: number) =>
    sent(process, "PUT", scalePath, { spec: { replicas } });
  decided(first, { samples: orders(40) });
  expect(write(first, 4)).toBeUndefined();
  expect(write(first, 6)).toBe("autoscaler-0 scales team-a/Deployment/shop to 6, and its last decision is 4");
  expect(write("autoscaler-1", 4)).toContain("its last decision is not to scale");
  decided(first, { samples: orders(40), mode: "Paused" });
  expect(write(first, 4)).toContain("its last decision is not to scale");
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
