import { manualClock } from "@plimsoll/kube/testing";
import { expect, onTestFinished, test } from "vitest";
import { askAs, type Harness, type HarnessOptions, startAdapter, until } from "./harness.ts";

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
])("%s is reviewed with its attributes", async (path, expected) => {
  const harness = await started();
  await askAs(harness, path, hpa);
  expect(harness.kube.accessReviews[0]?.resourceAttributes).toMatchObject(expected);
  const given = Object.keys(harness.kube.accessReviews[0]?.resourceAttributes ?? {});
  const optional = ["namespace", "subresource", "name"].filter((key) => !(key in expected));
  expect(given.filter((key) => optional.includes(key))).toEqual([]);
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

test("answers are remembered for their time, one question at a time for each", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock, flags: ["--authorization-webhook-cache-authorized-ttl=30s"] });
  const path = `${custom}/namespaces/ns/pods/*/m`;
  const ask = (): Promise<number> => askAs(harness, path, hpa).then((answer) => answer.code);
  expect(await Promise.all([ask(), ask(), ask()])).toEqual([200, 200, 200]);
  expect(harness.kube.accessReviews).toHaveLength(1);
  await clock.advance(29_000);
  await ask();
  expect(harness.kube.accessReviews).toHaveLength(1);
  await clock.advance(1_000);
  harness.kube.onAccessReview = async () => ({ allowed: false });
  expect(await ask()).toBe(403);
  await clock.advance(9_000);
  expect(await ask()).toBe(403);
  expect(harness.kube.accessReviews).toHaveLength(2);
  await clock.advance(1_000);
  harness.kube.onAccessReview = async () => ({ allowed: true });
  expect(await ask()).toBe(200);
  await stopWith(clock, harness);
});

test("without an answer nothing is allowed, and what was allowed lasts only for its time", async () => {
  const clock = manualClock(Date.now());
  const harness = await startAdapter({ clock });
  let isAsked = false;
  harness.kube.onAccessReview = () => {
    isAsked = true;
    return new Promise(() => {});
  };
  const pending = askAs(harness, `${custom}/namespaces/ns/pods/*/m`, hpa);
  await until(() => isAsked, "the review is under way");
  await clock.advance(10_000);
  const answer = await pending;
  expect(answer.code).toBe(500);
  expect(answer.json()).toMatchObject({ kind: "Status", reason: "InternalError" });
  expect(harness.engine.queries).toEqual([]);
  harness.kube.onAccessReview = async () => {
    throw new Error("connection refused");
  };
  expect((await askAs(harness, `${custom}/namespaces/ns/pods/*/m`, hpa)).code).toBe(500);
  await stopWith(clock, harness);
});

async function stopWith(clock: ReturnType<typeof manualClock>, harness: Harness): Promise<void> {
  const stopped = harness.adapter.stop();
  await clock.advance(0);
  await stopped;
}
