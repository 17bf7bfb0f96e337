// How objects are named, and what is said when they are not found.
import { expect, test } from "vitest";
import { fakeCluster, run } from "./fake-cluster.ts";
import { hpaOf, putWorkload } from "./workload.ts";

const wla = (name: string, target = name) => ({
  apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
  kind: "WorkloadAutoscaler",
  metadata: { name, namespace: "default", uid: `wla-${name}` },
  spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: target }, maxReplicas: 9 },
});
const scaledObject = (name: string, target: string, hpaName?: string) => ({
  apiVersion: "keda.sh/v1alpha1",
  kind: "ScaledObject",
  metadata: { name, namespace: "default" },
  spec: { scaleTargetRef: { name: target } },
  ...(hpaName === undefined ? {} : { status: { hpaName } }),
});

function cluster() {
  const fake = fakeCluster();
  putWorkload(fake, { name: "shop", replicas: 8 });
  return fake;
}

test.each([
  "shop",
  "hpa/shop",
  "horizontalpodautoscaler.autoscaling/shop",
  "deploy/shop",
  "Deployments/shop",
])("%s is the HPA", async (name) => {
  const { out, code } = await run(cluster(), ["explain", name, "-o", "json"]);
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ object: { resource: "horizontalpodautoscalers", name: "shop" } });
});

test("a ScaledObject is found by its HPA", async () => {
  const fake = cluster();
  fake.put(scaledObject("queue", "shop", "shop"));
  const { out } = await run(fake, ["explain", "so/queue", "-o", "json"]);
  expect(JSON.parse(out)).toMatchObject({ object: { name: "shop" } });
});

test.each<[string, string]>([
  [
    "shp",
    'no HorizontalPodAutoscaler or WorkloadAutoscaler "shp" in namespace "default"; did you mean "shop"?',
  ],
  ["zzzzzz", 'no HorizontalPodAutoscaler or WorkloadAutoscaler "zzzzzz" in namespace "default"'],
  ["wla/shp", 'no WorkloadAutoscaler "shp" in namespace "default"; did you mean "shop"?'],
  [
    "deploy/x",
    'no HorizontalPodAutoscaler or WorkloadAutoscaler scales Deployment "x" in namespace "default"',
  ],
  ["so/x", 'no ScaledObject "x" in namespace "default"'],
  [
    "cm/x",
    '"cm/x": kind "cm" is unknown; use NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME',
  ],
  ["hpa/", '"hpa/" has no name; use NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME'],
  [
    "__proto__/x",
    '"__proto__/x": kind "__proto__" is unknown; use NAME, hpa/NAME, wla/NAME, deploy|sts|rs|rollout/NAME or so/NAME',
  ],
])("%s is an error that says what to do", async (name, message) => {
  expect(await run(cluster(), ["explain", name])).toEqual({
    code: 1,
    out: "",
    errors: `error: ${message}\n`,
  });
});

test("a name of both kinds is an error that lists both", async () => {
  const fake = cluster();
  fake.put(wla("shop", "other"));
  const { code, errors } = await run(fake, ["explain", "shop"]);
  expect([code, errors]).toEqual([
    1,
    'error: "shop" is a HorizontalPodAutoscaler and a WorkloadAutoscaler in namespace "default": use hpa/shop or wla/shop\n',
  ]);
  expect((await run(fake, ["explain", "hpa/shop"])).code).toBe(0);
});

test("a workload that two objects scale is an error that names them", async () => {
  const fake = cluster();
  fake.put(
    hpaOf({
      name: "second",
      replicas: 8,
      spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" } },
    }),
  );
  expect((await run(fake, ["explain", "deploy/shop"])).errors).toBe(
    'error: hpa/second and hpa/shop scale Deployment "shop" in namespace "default": use one of these names\n',
  );
});

test("what would scale a workload that nothing scales is named", async () => {
  const fake = cluster();
  fake.put(scaledObject("queue", "worker"));
  expect((await run(fake, ["explain", "deploy/worker"])).errors).toBe(
    'error: no HorizontalPodAutoscaler or WorkloadAutoscaler scales Deployment "worker" in namespace "default"; ScaledObject "queue" targets it\n',
  );
});

/** Of another namespace than the one that commands look in. */
function elsewhere(fake: ReturnType<typeof cluster>, name: string, ...namespaces: readonly string[]) {
  for (const namespace of namespaces) {
    const hpa = hpaOf({ name, replicas: 2 });
    fake.put({ ...hpa, metadata: { name, namespace, uid: `${namespace}-${name}` } });
  }
  return fake;
}

test.each(["explain", "status", "doctor", "watch"])(
  "%s says which namespace has the name, after one list of each kind",
  async (command) => {
    const fake = elsewhere(cluster(), "api", "web");
    const { code, errors } = await run(fake, [command, "api", "--via=none"]);
    expect(code).toBe(1);
    expect(errors).toContain(
      'no HorizontalPodAutoscaler or WorkloadAutoscaler "api" in namespace "default"; found in namespace web; add -n web\n',
    );
    const lists = fake.requests.filter((path) =>
      /^GET [^ ]+\/v[^/]+\/(horizontalpod|workload)autoscalers$/.test(path),
    );
    expect(lists).toHaveLength(2);
  },
);

test("a name in several namespaces, a workload, and a near name", async () => {
  const several = elsewhere(cluster(), "api", "web", "batch");
  expect((await run(several, ["explain", "hpa/api"])).errors).toContain(
    "; found in namespaces batch, web; add -n batch\n",
  );
  const workload = cluster();
  workload.put({ apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "api", namespace: "web" } });
  expect((await run(workload, ["explain", "deploy/api"])).errors).toContain(
    'scales Deployment "api" in namespace "default"; found in namespace web; add -n web\n',
  );
  const near = elsewhere(cluster(), "shp", "web");
  expect((await run(near, ["explain", "shp"])).errors).toContain("; found in namespace web; add -n web\n");
});

test("without the right to look elsewhere it says so, and what to add", async () => {
  const fake = elsewhere(cluster(), "api", "web");
  fake.deny(/v2\/horizontalpodautoscalers$/);
  expect((await run(fake, ["explain", "api"])).errors).toContain(
    `in namespace "default"; you can't list other namespaces: if it is in one of them, add -n NAMESPACE\n`,
  );
  expect((await run(fake, ["explain", "-A", "api"])).errors).toBe(
    `error: "api": you can't list other namespaces: use -n NAMESPACE instead of -A\n`,
  );
});

test("-A takes a name that one namespace has", async () => {
  const fake = elsewhere(cluster(), "api", "web");
  const { code, out } = await run(fake, ["explain", "-A", "api", "-o", "name"]);
  expect([code, out]).toEqual([0, "horizontalpodautoscaler.autoscaling/api\n"]);
  expect((await run(fake, ["status", "-A", "api", "--via=none"])).out).toMatch(/^NAMESPACE .*\nweb +api /);
  expect((await run(fake, ["explain", "-A", "zzz"])).errors).toBe(
    'error: "zzz" not found in any namespace\n',
  );
  elsewhere(fake, "api", "batch");
  expect((await run(fake, ["explain", "-A", "api"])).errors).toBe(
    'error: "api" found in namespaces batch, web; add -n batch instead of -A\n',
  );
});
