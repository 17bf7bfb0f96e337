import { expect, test } from "vitest";
import { checkHpa } from "../src/objects/api/check/check-hpa.ts";
import { ConversionError, convertHpa, defaultHpa, validateHpa } from "../src/objects/api/index.ts";
import { cpuUtilization, hpaOf, podsMetric } from "./fixtures.ts";

const paths = (hpa: unknown, options?: Parameters<typeof validateHpa>[1]) =>
  validateHpa(hpa, options).map(({ path }) => path);

test("problems come in upstream's order, all of them", () => {
  const hpa = {
    metadata: { name: "Web", namespace: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "v1", kind: "", name: "a/b" },
      minReplicas: -1,
      maxReplicas: -2,
      metrics: [
        { type: "Odd" },
        {
          type: "Resource",
          resource: { name: "", target: { type: "", averageUtilization: 0, averageValue: "-1" } },
        },
      ],
      behavior: {
        scaleDown: { stabilizationWindowSeconds: 3601, selectPolicy: "Odd", policies: [], tolerance: "-1" },
      },
    },
  };
  expect(paths(hpa)).toEqual([
    "metadata.name",
    "spec.minReplicas",
    "spec.maxReplicas",
    "spec.maxReplicas",
    "spec.scaleTargetRef.kind",
    "spec.scaleTargetRef.name",
    "spec.scaleTargetRef.apiVersion",
    "spec.metrics[0].type",
    "spec.metrics[0].type",
    "spec.metrics[1].resource.name",
    "spec.metrics[1].resource.target.type",
    "spec.metrics[1].resource.target.type",
    "spec.metrics[1].resource.target.averageValue",
    "spec.metrics[1].resource.target.averageUtilization",
    "spec.metrics[1].resource.target.averageValue",
    "spec.behavior.scaleDown.stabilizationWindowSeconds",
    "spec.behavior.scaleDown.selectPolicy",
    "spec.behavior.scaleDown.policies",
    "spec.behavior.scaleDown.tolerance",
  ]);
});

test("zero replicas need the gate and a metric without pods", () => {
  const hpa = hpaOf({ minReplicas: 0, metrics: [cpuUtilization(50)] });
  expect(validateHpa(hpa)).toEqual([
    {
      path: "spec.metrics",
      type: "Forbidden",
      message: "must specify at least one Object or External metric to support scaling to zero replicas",
    },
  ]);
  expect(paths(hpaOf({ minReplicas: 0 }))).toEqual([]);
  expect(paths(hpaOf({ minReplicas: 0 }), { scaleToZero: false })).toEqual(["spec.minReplicas"]);
  expect(paths(hpaOf({ minReplicas: 0 }), { scaleToZero: false, old: hpaOf({ minReplicas: 0 }) })).toEqual(
    [],
  );
});

test("an update that leaves a wrong apiVersion alone is let through", () => {
  const hpa = hpaOf({ scaleTargetRef: { apiVersion: "a/b/c", kind: "Deployment", name: "web" } });
  expect(validateHpa(hpa)[0]?.message).toBe("unexpected GroupVersion string: a/b/c");
  expect(paths(hpa, { old: hpa })).toEqual([]);
});

test("defaults fill what is open and keep what is there", () => {
  const hpa = hpaOf({
    behavior: { scaleUp: { selectPolicy: "Min", tolerance: "50m" }, scaleDown: { policies: [] } },
  });
  expect(defaultHpa(hpa).spec.behavior).toEqual({
    scaleUp: {
      stabilizationWindowSeconds: 0,
      selectPolicy: "Min",
      policies: [
        { type: "Pods", value: 4, periodSeconds: 15 },
        { type: "Percent", value: 100, periodSeconds: 15 },
      ],
      tolerance: "50m",
    },
    scaleDown: { selectPolicy: "Max", policies: [] },
  });
  expect(defaultHpa(hpa)).not.toBe(hpa);
});

const prefix = "autoscaling.alpha.kubernetes.io/";

test("a v2 object through v1 and back loses only the order of its metrics", () => {
  const hpa = hpaOf({
    metrics: [cpuUtilization(45), podsMetric("0.5")],
    behavior: { scaleUp: { stabilizationWindowSeconds: 0, tolerance: "0.05" } },
  });
  const v1 = convertHpa(hpa, "v1");
  expect(v1).toMatchObject({ apiVersion: "autoscaling/v1", spec: { targetCPUUtilizationPercentage: 45 } });
  const annotations = (v1["metadata"] as { annotations: Record<string, string> }).annotations;
  expect(JSON.parse(annotations[`${prefix}behavior`] ?? "")).toEqual({
    ScaleUp: { StabilizationWindowSeconds: 0, SelectPolicy: null, Policies: null, Tolerance: "50m" },
    ScaleDown: null,
  });
  expect(convertHpa(v1, "autoscaling/v2")).toMatchObject({
    metadata: { name: "web", namespace: "shop" },
    spec: {
      metrics: [{ type: "Pods", pods: { target: { averageValue: "500m" } } }, cpuUtilization(45)],
      behavior: { scaleUp: { stabilizationWindowSeconds: 0, tolerance: "50m" } },
    },
  });
});

test("annotations are read as Go reads JSON: any case of names, and malformed ones are ignored", () => {
  const v1 = (annotations: Record<string, string>) => ({
    apiVersion: "autoscaling/v1",
    metadata: { name: "web", annotations },
    spec: { scaleTargetRef: { kind: "Deployment", name: "web" }, maxReplicas: 4 },
  });
  const lower = convertHpa(v1({ [`${prefix}behavior`]: '{"scaledown":{"SELECTPOLICY":"Disabled"}}' }), "v2");
  expect(lower).toMatchObject({ spec: { behavior: { scaleDown: { selectPolicy: "Disabled" } } } });
  for (const broken of ["[", '{"ScaleUp":5}', '[{"type":5}]', "null"]) {
    const converted = convertHpa(v1({ [`${prefix}metrics`]: broken, [`${prefix}behavior`]: broken }), "v2");
    expect(converted["spec"]).toMatchObject({ metrics: [cpuUtilization(80)] });
    expect((converted["spec"] as { behavior?: unknown }).behavior).toBeUndefined();
  }
});

test("v2beta2 carries tolerances in annotations", () => {
  const hpa = hpaOf({ behavior: { scaleUp: { tolerance: "0.05" } } });
  const beta = convertHpa(hpa, "v2beta2");
  expect(beta).toMatchObject({
    metadata: { annotations: { [`${prefix}scale-up-tolerance`]: "50m" } },
    spec: { behavior: { scaleUp: {} } },
  });
  expect(convertHpa(beta, "v2")).toMatchObject({ spec: { behavior: { scaleUp: { tolerance: "50m" } } } });
  const wrong = { ...beta, metadata: { annotations: { [`${prefix}scale-up-tolerance`]: "much" } } };
  expect(() => convertHpa(wrong, "v2")).toThrow(ConversionError);
});

test("v2beta1 spells targets flat, and its object metrics always have a value", () => {
  const object = {
    type: "Object",
    object: {
      describedObject: { kind: "Ingress", name: "front" },
      metric: { name: "requests" },
      target: { type: "AverageValue", averageValue: "10" },
    },
  };
  const beta = convertHpa(hpaOf({ metrics: [object] }), "v2beta1");
  expect(beta).toMatchObject({
    spec: {
      metrics: [
        {
          object: {
            target: { kind: "Ingress" },
            metricName: "requests",
            targetValue: "0",
            averageValue: "10",
          },
        },
      ],
    },
  });
  expect(convertHpa(beta, "v2")).toMatchObject({
    spec: { metrics: [{ object: { target: { type: "AverageValue", value: "0", averageValue: "10" } } }] },
  });
});

test("an unknown version is refused", () => {
  expect(() => convertHpa(hpaOf({}), "v3")).toThrow(ConversionError);
  expect(() => convertHpa({ ...hpaOf({}), apiVersion: "apps/v1" }, "v2")).toThrow(ConversionError);
});

test.each(["", null, undefined])(
  "a manifest with the namespace %j is valid, as kubectl sets it",
  (namespace) => {
    const hpa = { kind: "HorizontalPodAutoscaler", ...hpaOf({}) };
    expect(checkHpa({ ...hpa, metadata: { name: "web", namespace } })).toEqual([]);
  },
);

test("the behavior in an annotation has no defaults", () => {
  const problemsOf = (behavior: string) =>
    checkHpa({
      apiVersion: "autoscaling/v1",
      kind: "HorizontalPodAutoscaler",
      metadata: { name: "web", annotations: { "autoscaling.alpha.kubernetes.io/behavior": behavior } },
      spec: { scaleTargetRef: hpaOf({}).spec.scaleTargetRef, maxReplicas: 3 },
    });
  expect(problemsOf('{"ScaleDown":{"StabilizationWindowSeconds":60,"Policies":null}}')).toEqual([
    {
      path: 'metadata.annotations["autoscaling.alpha.kubernetes.io/behavior"].scaleDown.policies',
      message: "must specify at least one Policy",
      remedy: "set it",
    },
  ]);
  const policy = '{"Type":"Pods","Value":1,"PeriodSeconds":15}';
  expect(problemsOf(`{"ScaleDown":{"Policies":[${policy}]}}`)).toEqual([]);
});
