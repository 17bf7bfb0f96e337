// What roles and bindings allow, by requests of users who are no administrators.
import { expect, test } from "vitest";
import { type ApiRig, configMap, configMaps, deployments, type Json, text, withApi } from "./api-rig.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";
const reviews = "/apis/authorization.k8s.io/v1";
const dev = "system:serviceaccount:shop:dev";

interface Bound {
  readonly kind?: "Role" | "ClusterRole";
  readonly namespace?: string;
  readonly rules: readonly object[];
  readonly subjects: readonly object[];
}

/** A role, and a binding of the same name, by the administrator. */
async function bind(
  { call }: ApiRig,
  name: string,
  { kind = "Role", namespace = "default", ...bound }: Bound,
) {
  const { rules, subjects } = bound;
  const place = kind === "Role" ? `${rbac}/namespaces/${namespace}` : rbac;
  const [roles, bindings] =
    kind === "Role" ? ["roles", "rolebindings"] : ["clusterroles", "clusterrolebindings"];
  const made = await call("POST", `${place}/${roles}`, { body: { metadata: { name }, rules } });
  const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind, name };
  const bindingBody = { metadata: { name }, roleRef, subjects };
  expect([made.code, (await call("POST", `${place}/${bindings}`, { body: bindingBody })).code]).toEqual([
    201, 201,
  ]);
}

/** The same request as a user. */
const as = (user: string, ...groups: readonly string[]) => ({
  headers: { "impersonate-user": user, ...(groups.length === 0 ? {} : { "impersonate-group": [...groups] }) },
});

const user = (name: string) => ({ kind: "User", name, apiGroup: "rbac.authorization.k8s.io" });
const group = (name: string) => ({ kind: "Group", name, apiGroup: "rbac.authorization.k8s.io" });
const reads = (resources: readonly string[], resourceNames?: readonly string[]) => ({
  apiGroups: ["", "apps"],
  resources,
  verbs: ["get", "list", "watch"],
  ...(resourceNames === undefined ? {} : { resourceNames }),
});

function withRbac(use: (rig: ApiRig) => Promise<void>): Promise<void> {
  return withApi(use, { rbac: true });
}

test("without a role nothing may be read but what discovery needs, and the administrator may do all", () =>
  withRbac(async ({ call }) => {
    const refused = await call("GET", "/apis/apps/v1/namespaces/shop/deployments/web", as(dev));
    expect([refused.code, refused.body["message"]]).toEqual([
      403,
      'deployments.apps "web" is forbidden: User "system:serviceaccount:shop:dev" cannot get resource "deployments" in API group "apps" in the namespace "shop"',
    ]);
    const nodes = await call("GET", "/api/v1/nodes", as("bob"));
    expect(nodes.body["message"]).toBe(
      'nodes is forbidden: User "bob" cannot list resource "nodes" in API group "" at the cluster scope',
    );
    const metrics = await call("GET", "/metrics", as("bob"));
    expect([metrics.code, metrics.body["message"]]).toEqual([
      403,
      'forbidden: User "bob" cannot get path "/metrics"',
    ]);
    expect((await call("GET", "/apis", as("bob"))).code).toBe(200);
    expect((await call("GET", "/api", { as: "anonymous" })).code).toBe(403);
    expect((await call("GET", "/version", { as: "anonymous" })).code).toBe(200);
    expect((await call("GET", configMaps)).code).toBe(200);
  }));

test("users, groups and service accounts are bound, in a namespace or in all", () =>
  withRbac(async (rig) => {
    const { call, address } = rig;
    await bind(rig, "alice-reads", { rules: [reads(["configmaps"])], subjects: [user("alice")] });
    await bind(rig, "team-reads", {
      kind: "ClusterRole",
      rules: [reads(["deployments"])],
      subjects: [group("team"), { kind: "ServiceAccount", name: "default", namespace: "default" }],
    });
    expect((await call("GET", configMaps, as("alice"))).code).toBe(200);
    expect((await call("GET", configMaps.replace("default", "kube-system"), as("alice"))).code).toBe(403);
    expect((await call("GET", deployments, as("bob", "team"))).code).toBe(200);
    expect((await call("GET", "/apis/apps/v1/deployments", as("bob", "team"))).code).toBe(200);
    expect((await call("GET", deployments, as("bob"))).code).toBe(403);
    const token = { token: address.serviceAccountToken("default", "default") };
    expect((await call("GET", deployments, { as: token })).code).toBe(200);
    expect((await call("POST", configMaps, { body: configMap("a"), as: token })).code).toBe(403);
  }));

test("a name that a role allows can be read, and listed and watched by the field selector", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    await call("POST", configMaps, { body: configMap("one") });
    await bind(rig, "named", { rules: [reads(["configmaps"], ["one"])], subjects: [user("alice")] });
    const codeOf = async (path: string) => (await call("GET", `${configMaps}${path}`, as("alice"))).code;
    expect(await codeOf("/one")).toBe(200);
    expect(await codeOf("/two")).toBe(403);
    expect(await codeOf("")).toBe(403);
    expect(await codeOf("?fieldSelector=metadata.name%3Done")).toBe(200);
    expect(await codeOf("?fieldSelector=metadata.name%3Done&watch=1&timeoutSeconds=1")).toBe(200);
    expect(await codeOf("?fieldSelector=metadata.name%3Dtwo")).toBe(403);
    expect(await codeOf("?fieldSelector=metadata.name!%3Done")).toBe(403);
  }));

test("subresources are resources of their own", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    await bind(rig, "scales", {
      rules: [{ apiGroups: ["apps"], resources: ["*/scale"], verbs: ["*"] }],
      subjects: [user("alice")],
    });
    const refused = await call("GET", `${deployments}/web/status`, as("alice"));
    expect(refused.body["message"]).toBe(
      'deployments.apps "web" is forbidden: User "alice" cannot get resource "deployments/status" in API group "apps" in the namespace "default"',
    );
    expect((await call("GET", `${deployments}/web/scale`, as("alice"))).code).toBe(404);
    expect((await call("GET", `${deployments}/web`, as("alice"))).code).toBe(403);
  }));

test("aggregated roles have the rules of those that they select, as long as these are there", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" };
    const body = { metadata: { name: "alice" }, roleRef, subjects: [user("alice")] };
    await call("POST", `${rbac}/namespaces/default/rolebindings`, { body });
    expect((await call("GET", deployments, as("alice"))).code).toBe(200);
    const crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    expect((await call("GET", crds, as("alice"))).code).toBe(403);
    const labels = { "rbac.authorization.k8s.io/aggregate-to-view": "true" };
    const rules = [{ apiGroups: [""], resources: ["secrets"], verbs: ["list"] }];
    const secrets = "/api/v1/namespaces/default/secrets";
    await call("POST", `${rbac}/clusterroles`, { body: { metadata: { name: "more", labels }, rules } });
    expect((await call("GET", secrets, as("alice"))).code).toBe(200);
    const edit = await call("GET", `${rbac}/clusterroles/edit`);
    expect(JSON.stringify(edit.body["rules"])).toContain("endpointslices");
    await call("DELETE", `${rbac}/clusterroles/more`);
    expect((await call("GET", secrets, as("alice"))).code).toBe(403);
  }));

test("reviews say the same, with the binding that allows", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    await bind(rig, "alice-reads", { rules: [reads(["configmaps"])], subjects: [user("alice")] });
    const can = async (verb: string) => {
      const resourceAttributes = { verb, resource: "configmaps", namespace: "default" };
      const own = await call("POST", `${reviews}/selfsubjectaccessreviews`, {
        body: { spec: { resourceAttributes } },
        ...as("alice"),
      });
      const other = await call("POST", `${reviews}/subjectaccessreviews`, {
        body: { spec: { user: "alice", resourceAttributes } },
      });
      expect(own.body["status"]).toEqual(other.body["status"]);
      return own.body["status"];
    };
    expect(await can("list")).toEqual({
      allowed: true,
      reason: 'RBAC: allowed by RoleBinding "alice-reads/default" of Role "alice-reads" to User "alice"',
    });
    expect(await can("delete")).toEqual({ allowed: false });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "gone" };
    const body = { metadata: { name: "gone" }, roleRef, subjects: [user("alice")] };
    await call("POST", `${rbac}/clusterrolebindings`, { body });
    expect(await can("delete")).toEqual({
      allowed: false,
      reason: 'rbac: RBAC: clusterrole.rbac.authorization.k8s.io "gone" not found',
    });
    const list = await call("POST", `${reviews}/selfsubjectrulesreviews`, {
      body: { spec: { namespace: "default" } },
      ...as("alice"),
    });
    const status = list.body["status"] as Json;
    expect(status["resourceRules"]).toContainEqual({
      verbs: ["get", "list", "watch"],
      apiGroups: ["", "apps"],
      resources: ["configmaps"],
    });
    expect(status["nonResourceRules"]).toContainEqual(expect.objectContaining({ verbs: ["get"] }));
    const nowhere = await call("POST", `${reviews}/selfsubjectrulesreviews`, { body: {}, ...as("alice") });
    expect([nowhere.code, nowhere.body["message"]]).toEqual([400, "no namespace on request"]);
  }));

test("whoever writes roles and bindings gives no more than they have, or may bind and escalate", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    const writes = {
      apiGroups: ["rbac.authorization.k8s.io"],
      resources: ["*"],
      verbs: ["create", "update"],
    };
    await bind(rig, "owner", { rules: [writes, reads(["configmaps"])], subjects: [user("alice")] });
    const roles = `${rbac}/namespaces/default/roles`;
    const grant = (name: string, resources: readonly string[]) =>
      call("POST", roles, { body: { metadata: { name }, rules: [reads(resources)] }, ...as("alice") });
    expect((await grant("same", ["configmaps"])).code).toBe(201);
    const more = await grant("more", ["configmaps", "secrets"]);
    expect([more.code, more.body["message"]]).toEqual([
      403,
      'roles.rbac.authorization.k8s.io "more" is forbidden: user "alice" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n' +
        '{APIGroups:[""], Resources:["secrets"], Verbs:["get" "list" "watch"]}\n' +
        '{APIGroups:["apps"], Resources:["secrets"], Verbs:["get" "list" "watch"]}',
    ]);
    const toAdmin = (name: string) =>
      call("POST", `${rbac}/namespaces/default/rolebindings`, {
        body: {
          metadata: { name },
          roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: "view" },
          subjects: [user("alice")],
        },
        ...as("alice"),
      });
    expect((await toAdmin("one")).code).toBe(403);
    await bind(rig, "may-bind", {
      rules: [{ ...writes, resources: ["clusterroles"], verbs: ["bind"], resourceNames: ["view"] }],
      subjects: [user("alice")],
    });
    expect((await toAdmin("two")).code).toBe(201);
    await bind(rig, "may-escalate", {
      rules: [{ ...writes, verbs: ["escalate"] }],
      subjects: [user("alice")],
    });
    expect((await grant("all", ["pods", "secrets"])).code).toBe(201);
    const aggregationRule = { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] };
    await bind(rig, "cluster-owner", { kind: "ClusterRole", rules: [writes], subjects: [user("carol")] });
    const aggregate = await call("POST", `${rbac}/clusterroles`, {
      body: { metadata: { name: "sum" }, aggregationRule },
      ...as("carol"),
    });
    expect(aggregate.body["message"]).toBe(
      'clusterroles.rbac.authorization.k8s.io "sum" is forbidden: must have cluster-admin privileges to use the aggregationRule',
    );
  }));

test("a binding keeps its role, and a PATCH creates with the right to", () =>
  withRbac(async (rig) => {
    const { call } = rig;
    await bind(rig, "fixed", { rules: [reads(["configmaps"])], subjects: [user("alice")] });
    const changed = await call("PATCH", `${rbac}/namespaces/default/rolebindings/fixed`, {
      body: { roleRef: { name: "other" } },
      type: "application/merge-patch+json",
    });
    expect([changed.code, text(changed.body["message"])]).toEqual([
      422,
      expect.stringContaining("cannot change roleRef"),
    ]);
    await bind(rig, "patches", {
      rules: [{ apiGroups: [""], resources: ["configmaps"], verbs: ["patch"] }],
      subjects: [user("alice")],
    });
    const applied = await call("PATCH", `${configMaps}/new?fieldManager=x`, {
      body: { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "new" } },
      type: "application/apply-patch+yaml",
      ...as("alice"),
    });
    expect(applied.code).toBe(403);
  }));

test("impersonation needs a right for each user, group, uid and extra", () =>
  withRbac(async (rig) => {
    const { call, address } = rig;
    const token = { token: address.serviceAccountToken("default", "default") };
    const self = "/apis/authentication.k8s.io/v1/selfsubjectreviews";
    const acting = (headers: Record<string, string>) => call("POST", self, { body: {}, as: token, headers });
    const refused = await acting({ "impersonate-user": "bob" });
    expect([refused.code, refused.body["message"]]).toEqual([
      403,
      'users "bob" is forbidden: User "system:serviceaccount:default:default" cannot impersonate resource "users" in API group "" at the cluster scope',
    ]);
    await bind(rig, "acts", {
      kind: "ClusterRole",
      rules: [
        { apiGroups: [""], resources: ["users", "groups", "serviceaccounts"], verbs: ["impersonate"] },
        { apiGroups: ["authentication.k8s.io"], resources: ["userextras/scopes"], verbs: ["impersonate"] },
      ],
      subjects: [{ kind: "ServiceAccount", name: "default", namespace: "default" }],
    });
    const bob = await acting({ "impersonate-user": "bob", "impersonate-extra-scopes": "view" });
    expect(bob.body["status"]?.["userInfo"]).toEqual({
      username: "bob",
      groups: ["system:authenticated"],
      extra: { scopes: ["view"] },
    });
    expect((await acting({ "impersonate-user": "bob", "impersonate-uid": "7" })).code).toBe(403);
    const account = await acting({ "impersonate-user": dev });
    expect(account.body["status"]?.["userInfo"]).toMatchObject({
      groups: ["system:serviceaccounts", "system:serviceaccounts:shop", "system:authenticated"],
    });
  }));
