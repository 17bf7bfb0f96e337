import type { FailurePolicy } from "@plimsoll/core";
import { expect, test } from "vitest";
import { disputedTarget } from "../../src/invariants/disputed-target.ts";
import { leftAlone } from "../../src/invariants/left-alone.ts";
import { noBlindScaleDown } from "../../src/invariants/no-blind-scale-down.ts";
import { noErrors } from "../../src/invariants/no-errors.ts";
import { replayed } from "../../src/invariants/replayed.ts";
import { withinBounds } from "../../src/invariants/within-bounds.ts";
import { writtenAsDecided } from "../../src/invariants/written-as-decided.ts";
import { autoscalerRig, hpaWith, known, orders, scaleOf, scalePath } from "./autoscaler-rig.ts";

const first = "autoscaler-0";

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

test("what is paused is not carried out, and an HPA is left alone once its annotation is gone", async () => {
  const { observe, store, decided, written, sent, pass, restore } = autoscalerRig(leftAlone, {
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

  // etcd comes back from a backup with the annotation: no write says so.
  const annotations = { "autoscaling.plimsoll.dev/managed": "true" };
  store.update(resource, { ...hpa, kind: "HorizontalPodAutoscaler", metadata: { ...metadata, annotations } });
  restore();
  await pass(3600);
  expect([decided(first, mine).message, sent(first, "PUT", path)]).toEqual([undefined, undefined]);
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
