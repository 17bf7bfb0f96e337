import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";
import { projectCronHpa } from "../../src/schedules/cronhpa/cron-hpa.ts";
import { registerCronHpaTelemetry } from "../../src/schedules/cronhpa/cron-hpas.ts";
import { objectSlices } from "../../src/telemetry/object-telemetry.ts";
import { hpa, podsMetric, rig, workload } from "../harness.ts";

async function series(url: string, name: string): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text.split("\n").filter((line) => line.startsWith(`plimsoll_horizontalpodautoscaler_${name}{`));
}

const shop = 'namespace="default",horizontalpodautoscaler="shop",kind="HorizontalPodAutoscaler"';

test("each object's state is served with the names of kube-state-metrics, and goes with the object", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  await autoscaler.sync();
  expect(await series(url, "info")).toEqual([
    `plimsoll_horizontalpodautoscaler_info{${shop},scaletargetref_kind="Deployment",scaletargetref_name="shop",mode="active"} 1`,
  ]);
  for (const [name, value] of [
    ["spec_min_replicas", 1],
    ["spec_max_replicas", 10],
    ["status_current_replicas", 3],
    ["status_desired_replicas", 6],
  ]) {
    expect(await series(url, String(name))).toEqual([
      `plimsoll_horizontalpodautoscaler_${name}{${shop}} ${value}`,
    ]);
  }
  const metric = `{${shop},metric_name="hits",metric_target_type="average",metric_index="0"}`;
  expect(await series(url, "spec_target_metric")).toEqual([
    `plimsoll_horizontalpodautoscaler_spec_target_metric${metric} 10`,
  ]);
  expect(await series(url, "status_target_metric")).toEqual([
    `plimsoll_horizontalpodautoscaler_status_target_metric${metric} 20`,
  ]);
  expect(await series(url, "metric_proposed_replicas")).toEqual([
    `plimsoll_horizontalpodautoscaler_metric_proposed_replicas{${shop},metric_name="hits",metric_index="0"} 6`,
  ]);
  expect(await series(url, "status_condition")).toContain(
    `plimsoll_horizontalpodautoscaler_status_condition{${shop},condition="ScalingActive",status="true",reason="ValidMetricFound"} 1`,
  );

  api.remove("horizontalpodautoscalers", "default", "shop");
  await expect.poll(() => series(url, "info")).toEqual([]);
});

test("series for each object can be left out, and those of the process remain", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => workload(api, "shop", { value: "20" }),
    config: { objectMetrics: "none" },
  });
  await autoscaler.sync();
  expect(await series(url, "info")).toEqual([]);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain("reconciliations_total{");
});

test("a metric that cannot be read has a target and no value, and the condition says why", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop") });
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [podsMetric("absent")] } }));
  await expect.poll(async () => (await series(url, "spec_target_metric")).join()).toContain("absent");
  await autoscaler.sync();
  expect(await series(url, "status_target_metric")).toEqual([]);
  expect(await series(url, "status_condition")).toContain(
    `plimsoll_horizontalpodautoscaler_status_condition{${shop},condition="ScalingActive",status="false",reason="FailedGetPodsMetric"} 1`,
  );
});

test("what a failed metric leaves out shifts no position, and no internal name is a label", async () => {
  const { api, autoscaler, url } = await rig({ before: (api) => workload(api, "shop", { value: "20" }) });
  api.remove("horizontalpodautoscalers", "default", "shop");
  const absent = { ...podsMetric("absent"), onMetricFailure: { policy: "Ignore" } };
  api.put("workloadautoscalers", {
    ...hpa("shop", { spec: { metrics: [absent, podsMetric("hits")] } }),
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
  });
  const wla = 'namespace="default",horizontalpodautoscaler="shop",kind="WorkloadAutoscaler"';
  await expect.poll(() => series(url, "info")).toHaveLength(1);
  await autoscaler.sync();
  expect(await series(url, "status_target_metric")).toEqual([
    `plimsoll_horizontalpodautoscaler_status_target_metric{${wla},metric_name="hits",metric_target_type="average",metric_index="1"} 20`,
  ]);
  expect(await series(url, "metric_proposed_replicas")).toEqual([
    `plimsoll_horizontalpodautoscaler_metric_proposed_replicas{${wla},metric_name="hits",metric_index="1"} 6`,
  ]);
  const text = await (await fetch(`${url}/metrics`)).text();
  expect(text).toContain(
    'plimsoll_hpa_controller_desired_replicas{namespace="default",hpa_name="shop",kind="WorkloadAutoscaler"} 6',
  );
  expect(text).not.toContain("wla:");
});

test("one that moves the bounds of an HPA shows its conditions, on the process that holds the HPA", () => {
  const mover = projectWla({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "sale", namespace: "default" },
    spec: { scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: "shop" }, maxReplicas: 9 },
    status: { conditions: [{ type: "Ready", status: "False", reason: "TargetNotFound" }] },
  } as never);
  const metrics = (held: string) => {
    const slices = objectSlices("all", {
      decisions: { newest: () => [] },
      objects: { get: () => undefined },
      wlas: { list: () => [mover] },
      holds: (key) => key === held,
      clock: { nowMs: () => 0 },
    });
    return [...slices]
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("plimsoll"));
  };
  const labels = 'namespace="default",horizontalpodautoscaler="sale",kind="WorkloadAutoscaler"';
  expect(metrics("default/shop")).toEqual([
    `plimsoll_horizontalpodautoscaler_info{${labels},scaletargetref_kind="HorizontalPodAutoscaler",scaletargetref_name="shop",mode="active"} 1`,
    `plimsoll_horizontalpodautoscaler_status_condition{${labels},condition="Ready",status="false",reason="TargetNotFound"} 1`,
  ]);
  expect(metrics("default/other")).toEqual([]);
});

test("each scheduled job shows its state, and nothing is left of one that is gone", async () => {
  const job = (name: string, state: string) => ({
    name,
    state,
    schedule: "",
    targetSize: 1,
    jobId: "",
    lastProbeTime: "",
  });
  const object = (...conditions: object[]) =>
    projectCronHpa({
      metadata: { name: "office", namespace: "default" },
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" } },
      status: { conditions },
    } as never);
  let objects = [object(job("up", "Succeed"), job("down", "Failed"))];
  const registry = new Registry();
  registerCronHpaTelemetry(registry, { objects: () => objects, holds: () => true });
  const states = async () =>
    (await registry.metrics()).split("\n").filter((line) => line.startsWith("plimsoll"));
  const labels = (name: string) =>
    `namespace="default",cronhorizontalpodautoscaler="office",job_name="${name}"`;
  expect(await states()).toEqual([
    `plimsoll_cronhorizontalpodautoscaler_job_state{${labels("up")},state="Succeed"} 1`,
    `plimsoll_cronhorizontalpodautoscaler_job_state{${labels("down")},state="Failed"} 1`,
  ]);
  objects = [object(job("up", "Submitted"))];
  expect(await states()).toEqual([
    `plimsoll_cronhorizontalpodautoscaler_job_state{${labels("up")},state="Submitted"} 1`,
  ]);
});
