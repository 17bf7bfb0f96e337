import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { projectHpa } from "../../src/objects/scaling-object.ts";
import { maxWholeObjects, type ObjectMetrics, objectSlices } from "../../src/telemetry/object-telemetry.ts";
import { hpa, podsMetric, rig, workload } from "../harness.ts";

async function linesOf(url: string): Promise<readonly string[]> {
  const text = await (await fetch(`${url}/metrics`)).text();
  return text
    .split("\n")
    .filter((line) =>
      /^plimsoll_(?:horizontalpodautoscaler|namespace|hpa_controller_desired)_?\w*\{/.test(line),
    );
}

const labels = (name: string) =>
  `namespace="default",horizontalpodautoscaler="${name}",kind="HorizontalPodAutoscaler"`;
const info = (name: string) =>
  `plimsoll_horizontalpodautoscaler_info{${labels(name)},scaletargetref_kind="Deployment",scaletargetref_name="${name}",mode="active"} 1`;
const desired = (name: string, replicas: number) =>
  `plimsoll_hpa_controller_desired_replicas{namespace="default",hpa_name="${name}",kind="HorizontalPodAutoscaler"} ${replicas}`;
const ofNamespace = (name: string, replicas: number) =>
  `plimsoll_namespace_${name}{namespace="default",kind="HorizontalPodAutoscaler"} ${replicas}`;

test("where only what is abnormal is served, a steady object has its info and upstream's desired replicas", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => workload(api, "shop", { value: "10" }),
    config: { objectMetrics: "abnormal" },
  });
  await autoscaler.sync();
  expect(await linesOf(url)).toEqual([
    desired("shop", 3),
    ofNamespace("current_replicas", 3),
    ofNamespace("desired_replicas", 3),
    ofNamespace("spec_min_replicas", 1),
    ofNamespace("spec_max_replicas", 10),
    info("shop"),
  ]);
});

test("one that scales has its replicas, too, until they are what it wants", async () => {
  const { autoscaler, url } = await rig({
    before: (api) => workload(api, "shop", { value: "20" }),
    config: { objectMetrics: "abnormal" },
  });
  await autoscaler.sync();
  const series = (await linesOf(url)).filter((line) => line.includes("horizontalpodautoscaler_status"));
  expect(series).toEqual([
    `plimsoll_horizontalpodautoscaler_status_current_replicas{${labels("shop")}} 3`,
    `plimsoll_horizontalpodautoscaler_status_desired_replicas{${labels("shop")}} 6`,
  ]);
});

test("what alerts read of an object is served: failed conditions, and the target of a metric without a value", async () => {
  const { api, autoscaler, url } = await rig({
    before: (api) => workload(api, "shop"),
    config: { objectMetrics: "abnormal" },
  });
  api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [podsMetric("absent")] } }));
  const metric = `${labels("shop")},metric_name="absent",metric_target_type="average",metric_index="0"`;
  await eventually(async () => {
    await autoscaler.sync();
    const series = (await linesOf(url)).filter((line) => /_(?:condition|metric|last\w*)\{/.test(line));
    expect(series).toEqual([
      `plimsoll_horizontalpodautoscaler_status_condition{${labels("shop")},condition="ScalingActive",status="false",reason="FailedGetPodsMetric"} 1`,
      `plimsoll_horizontalpodautoscaler_spec_target_metric{${metric}} 10`,
    ]);
  });
});

function slicesOf(metrics: ObjectMetrics, objects: number, ageMs = 0): readonly string[] {
  const status = { currentReplicas: 2, desiredReplicas: 2, conditions: [], currentMetrics: [] };
  const decision = { currentReplicas: 2, desiredReplicas: 2, status };
  const newest = Array.from({ length: objects }, (_, index) => ({
    nowMs: 0,
    shared: {
      resource: "horizontalpodautoscalers",
      namespace: `team-${index % 100}`,
      name: `workload-number-${index}`,
      mode: "active",
      context: {},
      proposals: [{ index: 0, replicas: 2 }],
      decision,
    },
  }));
  const spec = { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 9 };
  return [
    ...objectSlices(metrics, {
      decisions: { newest: () => newest as never },
      objects: {
        get(key) {
          const [namespace = "", name = ""] = key.split("/");
          return projectHpa({ metadata: { namespace, name }, spec } as never);
        },
      },
      wlas: { list: () => [] },
      holds: () => true,
      clock: { nowMs: () => ageMs },
    }),
  ];
}

test("auto is all up to a number of objects, and what is abnormal beyond", () => {
  const whole = slicesOf("auto", maxWholeObjects).join("");
  expect(whole).toBe(slicesOf("all", maxWholeObjects).join(""));
  expect(whole.length).toBeLessThan(5e6);
  const more = slicesOf("auto", maxWholeObjects + 1).join("");
  expect(more).toBe(slicesOf("abnormal", maxWholeObjects + 1).join(""));
});

test("10,000 objects are less than 5 MB, in slices that no client has to take whole", () => {
  const slices = slicesOf("auto", 10_000);
  expect(slices.join("").length).toBeLessThan(5e6);
  expect(Math.max(...slices.map(({ length }) => length))).toBeLessThan(64 * 1024);
  expect(Math.max(...slicesOf("all", 10_000).map(({ length }) => length))).toBeLessThan(64 * 1024);
});

test("an old decision shows its time before the alert on it fires", () => {
  const timed = (ageMs: number) =>
    slicesOf("abnormal", 3, ageMs)
      .join("")
      .split("\n")
      .filter((line) => line.startsWith("plimsoll_horizontalpodautoscaler_last_decision")).length;
  expect([timed(100_000), timed(121_000)]).toEqual([0, 3]);
});
