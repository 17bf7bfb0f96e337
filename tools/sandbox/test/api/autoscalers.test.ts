import { expect, test } from "vitest";
import { hpas, type Json, withApi } from "./api-rig.ts";

const v1 = hpas.replace("/v2/", "/v1/");
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
const hpa = (spec: object, name = "shop"): unknown => ({
  metadata: { name },
  spec: { scaleTargetRef: target, ...spec },
});

test("what v2 leaves out is filled in", () =>
  withApi(async ({ call }) => {
    const { body } = await call("POST", hpas, {
      body: hpa({ maxReplicas: 5, behavior: { scaleDown: { selectPolicy: "Min" } } }),
    });
    expect(body["spec"]).toEqual({
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 5,
      metrics: [
        {
          type: "Resource",
          resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 80 } },
        },
      ],
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: 0,
          selectPolicy: "Max",
          policies: [
            { type: "Pods", value: 4, periodSeconds: 15 },
            { type: "Percent", value: 100, periodSeconds: 15 },
          ],
        },
        scaleDown: { selectPolicy: "Min", policies: [{ type: "Percent", value: 100, periodSeconds: 15 }] },
      },
    });
  }));

test("bounds and targets that make no sense are refused, all at once", () =>
  withApi(async ({ call }) => {
    const pods = { metric: { name: "a/b" }, target: { type: "AverageValue", averageValue: "0" } };
    const refused = await call("POST", hpas, {
      body: hpa({ minReplicas: 3, maxReplicas: 2, metrics: [{ type: "Pods", pods }, { type: "Odd" }] }),
    });
    expect(refused.code).toBe(422);
    const causes = refused.body["details"]?.["causes"] as unknown as Json[];
    expect(causes.map((cause) => [cause["field"], cause["reason"]])).toEqual([
      ["spec.maxReplicas", "FieldValueInvalid"],
      ["spec.metrics[0].pods.metric.name", "FieldValueInvalid"],
      ["spec.metrics[0].pods.target.averageValue", "FieldValueInvalid"],
      ["spec.metrics[1].type", "FieldValueNotSupported"],
      // Upstream says it twice, too.
      ["spec.metrics[1].type", "FieldValueNotSupported"],
    ]);
    const one = await call("POST", hpas, { body: hpa({ maxReplicas: 0 }) });
    expect(one.body["message"]).toContain("spec.maxReplicas: Required value: must be set and greater than 0");
  }));

test("minReplicas of 0 needs a metric that has a value without pods", () =>
  withApi(async ({ call }) => {
    const external = { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "30" } };
    const spec = { minReplicas: 0, maxReplicas: 5 };
    const metrics = [{ type: "External", external }];
    expect(await call("POST", hpas, { body: hpa({ ...spec, metrics }) })).toMatchObject({ code: 201 });
    expect(await call("POST", hpas, { body: hpa(spec, "other") })).toMatchObject({ code: 422 });
  }));

test("v1 keeps in annotations what it has no fields for, and a v1 round trip loses nothing", () =>
  withApi(async ({ call }) => {
    const metrics = [
      {
        type: "Pods",
        pods: { metric: { name: "pps" }, target: { type: "AverageValue", averageValue: "1k" } },
      },
      { type: "External", external: { metric: { name: "q" }, target: { type: "Value", value: "30" } } },
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
      },
    ];
    const behavior = { scaleDown: { stabilizationWindowSeconds: 60 } };
    const { body: created } = await call("POST", hpas, { body: hpa({ maxReplicas: 5, metrics, behavior }) });
    const { body: old } = await call("GET", `${v1}/shop`);
    expect(old["apiVersion"]).toBe("autoscaling/v1");
    expect(old["spec"]).toEqual({
      scaleTargetRef: target,
      minReplicas: 1,
      maxReplicas: 5,
      targetCPUUtilizationPercentage: 60,
    });
    const annotations = old["metadata"]?.["annotations"] as unknown as Record<string, string>;
    expect(JSON.parse(annotations["autoscaling.alpha.kubernetes.io/metrics"] ?? "")).toEqual([
      { type: "Pods", pods: { metricName: "pps", targetAverageValue: "1k" } },
      { type: "External", external: { metricName: "q", targetValue: "30" } },
    ]);
    await call("PUT", `${v1}/shop`, { body: old });
    const { body: back } = await call("GET", `${hpas}/shop`);
    expect(back["spec"]).toEqual(created["spec"]);
    expect(back["metadata"]?.["annotations"]).toBeUndefined();
  }));

test("v1 creates with a cpu target, and status is kept apart", () =>
  withApi(async ({ call }) => {
    await call("POST", v1, { body: hpa({ maxReplicas: 5, targetCPUUtilizationPercentage: 50 }) });
    const { body: object } = await call("GET", `${hpas}/shop`);
    expect(object["spec"]?.["metrics"]).toEqual([
      {
        type: "Resource",
        resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } },
      },
    ]);
    const status = {
      currentReplicas: 2,
      desiredReplicas: 3,
      currentMetrics: [{ type: "Resource", resource: { name: "cpu", current: { averageUtilization: 70 } } }],
      conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale" }],
    };
    await call("PUT", `${hpas}/shop/status`, { body: { ...(object as object), status } });
    const { body: old } = await call("GET", `${v1}/shop`);
    expect(old["status"]).toEqual({
      currentReplicas: 2,
      desiredReplicas: 3,
      currentCPUUtilizationPercentage: 70,
    });
    const spec = await call("PATCH", `${hpas}/shop`, {
      body: { spec: { maxReplicas: 9 } },
      type: "application/merge-patch+json",
    });
    expect(spec.body["status"]).toEqual(status);
  }));
