import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { plimsoll } from "./run-plimsoll.ts";
import { type StructuralSchema, violations } from "./structural-schema.ts";

const crdFile = new URL(
  "../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml",
  import.meta.url,
);
const crd = parse(await readFile(crdFile, "utf8")) as {
  spec: { versions: { schema: { openAPIV3Schema: StructuralSchema } }[] };
};
const schema = crd.spec.versions[0]?.schema.openAPIV3Schema ?? {};

async function convert(files: Readonly<Record<string, string>>, ...flags: string[]) {
  const { code, out, err } = await plimsoll(["convert", ...Object.keys(files), ...flags], {
    readText: async (path) => files[path] ?? Promise.reject(new Error("no such file")),
  });
  const objects = parseAllDocuments(out).map((document) => document.toJS() as Record<string, unknown>);
  for (const object of objects) expect(violations(object, schema, "")).toEqual([]);
  return { code, out, errors: err.split("\n").filter((line) => line !== ""), objects };
}

const targetOf = (name: string) => `scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: ${name}}`;
const target = targetOf("shop");

test("comments, order and layout of a v2 object stay, and what only the API server sets goes", async () => {
  const { code, out, errors } = await convert({
    "hpa.yaml": `# Scales the shop.
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: shop # the shop
  uid: abc
  creationTimestamp: 2026-01-02T03:04:05Z
  annotations:
    team: a
    kubectl.kubernetes.io/last-applied-configuration: "{}"
    autoscaling.plimsoll.dev/managed: "true"
spec:
  # never below two
  minReplicas: 2
  maxReplicas: 10
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: shop
  metrics:
    - type: Pods
      pods:
        metric:
          name: hits
        target:
          type: AverageValue
          averageValue: 0.5 # half a hit
  behavior: null
status:
  currentReplicas: 2
  desiredReplicas: 2
  lastScaleTime: 2026-01-02T03:04:05Z
`,
  });
  expect([code, errors]).toEqual([0, []]);
  expect(out).toBe(`# Scales the shop.
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata:
  name: shop # the shop
  annotations:
    team: a
spec:
  # never below two
  minReplicas: 2
  maxReplicas: 10
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: shop
  metrics:
    - type: Pods
      pods:
        metric:
          name: hits
        target:
          type: AverageValue
          averageValue: "0.5" # half a hit
`);
});

test("older versions and the items of a list come out in the shape of v2", async () => {
  const { code, objects } = await convert({
    "-": `apiVersion: v1
kind: List
items:
- apiVersion: autoscaling/v1
  kind: HorizontalPodAutoscaler
  metadata:
    name: one
    annotations:
      autoscaling.alpha.kubernetes.io/behavior: '{"ScaleDown":{"StabilizationWindowSeconds":60,"Policies":[{"Type":"Pods","Value":1,"PeriodSeconds":60}]}}'
  spec: {${targetOf("one")}, maxReplicas: 4, targetCPUUtilizationPercentage: 70}
- apiVersion: autoscaling/v2beta1
  kind: HorizontalPodAutoscaler
  metadata: {name: two, namespace: shop}
  spec:
    ${target}
    maxReplicas: 4
    metrics:
    - {type: External, external: {metricName: queue, targetAverageValue: "30"}}
- apiVersion: autoscaling/v2beta2
  kind: HorizontalPodAutoscaler
  metadata: {name: three}
  spec: {${targetOf("three")}, maxReplicas: 4, metrics: []}
`,
  });
  expect(code).toBe(0);
  expect(objects).toMatchObject([
    {
      metadata: { name: "one" },
      spec: {
        metrics: [{ type: "Resource", resource: { name: "cpu", target: { averageUtilization: 70 } } }],
        behavior: { scaleDown: { stabilizationWindowSeconds: 60 } },
      },
    },
    {
      metadata: { name: "two", namespace: "shop" },
      spec: {
        metrics: [
          { external: { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "30" } } },
        ],
      },
    },
    { metadata: { name: "three" }, spec: { maxReplicas: 4 } },
  ]);
  expect(objects[0]).not.toHaveProperty("metadata.annotations");
});

test("what is not converted, and what is left out, is reported", async () => {
  const hpa = `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: shop
  finalizers: [a/b]
spec: {${target}, maxReplicas: 4}
`;
  const { code, errors, objects } = await convert(
    { "all.yaml": `apiVersion: v1\nkind: Service\nmetadata: {name: s}\n---\n${hpa}` },
    "--mode=Shadow",
  );
  expect(code).toBe(0);
  expect(objects).toMatchObject([{ kind: "WorkloadAutoscaler", spec: { mode: "Shadow" } }]);
  expect(errors).toEqual([
    expect.stringMatching(/^note: all\.yaml:1:1: document 1: Service \(v1\) is left out: convert accepts /),
    expect.stringMatching(/^note: all\.yaml:9:15: document 2: metadata\.finalizers is left out: /),
  ]);
});

test("problems name file, place, path, value and remedy; nothing is written, and the code is 1", async () => {
  const { code, out, errors } = await convert({
    "good.yaml": `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: good}
spec: {${target}, maxReplicas: 4}
`,
    "bad.yaml": `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {namespace: x}
spec:
  minReplcas: 2
  maxReplicas: -4
  ${target}
  metrics:
    - type: Pods
      pods:
        metric: {name: hits}
        target: {type: Value, averageValue: 0}
---
apiVersion: autoscaling/v3
kind: HorizontalPodAutoscaler
---
foo: [
`,
  });
  expect([code, out]).toEqual([1, ""]);
  expect(errors).toEqual([
    "error: bad.yaml:3:11: document 1: metadata.name is required: set it",
    "error: bad.yaml:5:15: document 1: spec.minReplcas is an unknown field in autoscaling/v2: did you mean spec.minReplicas?",
    expect.stringContaining(
      "bad.yaml:6:16: document 1: spec.maxReplicas -4 must be greater than or equal to 1: ",
    ),
    expect.stringContaining("spec.maxReplicas -4 must be greater than or equal to `minReplicas`"),
    expect.stringContaining('spec.metrics[0].pods.target.averageValue "0" must be positive'),
    'error: bad.yaml:14:13: document 2: apiVersion "autoscaling/v3" is not a version of HorizontalPodAutoscaler: use autoscaling/v2',
    expect.stringMatching(/^error: bad\.yaml:\d+:\d+: document 3: is not YAML: .*: correct the syntax$/),
  ]);
});

test("anchors and merge keys are written out", async () => {
  const { code, objects } = await convert({
    "hpa.yaml": `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: &ref {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 4
  metrics:
    - type: Object
      object:
        describedObject: {<<: *ref, name: other}
        metric: {name: hits}
        target: {type: Value, value: 10k}
`,
  });
  expect(code).toBe(0);
  expect(objects[0]).toMatchObject({
    spec: {
      metrics: [
        { object: { describedObject: { apiVersion: "apps/v1", kind: "Deployment", name: "other" } } },
      ],
    },
  });
});

test("names that YAML 1.1 could take for numbers are names, as for the API server", async () => {
  const hpas = ["e0", "E12", "15:45"].map(
    (name, index) => `apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: x${index}, annotations: {part: ${name}}}
spec: {${targetOf(`x${index}`)}, maxReplicas: 4}
`,
  );
  const { code, objects } = await convert({ "all.yaml": hpas.join("---\n") });
  expect(code).toBe(0);
  expect(objects.map(({ metadata }) => metadata)).toMatchObject(
    ["e0", "E12", "15:45"].map((part) => ({ annotations: { part } })),
  );
});

test("a file that is not there, and one with nothing to convert, end with 1", async () => {
  const nothing = await convert({ "-": "apiVersion: v1\nkind: Service\n" });
  expect([nothing.code, nothing.errors.at(-1)]).toEqual([
    1,
    expect.stringContaining("nothing to convert in (standard input)"),
  ]);
  expect((await convert({ "a.yaml": "" }, "b.yaml")).code).toBe(1);
});

test.each([
  [
    "Resource",
    "resource: {name: memory, target: {type: Utilization, averageValue: 200Mi}}",
    "resource",
    { type: "AverageValue", averageValue: "200Mi" },
  ],
  [
    "ContainerResource",
    "containerResource: {name: cpu, container: a, target: {type: AverageValue, averageUtilization: 60}}",
    "containerResource",
    { type: "Utilization", averageUtilization: 60 },
  ],
  [
    "Pods",
    "pods: {metric: {name: hits}, target: {type: Value, averageValue: 1k}}",
    "pods",
    { type: "AverageValue", averageValue: "1k" },
  ],
  [
    "External",
    "external: {metric: {name: q}, target: {type: AverageValue, value: 30}}",
    "external",
    { type: "Value", value: 30 },
  ],
])(
  "a target of %s that contradicts its type is what the controller takes: %s",
  async (type, metric, field, expected) => {
    const { code, objects, errors } = await convert({
      "-": `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: x}\nspec: {${target}, maxReplicas: 4, metrics: [{type: ${type}, ${metric}}]}\n`,
    });
    expect(code).toBe(0);
    expect(objects[0]).toHaveProperty(["spec", "metrics", 0, field, "target"], expected);
    expect(errors.join()).toContain(`is written as ${expected.type}: `);
  },
);

test("a target that the controller cannot read is an error", async () => {
  const object =
    "describedObject: {kind: Service, name: s}, metric: {name: q}, target: {type: Value, averageValue: 1}";
  for (const metric of [
    `type: Object, object: {${object}}`,
    "type: Pods, pods: {metric: {name: q}, target: {type: Value, value: 1}}",
  ]) {
    const { code, errors } = await convert({
      "-": `apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata: {name: x}\nspec: {${target}, maxReplicas: 4, metrics: [{${metric}}]}\n`,
    });
    expect([code, errors.length]).toEqual([1, 1]);
  }
});
