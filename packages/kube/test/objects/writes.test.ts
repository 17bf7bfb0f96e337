import {
  readScale,
  replaceStatus,
  resourcePath,
  reviewAccess,
  reviewToken,
  writeScale,
} from "@plimsoll/kube";
import { fakeClient, resourceInfo } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";

const deployments = resourceInfo();

test.each([
  [resourcePath({ group: "", version: "v1", resource: "pods" }), "/api/v1/pods"],
  [resourcePath({ group: "", version: "v1", resource: "pods" }, "ns"), "/api/v1/namespaces/ns/pods"],
  [resourcePath({ group: "", version: "v1", resource: "nodes" }, undefined, "n"), "/api/v1/nodes/n"],
  [resourcePath(deployments, "ns", "web", "scale"), "/apis/apps/v1/namespaces/ns/deployments/web/scale"],
  [resourcePath(deployments, "ns", "../x"), "/apis/apps/v1/namespaces/ns/deployments/..%2Fx"],
])("%s", (path, expected) => {
  expect(path).toBe(expected);
});

test("a scale is read whole, zero filled in, and written back with its version", async () => {
  const wire = {
    apiVersion: "autoscaling/v1",
    kind: "Scale",
    metadata: { name: "web", namespace: "ns", resourceVersion: "7" },
    spec: {},
    status: { replicas: 0, selector: "app=web", future: 1 },
  };
  const client = fakeClient(({ method, body }) => (method === "PUT" ? body : wire));
  const scale = await readScale(client, deployments, "ns", "web");
  expect(scale).toEqual({ ...wire, spec: { replicas: 0 } });
  const stored = await writeScale(client, deployments, { ...scale, spec: { replicas: 5 } });
  expect(stored.spec.replicas).toBe(5);
  expect(client.requests).toEqual([
    { path: "/apis/apps/v1/namespaces/ns/deployments/web/scale" },
    {
      method: "PUT",
      path: "/apis/apps/v1/namespaces/ns/deployments/web/scale",
      body: { ...wire, spec: { replicas: 5 } },
    },
  ]);
});

test("a status is put to its subresource", async () => {
  const client = fakeClient(({ body }) => body);
  const object = {
    metadata: { name: "web", namespace: "ns", resourceVersion: "7" },
    status: { replicas: 1 },
  };
  expect(await replaceStatus(client, deployments, object)).toEqual(object);
  expect(client.requests).toEqual([
    { method: "PUT", path: "/apis/apps/v1/namespaces/ns/deployments/web/status", body: object },
  ]);
});

test.each([
  [
    { authenticated: true, user: { username: "alice", uid: "1", groups: ["dev"], extra: { a: ["b"] } } },
    {
      authenticated: true,
      user: { name: "alice", uid: "1", groups: ["dev"], extra: { a: ["b"] } },
    },
  ],
  [
    { authenticated: true, user: { username: "alice" } },
    { authenticated: true, user: { name: "alice", uid: undefined, groups: [], extra: {} } },
  ],
  [
    { user: {}, error: "token expired" },
    { authenticated: false, reason: "token expired" },
  ],
  [{ authenticated: true }, { authenticated: false, reason: "" }],
  [undefined, { authenticated: false, reason: "" }],
])("a token review that says %j", async (status, expected) => {
  const client = fakeClient(() => ({ status }));
  const { signal } = new AbortController();
  expect(await reviewToken(client, "t", signal)).toEqual(expected);
  expect(client.requests).toEqual([
    {
      method: "POST",
      path: "/apis/authentication.k8s.io/v1/tokenreviews",
      body: { apiVersion: "authentication.k8s.io/v1", kind: "TokenReview", spec: { token: "t" } },
      signal,
    },
  ]);
});

test.each([
  ["says that the token is for this server", ["other", "relay"], true],
  ["says that it is for another one", ["other"], false],
  ["knows no audiences", undefined, false],
])("a token for an audience, where the API server %s", async (_, audiences, isAccepted) => {
  const client = fakeClient(() => ({
    status: { authenticated: true, user: { username: "alice" }, audiences },
  }));
  expect((await reviewToken(client, "t", undefined, ["relay"])).authenticated).toBe(isAccepted);
  expect(client.requests[0]?.body).toMatchObject({ spec: { token: "t", audiences: ["relay"] } });
});

test.each([
  [
    { allowed: true, reason: "RBAC" },
    { allowed: true, reason: "RBAC" },
  ],
  [
    { allowed: false, denied: true, evaluationError: "no such role" },
    { allowed: false, reason: "no such role" },
  ],
  [
    { allowed: true, denied: true },
    { allowed: false, reason: "" },
  ],
  [undefined, { allowed: false, reason: "" }],
])("an access review that says %j", async (status, expected) => {
  const client = fakeClient(() => ({ status }));
  const spec = { user: "alice", groups: ["dev"], nonResourceAttributes: { path: "/metrics", verb: "get" } };
  expect(await reviewAccess(client, spec)).toEqual(expected);
  expect(client.requests[0]?.body).toMatchObject({ kind: "SubjectAccessReview", spec });
});
