import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { deployment, hitsPath, hold, hpa, rig, workload, writes } from "../harness.ts";

test("the decision is handed the scale, the pods and one sample per metric", async () => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop", { replicas: 2, value: "1500m" });
      workload(api, "other", { replicas: 1 });
      api.metrics.set(hitsPath, {
        items: [0, 1].map((n) => ({
          describedObject: { name: `shop-${n}` },
          value: "1500m",
          windowSeconds: 30,
        })),
      });
    },
  });
  await autoscaler.sync();
  const input = inputs.find((one) => one.hpa.metadata?.name === "shop");
  expect(input?.scale).toEqual({ ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=shop" });
  expect(input?.pods.ok && input.pods.pods.map((one) => one.metadata?.name)).toEqual(["shop-0", "shop-1"]);
  expect(input?.pods.ok && input.pods.pods[0]).toMatchObject({
    spec: { containers: [{ name: "c", resources: { requests: { cpu: "100m" } } }] },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  });
  expect(input?.samples).toEqual([
    {
      pods: [
        { name: "shop-0", value: "1500m", windowSeconds: 30 },
        { name: "shop-1", value: "1500m", windowSeconds: 30 },
      ],
    },
  ]);
  expect(input?.ambiguousWith).toBeUndefined();
});

test.each([
  ["a/b/c", "Deployment", "spec", "unexpected GroupVersion string: a/b/c"],
  ["apps/v1", "Rocket", "internal", 'no matches for kind "Rocket" in group "apps"'],
  ["apps/v1", "Deployment", "internal", 'deployments.apps "shop" not found'],
])("a target %s %s that cannot be read is reported as %s: %s", async (apiVersion, kind, error, message) => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) =>
      api.put(
        "horizontalpodautoscalers",
        hpa("shop", { spec: { scaleTargetRef: { apiVersion, kind, name: "shop" } } }),
      ),
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toEqual({ ok: false, message, kind: error });
});

test("a target's version does not matter, its group does", async () => {
  const scaleTargetRef = { apiVersion: "apps/v9", kind: "Deployment", name: "shop" };
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      workload(api, "shop");
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { scaleTargetRef } }));
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toMatchObject({ ok: true, specReplicas: 3 });
});

test("HPAs with the same query in one pass share the response", async () => {
  const external = {
    type: "External",
    external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "1" } },
  };
  const { api, autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      for (const name of ["a", "b", "c"]) {
        workload(api, name);
        api.put("horizontalpodautoscalers", hpa(name, { spec: { metrics: [external] } }));
      }
      api.metrics.set("/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue", {
        items: [{ value: "7" }],
      });
    },
  });
  await autoscaler.sync();
  expect(inputs).toHaveLength(3);
  expect(api.count("GET", /\/queue$/)).toBe(1);
  await autoscaler.sync();
  expect(api.count("GET", /\/queue$/)).toBe(2);
});

test("two HPAs on one target: each condition names the other, no metric is queried and nothing is scaled", async () => {
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop", { value: "100" });
      api.put("horizontalpodautoscalers", hpa("twin", { target: "shop" }));
    },
  });
  await autoscaler.sync();
  await autoscaler.sync();
  const scaled = writes(api).filter((line) => line.endsWith("/scale")).length;
  const asked = api.count("GET", /\/hits$/);
  await autoscaler.sync();
  expect(writes(api).filter((line) => line.endsWith("/scale"))).toHaveLength(scaled);
  expect(api.count("GET", /\/hits$/)).toBe(asked);
  for (const name of ["shop", "twin"]) {
    expect(api.get("horizontalpodautoscalers", "default", name).status).toMatchObject({
      conditions: expect.arrayContaining([
        expect.objectContaining({
          type: "ScalingActive",
          status: "False",
          reason: "AmbiguousSelector",
          message: expect.stringContaining("default/shop default/twin"),
        }),
      ]),
    });
  }
  api.remove("horizontalpodautoscalers", "default", "twin");
  await eventually(async () => {
    await autoscaler.sync();
    expect(api.count("GET", /\/hits$/)).toBeGreaterThan(asked);
  });
});

test("outside its bounds an HPA is decided without asking for metrics", async () => {
  const { api, autoscaler } = await rig({ before: (api) => workload(api, "shop", { replicas: 12 }) });
  await autoscaler.sync();
  expect(api.count("GET", /\/hits$/)).toBe(0);
  expect(api.get("deployments", "default", "shop").spec).toMatchObject({ replicas: 10 });
});

test("a workload of many replicas keeps its scale's numbers apart: spec for now, status for what runs", async () => {
  const { autoscaler, inputs } = await rig({
    decide: hold,
    before: (api) => {
      api.put("deployments", { ...deployment("shop", 7), status: { replicas: 4 } });
      api.put("horizontalpodautoscalers", hpa("shop"));
    },
  });
  await autoscaler.sync();
  expect(inputs[0]?.scale).toMatchObject({ specReplicas: 7, statusReplicas: 4 });
});
