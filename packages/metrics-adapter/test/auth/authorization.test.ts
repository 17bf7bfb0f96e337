import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { askAs, type Harness, type HarnessOptions, startAdapter } from "../http/harness.ts";

async function started(options: HarnessOptions = {}): Promise<Harness> {
  const harness = await startAdapter(options);
  onTestFinished(() => harness.adapter.stop());
  return harness;
}

const custom = "/apis/custom.metrics.k8s.io/v1beta2";
const hpa = {
  user: "system:serviceaccount:kube-system:horizontal-pod-autoscaler",
  groups: ["system:serviceaccounts"],
};

function isWildcard({
  resourceAttributes,
}: {
  readonly resourceAttributes?: Readonly<Record<string, string>>;
}): boolean {
  return resourceAttributes?.["resource"] === "*";
}

test.each([
  [
    `${custom}/namespaces/ns/pods/*/m`,
    { namespace: "ns", verb: "get", resource: "pods", subresource: "m", name: "*", version: "v1beta2" },
  ],
  [`${custom}/namespaces/ns/pods/%2A/m/`, { namespace: "ns", resource: "pods", subresource: "m", name: "*" }],
  [`${custom}/namespaces/ns/metrics/m`, { namespace: "ns", verb: "get", resource: "metrics", name: "m" }],
  [`${custom}/nodes/n1/m`, { verb: "get", resource: "nodes", subresource: "m", name: "n1" }],
  [
    "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods",
    { namespace: "ns", verb: "list", group: "metrics.k8s.io", resource: "pods" },
  ],
  ["/apis/metrics.k8s.io/v1beta1/nodes/n1", { verb: "get", resource: "nodes", name: "n1" }],
  ["/apis/metrics.k8s.io/v1beta1/pods?watch=true", { verb: "watch", resource: "pods" }],
  [
    "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods?fieldSelector=metadata.name%3Dp1",
    { namespace: "ns", verb: "list", resource: "pods", name: "p1" },
  ],
  [
    "/apis/metrics.k8s.io/v1beta1/nodes?fieldSelector=metadata.namespace!=x,metadata.name==n1",
    { verb: "list", resource: "nodes", name: "n1" },
  ],
  ["/apis/metrics.k8s.io/v1beta1/nodes?fieldSelector=metadata.name!=n1", { verb: "list" }],
  ["/apis/metrics.k8s.io/v1beta1/nodes?fieldSelector=metadata.name=a/b", { verb: "list" }],
  ["/apis/metrics.k8s.io/v1beta1/nodes?fieldSelector=metadata.name", { verb: "list" }],
  [
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue_depth?fieldSelector=metadata.name=x",
    { namespace: "ns", verb: "list", resource: "queue_depth" },
  ],
])("%s is reviewed with its attributes where all resources are not allowed", async (path, expected) => {
  const harness = await started();
  harness.kube.onAccessReview = async (spec) => ({ allowed: !isWildcard(spec) });
  await askAs(harness, path, hpa);
  const [wildcard, review] = harness.kube.accessReviews;
  expect(wildcard?.resourceAttributes).toEqual({
    verb: review?.resourceAttributes?.["verb"],
    group: review?.resourceAttributes?.["group"],
    version: review?.resourceAttributes?.["version"],
    resource: "*",
  });
  expect(review?.resourceAttributes).toMatchObject(expected);
  const given = Object.keys(review?.resourceAttributes ?? {});
  const optional = ["namespace", "subresource", "name"].filter((key) => !(key in expected));
  expect(given.filter((key) => optional.includes(key))).toEqual([]);
});

test("who may read all resources of a group in all namespaces is reviewed once for each verb and version", async () => {
  const harness = await started();
  harness.kube.onAccessReview = async (spec) => ({ allowed: isWildcard(spec) });
  const paths = ["namespaces/a/pods/*/m", "namespaces/b/pods/*/m", "namespaces/b/services/s/m", "nodes/n1/m"];
  for (const path of paths) expect((await askAs(harness, `${custom}/${path}`, hpa)).code).not.toBe(403);
  expect(harness.kube.accessReviews).toHaveLength(1);
  await askAs(harness, "/apis/external.metrics.k8s.io/v1beta1/namespaces/ns/queue_depth", hpa);
  expect(harness.kube.accessReviews).toHaveLength(2);
  const otherVersion = `${custom.replace("v1beta2", "v1beta1")}/namespaces/a/pods/*/m`;
  await askAs(harness, otherVersion, hpa);
  expect(harness.kube.accessReviews.map((spec) => spec.resourceAttributes?.["version"])).toEqual([
    "v1beta2",
    "v1beta1",
    "v1beta1",
  ]);
});

test("a permission to read one name is none to read another", async () => {
  const harness = await started();
  harness.kube.onAccessReview = async ({ resourceAttributes }) => ({
    allowed: resourceAttributes?.["name"] === "p1",
  });
  const pods = "/apis/metrics.k8s.io/v1beta1/namespaces/ns/pods";
  const codes: number[] = [];
  for (const name of ["p1", "p1", "p2", undefined]) {
    const query = name === undefined ? "" : `?fieldSelector=metadata.name%3D${name}`;
    codes.push((await askAs(harness, `${pods}${query}`, hpa)).code);
  }
  expect(codes).toEqual([200, 200, 403, 403]);
});

test("a path outside the APIs is reviewed as such", async () => {
  const harness = await started();
  await askAs(harness, "/apis/custom.metrics.k8s.io/v1beta1?timeout=32s", hpa);
  expect(harness.kube.accessReviews[0]).toMatchObject({
    user: hpa.user,
    groups: ["system:serviceaccounts", "system:authenticated"],
    nonResourceAttributes: { path: "/apis/custom.metrics.k8s.io/v1beta1", verb: "get" },
  });
});

test("a refusal names who, what and why", async () => {
  const harness = await started();
  harness.kube.onAccessReview = async () => ({ allowed: false, reason: "no RBAC rule" });
  const answer = await askAs(harness, `${custom}/namespaces/ns/pods/p1/m`, { user: "eve", groups: [] });
  expect(answer.code).toBe(403);
  expect(answer.json()).toEqual({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message:
      'pods.custom.metrics.k8s.io "p1" is forbidden: User "eve" cannot get resource "pods/m" in API group "custom.metrics.k8s.io" in the namespace "ns": no RBAC rule',
    reason: "Forbidden",
    details: { name: "p1", group: "custom.metrics.k8s.io", kind: "pods" },
    code: 403,
  });
  expect(harness.engine.queries).toEqual([]);
  const atRoot = await askAs(harness, "/apis/metrics.k8s.io/v1beta1/nodes", { user: "eve", groups: [] });
  expect(atRoot.json().message).toBe(
    'nodes.metrics.k8s.io is forbidden: User "eve" cannot list resource "nodes" in API group "metrics.k8s.io" at the cluster scope: no RBAC rule',
  );
});

test("decisions are cached for their time, and concurrent requests share one review", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock, flags: ["--authorization-webhook-cache-authorized-ttl=30s"] });
  const path = `${custom}/namespaces/ns/pods/*/m`;
  const ask = (): Promise<number> => askAs(harness, path, hpa).then((answer) => answer.code);
  const reviews = () => harness.kube.accessReviews.filter((spec) => !isWildcard(spec));
  harness.kube.onAccessReview = async (spec) => ({ allowed: !isWildcard(spec) });
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
  expect(reviews()).toHaveLength(1);
  expect(harness.kube.accessReviews).toHaveLength(2);
  await clock.advance(29_000);
  await ask();
  expect(reviews()).toHaveLength(1);
  await clock.advance(1_000);
  harness.kube.onAccessReview = async () => ({ allowed: false });
  expect(await ask()).toBe(403);
  await clock.advance(9_000);
  expect(await ask()).toBe(403);
  expect(reviews()).toHaveLength(2);
  await clock.advance(1_000);
  harness.kube.onAccessReview = async () => ({ allowed: true });
  expect(await ask()).toBe(200);
  await stopWith(clock, harness);
});

test("without a response nothing is allowed, and what was allowed lasts only for its time", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock });
  let isAsked = false;
  harness.kube.onAccessReview = () => {
    isAsked = true;
    return new Promise(() => {});
  };
  const pending = askAs(harness, `${custom}/namespaces/ns/pods/*/m`, hpa);
  await until("the review is under way", () => isAsked);
  await clock.advance(10_000);
  const answer = await pending;
  expect(answer.code).toBe(503);
  expect(answer.json()).toMatchObject({
    kind: "Status",
    reason: "ServiceUnavailable",
    message:
      "the API server did not review the caller's access, so the request is not allowed; see the log of this server",
  });
  expect(harness.engine.queries).toEqual([]);
  harness.kube.onAccessReview = async () => {
    throw new Error("connection refused");
  };
  expect((await askAs(harness, `${custom}/namespaces/ns/pods/*/m`, hpa)).code).toBe(503);
  await stopWith(clock, harness);
});

async function stopWith(clock: ReturnType<typeof manualClock>, harness: Harness): Promise<void> {
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await stopped;
}
