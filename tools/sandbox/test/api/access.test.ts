import { expect, test } from "vitest";
import { parse } from "yaml";
import type { AccessAttributes } from "../../src/index.ts";
import { configMap, configMaps, type Json, text, withApi } from "./api-rig.ts";

const reviews = "/apis/authorization.k8s.io/v1";

test("certificate, token and neither: who may do what", () =>
  withApi(async ({ call, address }) => {
    const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const admin = await call("POST", self, { body: {} });
    expect(admin.body["status"]?.["userInfo"]).toEqual({
      username: "admin",
      groups: ["system:masters", "system:authenticated"],
    });
    const { token } = parse(address.kubeconfigFor("bob", ["devs"])).users[0].user as { token: string };
    const bob = await call("POST", self, { body: {}, as: { token } });
    expect(bob.body["status"]?.["userInfo"]).toEqual({
      username: "bob",
      groups: ["devs", "system:authenticated"],
    });
    const account = { token: address.serviceAccountToken("default", "default") };
    const robot = await call("POST", self, { body: {}, as: account });
    expect(robot.body["status"]?.["userInfo"]).toMatchObject({
      username: "system:serviceaccount:default:default",
      groups: ["system:serviceaccounts", "system:serviceaccounts:default", "system:authenticated"],
    });
    expect((await call("GET", configMaps, { as: { token: `${token}x` } })).code).toBe(401);
    expect((await call("GET", configMaps, { as: { token: "a.b.c" } })).code).toBe(401);
    const anonymous = await call("GET", configMaps, { as: "anonymous" });
    expect([anonymous.code, anonymous.body["message"]]).toEqual([
      403,
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the ' +
        'namespace "default"',
    ]);
    expect((await call("GET", "/readyz", { as: "anonymous" })).text).toBe("ok");
  }));

test("a hook denies, and access reviews say the same", () => {
  const asked: AccessAttributes[] = [];
  const authorize = (attributes: AccessAttributes) => {
    asked.push(attributes);
    const denied = attributes.user.username === "bob" && attributes.verb === "create";
    return denied ? { allowed: false, reason: "bob reads only" } : undefined;
  };
  return withApi(
    async ({ call, address }) => {
      const { token } = parse(address.kubeconfigFor("bob", [])).users[0].user as { token: string };
      const as = { token };
      const denied = await call("POST", configMaps, { body: configMap("a"), as });
      expect([denied.code, denied.body["reason"]]).toEqual([403, "Forbidden"]);
      expect(asked.at(-1)?.resource).toMatchObject({
        resource: "configmaps",
        namespace: "default",
        group: "",
      });
      expect((await call("GET", configMaps, { as })).code).toBe(200);
      const resourceAttributes = { verb: "create", resource: "configmaps", namespace: "default" };
      const review = await call("POST", `${reviews}/subjectaccessreviews`, {
        body: { spec: { user: "bob", resourceAttributes } },
      });
      expect(review.body["status"]).toEqual({ allowed: false, reason: "bob reads only" });
      const masters = await call("POST", `${reviews}/subjectaccessreviews`, {
        body: { spec: { user: "bob", groups: ["system:masters"], resourceAttributes } },
      });
      expect(masters.body["status"]).toEqual({ allowed: true });
      const impersonated = await call("POST", configMaps, {
        body: configMap("a"),
        headers: { "impersonate-user": "bob" },
      });
      expect(impersonated.code).toBe(403);
    },
    { authorize },
  );
});

test("token reviews know the tokens of the sandbox and their end", () =>
  withApi(async ({ call, address }) => {
    const path = "/apis/authentication.k8s.io/v1/tokenreviews";
    const token = address.serviceAccountToken("default", "default");
    const good = await call("POST", path, { body: { spec: { token } } });
    expect(good.body["status"]).toMatchObject({ authenticated: true });
    const bad = await call("POST", path, { body: { spec: { token: "x" } } });
    expect(bad.body["status"]).toEqual({ user: {}, error: "[invalid bearer token]" });
    const request = await call("POST", "/api/v1/namespaces/default/serviceaccounts/default/token", {
      body: { spec: { expirationSeconds: -1 } },
    });
    const expired = { token: text(request.body["status"]?.["token"]) };
    expect((await call("GET", configMaps, { as: expired })).code).toBe(401);
  }));

test("the authentication ConfigMap names to aggregated servers whom to trust", () =>
  withApi(async ({ call, address }) => {
    const { body } = await call(
      "GET",
      "/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication",
    );
    expect(body["data"]).toMatchObject({
      "client-ca-file": address.caPem,
      "requestheader-allowed-names": '["front-proxy-client"]',
      "requestheader-username-headers": '["X-Remote-User"]',
      "requestheader-group-headers": '["X-Remote-Group"]',
      "requestheader-extra-headers-prefix": '["X-Remote-Extra-"]',
    });
    expect(text(body["data"]?.["requestheader-client-ca-file"])).toContain("BEGIN CERTIFICATE");
    expect(body["data"]?.["requestheader-client-ca-file"]).not.toEqual(body["data"]?.["client-ca-file"]);
  }));

test("discovery in both forms says the same", () =>
  withApi(async ({ call }) => {
    const accept = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json";
    const aggregated = await call("GET", "/apis", { headers: { accept } });
    expect(aggregated.headers["content-type"]).toBe(
      "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList",
    );
    const legacy = await call("GET", "/apis");
    const legacyGroups = (legacy.body["groups"] as unknown as Json[]).map((group) => group["name"]);
    const items = aggregated.body["items"] as unknown as Json[];
    expect(items.map((item) => item["metadata"]?.["name"])).toEqual(legacyGroups);
    const autoscaling = items.find((item) => text(item["metadata"]?.["name"]) === "autoscaling");
    expect(autoscaling?.["versions"]).toMatchObject([
      { version: "v2", freshness: "Current" },
      { version: "v1" },
    ]);
    const apps = items.find((item) => text(item["metadata"]?.["name"]) === "apps");
    expect(apps?.["versions"]?.[0]?.["resources"]?.[0]).toMatchObject({
      resource: "deployments",
      responseKind: { group: "apps", version: "v1", kind: "Deployment" },
      scope: "Namespaced",
      subresources: [
        { subresource: "status" },
        { subresource: "scale", responseKind: { group: "autoscaling", version: "v1", kind: "Scale" } },
      ],
    });
    const beta = await call("GET", "/api", { headers: { accept: accept.replace("v=v2", "v=v2beta1") } });
    expect(beta.body).toMatchObject({
      apiVersion: "apidiscovery.k8s.io/v2beta1",
      items: [{ versions: [{ version: "v1" }] }],
    });
    expect((await call("GET", "/api")).body["versions"]).toEqual(["v1"]);
  }));
