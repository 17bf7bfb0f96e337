import type { HpaStatus } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownLease, shipped } from "./fixture.ts";
import { type Stage, stages } from "./stages.ts";
import { depthFor, perReplica, queue, workload } from "./targets.ts";

const path = "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers/shop";
const target = "/apis/apps/v1/namespaces/default/deployments/shop";
const MiB = 1 << 20;
const periodMs = 1_000;
const windowMs = 3_000;

/** The controller's own flags are left at 15 s and 5 min: what happens sooner is the object's own tuning. */
const shop = `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: shop, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
  maxReplicas: 10
  tuning: { syncPeriodSeconds: ${periodMs / 1000}, downscaleStabilizationSeconds: ${windowMs / 1000}, tolerance: "0.15" }
  behavior:
    scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
    scaleDown: { policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
  metrics:
    - type: Resource
      resource: { name: memory, target: { type: AverageValue, averageValue: 64Mi } }
    - type: Pods
      pods: { metric: { name: packets-per-second }, target: { type: AverageValue, averageValue: "${perReplica}" } }
`;

interface Stored extends KubeObject {
  readonly spec: { readonly mode: string };
  readonly status?: HpaStatus & { readonly observedGeneration: number };
}

describe.each(stages)("on %s", (_, start) => {
  let stage: Stage;
  let autoscaler: PlimsollProcess;

  beforeAll(async () => {
    const on = { ...queue("shop", depthFor(1)), kind: "Deployment" };
    stage = await start({
      loads: [
        { ...on, metric: "packets" },
        { ...on, metric: "memory", points: [{ atMs: 0, value: 60 * MiB }] },
      ],
      workloads:
        shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml") + workload("Deployment", "shop"),
    });
    await until("WorkloadAutoscalers to be served", async () => {
      await stage.mapper.refresh();
      const kinds = await stage.mapper.byKind("autoscaling.plimsoll.dev", "WorkloadAutoscaler");
      return kinds.length > 0 || undefined;
    });
    await stage.apply(shop);
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await stage.kubeconfigForAutoscaler("driver")}`,
      ownLease,
      "--port=0",
    ]);
    await until("the first evaluation", async () => condition(await read(), "Ready"));
  });

  afterAll(async () => {
    await autoscaler?.stop();
    await stage?.stop();
  });

  test("scales by whichever metric calls for more, at its own rate", async () => {
    stage.load.set("default/shop", depthFor(4), "packets");
    await becomes(4);
    stage.load.set("default/shop", 5.25 * 64 * MiB, "memory");
    await becomes(6);
    await expect.poll(async () => metricsOf(await read())).toEqual(["56Mi", "19333m"]);
    expect((await read()).status).toMatchObject({ currentReplicas: 6, desiredReplicas: 6 });
    const fellAt = Date.now();
    stage.load.set("default/shop", 60 * MiB, "memory");
    stage.load.set("default/shop", depthFor(1), "packets");
    await becomes(1);
    // The window holds from the last evaluation before the load fell.
    expect(Date.now() - fellAt).toBeGreaterThanOrEqual(windowMs - periodMs);
    expect(stage.scaleWrites().map(({ name }) => name)).toEqual(["shop", "shop", "shop"]);
  });

  test("in mode Shadow it says what it would do, and does not", async () => {
    await change({ mode: "Shadow" });
    await until(
      "the mode to be seen",
      async () => condition(await read(), "Active")?.reason === "ShadowMode" || undefined,
    );
    const before = stage.scaleWrites().length;
    stage.load.set("default/shop", depthFor(4), "packets");
    const seen = await until("what it would do", async () => {
      const object = await read();
      return object.status?.desiredReplicas === 4 ? object : undefined;
    });
    expect(condition(seen, "AbleToScale")).toMatchObject({
      status: "True",
      reason: "WouldScale",
      message: "would update the target scale to 4",
    });
    expect(seen.status?.observedGeneration).toBe(seen.metadata.generation);
    expect(await replicas()).toBe(1);
    expect(stage.scaleWrites()).toHaveLength(before);
  });

  test("a pause ends at its time, and not before", async () => {
    // Whole seconds, as the field has them; enough of them to see the pause before its end.
    const untilMs = Math.ceil(Date.now() / 1000) * 1000 + 10_000;
    const before = stage.scaleWrites().length;
    const end = new Date(untilMs).toISOString();
    await change({ mode: "Paused", pause: { reason: "migration", until: end } });
    const paused = await until("the pause to be seen", async () => {
      const object = await read();
      return condition(object, "Paused")?.status === "True" ? object : undefined;
    });
    expect(condition(paused, "Paused")?.message).toBe(`paused until ${end}: migration`);
    expect(condition(paused, "Active")).toMatchObject({ status: "False", reason: "Paused" });
    await becomes(4);
    const writes = stage.scaleWrites().slice(before);
    expect(writes).toHaveLength(1);
    expect(writes[0]?.atMs).toBeGreaterThanOrEqual(untilMs);
    const active = await until("the end of the pause to be seen", async () => {
      const object = await read();
      return condition(object, "Active")?.status === "True" ? object : undefined;
    });
    expect(condition(active, "Paused")?.status).toBe("False");
    expect(active.spec.mode).toBe("Paused");
  });

  test("kubectl shows the state in columns, and the scales as events", async () => {
    expect(await stage.kubectl("get", "wla", "shop")).toMatch(
      /\nshop\s+shop\s+\S.*\s1\s+10\s+4\s+\d+\s+Paused\s+True\s+\w+\s+True\s/,
    );
    const text = await stage.kubectl("describe", "wla", "shop");
    expect(text).toMatch(
      /Normal\s+SuccessfulRescale\s.*New size: 4; reason: pods metric packets-per-second above target/,
    );
    expect(text).toMatch(/Normal\s+SuccessfulRescale\s.*New size: 6; reason: memory resource above target/);
    expect(text).toMatch(/Normal\s+SuccessfulRescale\s.*New size: 1; reason: All metrics below target/);
  });

  function read(): Promise<Stored> {
    return stage.client.request<Stored>({ path });
  }

  function change(spec: object): Promise<unknown> {
    return stage.client.request({
      method: "PATCH",
      path,
      contentType: "application/merge-patch+json",
      body: { spec },
    });
  }

  async function replicas(): Promise<number> {
    const { spec } = await stage.client.request<{ spec: { replicas: number } }>({ path: target });
    return spec.replicas;
  }

  async function becomes(count: number): Promise<void> {
    await until(`${count} replicas`, async () => (await replicas()) === count || undefined);
    // Of pods on their way the metrics are not all there.
    await until(`${count} ready pods`, async () => {
      const { status } = await stage.client.request<{
        status: { readyReplicas?: number; replicas?: number };
      }>({
        path: target,
      });
      return (status.readyReplicas === count && status.replicas === count) || undefined;
    });
  }
});

function metricsOf({ status }: Stored): readonly (string | undefined)[] {
  return (status?.currentMetrics ?? []).map(({ resource, pods }) => (resource ?? pods)?.current.averageValue);
}

function condition(object: Stored, type: string) {
  return object.status?.conditions.find((each) => each.type === type);
}
