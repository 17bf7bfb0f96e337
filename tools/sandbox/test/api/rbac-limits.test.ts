// What roles and headers cannot do to the sandbox itself.
import { expect, test } from "vitest";
import { type ApiRig, configMaps, withApi } from "./api-rig.ts";

const rbac = "/apis/rbac.authorization.k8s.io/v1";

function withRbac(use: (rig: ApiRig) => Promise<void>): Promise<void> {
  return withApi(use, { rbac: true });
}

test("roles that aggregate each other in a circle do not keep the server from its work", () =>
  withRbac(async ({ call }) => {
    const rules = [{ apiGroups: [""], resources: ["pods"], verbs: ["get"] }];
    const make = (name: string, from: string) =>
      call("POST", `${rbac}/clusterroles`, {
        body: {
          metadata: { name, labels: { of: name } },
          aggregationRule: { clusterRoleSelectors: [{ matchLabels: { of: from } }] },
          rules,
        },
      });
    for (const [name, from] of ["ab", "bc", "ca"])
      expect((await make(name ?? "", from ?? "")).code).toBe(201);
    expect((await call("GET", configMaps)).code).toBe(200);
  }));

test("a rule with millions of combinations is refused before they are compared", () =>
  withRbac(async ({ call }) => {
    const writes = { apiGroups: ["rbac.authorization.k8s.io"], resources: ["roles"], verbs: ["create"] };
    const [name, place] = ["writes", `${rbac}/namespaces/default`];
    await call("POST", `${place}/roles`, { body: { metadata: { name }, rules: [writes] } });
    const roleRef = { apiGroup: "rbac.authorization.k8s.io", kind: "Role", name };
    const subjects = [{ kind: "User", name: "alice", apiGroup: "rbac.authorization.k8s.io" }];
    await call("POST", `${place}/rolebindings`, { body: { metadata: { name }, roleRef, subjects } });
    const many = Array.from({ length: 1000 }, (_, at) => `r${at}`);
    const huge = [{ apiGroups: many, resources: many, verbs: many }];
    const body = { metadata: { name: "huge" }, rules: huge };
    const refused = await call("POST", `${rbac}/namespaces/default/roles`, {
      body,
      headers: { "impersonate-user": "alice" },
    });
    expect([refused.code, refused.body["message"]]).toEqual([
      400,
      expect.stringContaining("the rules have 1000000000 combinations"),
    ]);
  }));

test("a name of an extra that cannot be decoded is taken as it is", () =>
  withRbac(async ({ call }) => {
    const headers = { "impersonate-user": "bob", "impersonate-extra-a%zz": "x" };
    const self = await call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", {
      body: {},
      headers,
    });
    expect([self.code, self.body["status"]?.["userInfo"]?.["extra"]]).toEqual([201, { "a%zz": ["x"] }]);
  }));
