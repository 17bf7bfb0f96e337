// Jobs of a workload that an HPA scales, too.
import { expect, test } from "vitest";
import { convert, hours } from "./cronhpa-files.ts";

test("an HPA as target has floors, inside bounds that hold its own and all sizes", async () => {
  const ref = "{ apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: shop }";
  const jobs = hours(20, 3, { ref });
  const hpa = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop, namespace: web }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, minReplicas: 2, maxReplicas: 10 }
`;
  const alone = await convert(jobs);
  expect(alone.errors).toContain(
    "is the HorizontalPodAutoscaler shop, whose own minReplicas applies outside of the schedules: make sure that it is 3",
  );
  expect(alone.object).toMatchObject({
    metadata: { name: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "autoscaling/v2" },
      minReplicas: 3,
      maxReplicas: 20,
      schedules: [{ minReplicas: 20, start: "0 9 * * *", end: "0 18 * * *" }],
    },
  });
  const { code, objects, object, errors } = await convert(`${hpa.slice(4)}---\n${jobs}`);
  expect([code, objects.length]).toEqual([0, 1]);
  expect(object).toMatchObject({
    metadata: { name: "shop" },
    spec: {
      scaleTargetRef: { kind: "Deployment" },
      minReplicas: 3,
      maxReplicas: 20,
      schedules: [{ minReplicas: 20, start: "0 9 * * *", end: "0 18 * * *" }],
    },
  });
  expect(errors).toContain(
    "is scaled by the HorizontalPodAutoscaler shop, whose WorkloadAutoscaler has these",
  );
});

const hpaOn = (name: string, spec = "minReplicas: 2, maxReplicas: 20", namespace = "web") => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: ${name}, namespace: ${namespace} }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, ${spec}, metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 50 } } }] }
`;

test.each(["shop", "shop-hpa"])("an HPA %s and jobs of one workload are one object", async (name) => {
  for (const text of [`${hours(10, 3)}${hpaOn(name)}`, `${hpaOn(name)}---\n${hours(10, 3)}`]) {
    const { code, objects, errors } = await convert(text);
    expect(code).toBe(0);
    expect(objects).toMatchObject([
      {
        metadata: { name },
        spec: {
          minReplicas: 2,
          maxReplicas: 20,
          metrics: [{ type: "Resource" }],
          schedules: [{ name: "up", start: "0 9 * * *", end: "0 18 * * *", minReplicas: 10 }],
        },
      },
    ]);
    expect(errors).toContain(
      "each job except those for 3 replicas becomes a floor until the next job, while this object could go below it at once. After a job for 3, only minReplicas limits it",
    );
  }
});

test.each(["extensions/v1beta1", "apps/v1beta2"])("a target in %s is written as apps/v1", async (version) => {
  const text = `${hours(10, 3)}${hpaOn("shop").replace("apps/v1", version)}`;
  const { code, objects, errors } = await convert(text);
  expect([code, objects]).toMatchObject([
    0,
    [
      {
        spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment" }, schedules: [{ name: "up" }] },
      },
    ],
  ]);
  expect(errors).toContain(
    `spec.scaleTargetRef.apiVersion "${version}" is written as apps/v1: no server has served it since Kubernetes 1.16`,
  );
  const one = await convert(text.slice(0, text.indexOf("---")).replace("apps/v1", version));
  expect(one.object?.spec.scaleTargetRef).toMatchObject({ apiVersion: "apps/v1" });
});

test.each([
  ["v2 Ingress", "describedObject", "extensions/v1beta1", "networking.k8s.io/v1"],
  ["v2 Ingress", "describedObject", "networking.k8s.io/v1beta1", "networking.k8s.io/v1"],
  ["v2beta1 Deployment", "target", "extensions/v1beta1", "apps/v1"],
])("the object of a metric in %s, %s in %s", async (versionAndKind, field, former, served) => {
  const [version, kind] = versionAndKind.split(" ");
  const since = kind === "Ingress" ? "1.22" : "1.16";
  const reference = `${field}: {apiVersion: ${former}, kind: ${kind}, name: shop}`;
  const metric =
    version === "v2"
      ? `${reference}, metric: {name: hits}, target: {type: Value, value: 9}`
      : `${reference}, metricName: hits, targetValue: 9`;
  const text = `apiVersion: autoscaling/${version}
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec:
  scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}
  maxReplicas: 9
  metrics: [{type: Object, object: {${metric}}}]
`;
  const { object, errors } = await convert(text);
  expect(object?.spec).toMatchObject({
    metrics: [{ object: { describedObject: { apiVersion: served, kind, name: "shop" } } }],
  });
  expect(errors).toContain(
    `spec.metrics[0].object.${field}.apiVersion "${former}" is written as ${served}: no server has served it since Kubernetes ${since}`,
  );
});

test("jobs beside an HPA: no replicas stop it, and its bounds stay", async () => {
  const { object, errors } = await convert(`${hours(30, 0)}${hpaOn("shop")}`);
  expect(object?.spec).toMatchObject({
    minReplicas: 2,
    maxReplicas: 20,
    schedules: [
      { name: "up", minReplicas: 20 },
      { name: "down", replicas: 0 },
    ],
  });
  expect(errors).toContain("each job becomes a floor until the next job");
  expect(errors).toContain("has jobs for 30 replicas, which this object moves back to 2 to 20");
});

test.each([
  [
    "two HPAs of other bounds",
    `${hpaOn("a")}${hpaOn("b", "maxReplicas: 3")}`,
    'is also the target of the HorizontalPodAutoscaler "a"',
  ],
  [
    "two HPAs whose target has a former group in one",
    `${hpaOn("a")}${hpaOn("b", "maxReplicas: 3").replace("apps/v1", "extensions/v1beta1")}`,
    'is also the target of the HorizontalPodAutoscaler "a"',
  ],
  [
    "two objects of one name",
    `${hpaOn("a")}${hpaOn("a").replace("name: shop", "name: other")}`,
    "which would overwrite",
  ],
  [
    "one name with and without a namespace",
    `${hpaOn("a")}${hpaOn("a").replace(", namespace: web", "").replace("name: shop", "name: other")}`,
    "set the namespaces of both",
  ],
  [
    "two objects with jobs",
    `${hours(5, 1)}---\n${hours(4, 2).replace("name: shop, namespace", "name: shop-2, namespace")}`,
    "block each other",
  ],
  [
    "two objects with jobs beside an HPA",
    `${hours(5, 1)}---\n${hours(4, 2).replace("name: shop, namespace", "name: shop-2, namespace")}${hpaOn("shop")}`,
    "put all jobs in one of them",
  ],
  ["jobs that cannot be converted, beside an HPA", `${hours(5, 5)}${hpaOn("shop")}`, "correct that object"],
])("%s are an error", async (_, text, message) => {
  const { code, out, errors } = await convert(text);
  expect([code, out]).toEqual([1, ""]);
  expect(errors).toContain(message);
});

test("HPAs of one target that differ in metrics alone are one object, with a note; in other namespaces they stay two", async () => {
  const { code, objects, errors } = await convert(`${hpaOn("a")}${hpaOn("b")}`);
  expect([code, objects.length]).toEqual([0, 1]);
  expect(objects).toMatchObject([{ metadata: { name: "a" }, spec: { metrics: [{}, {}] } }]);
  expect(errors).toContain("while the built-in controller uses neither");
  expect((await convert(`${hpaOn("a")}${hpaOn("a", undefined, "other")}`)).objects).toHaveLength(2);
});

test("jobs beside a ScaledObject are an error, also by its HPA", async () => {
  const keda =
    "---\napiVersion: keda.sh/v1alpha1\nkind: ScaledObject\nmetadata: {name: k, namespace: web}\nspec: {scaleTargetRef: {name: shop}, minReplicaCount: 1, triggers: [{type: cpu, metricType: Utilization, metadata: {value: '50'}}]}\n";
  expect((await convert(`${hours(5, 1)}${keda}`)).errors).toContain("block each other");
  const owned = hpaOn("keda-hpa-k").replace(
    "namespace: web }",
    "namespace: web, ownerReferences: [{ apiVersion: keda.sh/v1alpha1, kind: ScaledObject, name: k }] }",
  );
  expect((await convert(`${hours(5, 1)}${keda}${owned}`)).errors).toContain(
    "convert the jobs to cron triggers",
  );
});
