// Roles, bindings, and requests that are drawn.
import * as fc from "fast-check";

export const api = "rbac.authorization.k8s.io";

const one = <T>(...items: readonly T[]) => fc.constantFrom(...items);
const some = <T>(...items: readonly T[]) => fc.uniqueArray(one(...items), { minLength: 1, maxLength: 3 });
export const namespaces = ["default", "shop"] as const;
export const users = ["alice", "bob", "system:serviceaccount:shop:dev", "system:anonymous"] as const;
const teams = ["team", "ops"] as const;
const groups = ["", "apps", api] as const;
const resources = ["configmaps", "deployments", "deployments/scale", "pods", "pods/log", "roles"] as const;
const names = ["web", "api"] as const;
const paths = ["/metrics", "/logs", "/logs/a", "/api"] as const;
const verbs = ["get", "list", "watch", "create", "delete", "bind", "escalate"] as const;

export const resourceRule = fc.record({
  verbs: some(...verbs, "*"),
  apiGroups: some(...groups, "*"),
  resources: some(...resources, "*", "*/scale", "*/log"),
  resourceNames: fc.oneof({ weight: 3, arbitrary: fc.constant([]) }, some(...names)),
});
const pathRule = fc.record({
  verbs: some("get", "post", "*"),
  nonResourceURLs: some(...paths, "/logs/*", "*"),
});
const subject = fc.oneof(
  one(...users).map((name) => ({ kind: "User", apiGroup: api, name })),
  one(...teams, "system:authenticated", "system:unauthenticated").map((name) => ({
    kind: "Group",
    apiGroup: api,
    name,
  })),
  one(...namespaces).map((namespace) => ({ kind: "ServiceAccount", namespace, name: "dev" })),
);
export const role = fc.record({
  isOfCluster: fc.boolean(),
  namespace: one(...namespaces),
  rules: fc.array(resourceRule, { minLength: 1, maxLength: 3 }),
  paths: fc.array(pathRule, { maxLength: 1 }),
});
export const binding = fc.record({
  isOfCluster: fc.boolean(),
  namespace: one(...namespaces),
  /** Of the role; one behind the last is a role that is not there. */
  role: fc.nat(8),
  subjects: fc.uniqueArray(subject, { minLength: 1, maxLength: 2, selector: (item) => JSON.stringify(item) }),
});
const resourceRequest = fc
  .record({
    verb: one(...verbs, "update"),
    group: one(...groups),
    resource: one(...resources),
    namespace: one(...namespaces, ""),
    name: one(...names, ""),
  })
  .map(({ resource, ...rest }) => {
    const [plural = "", subresource = ""] = resource.split("/");
    return { resourceAttributes: { ...rest, resource: plural, subresource } };
  });
const pathRequest = fc
  .record({ verb: one("get", "post"), path: one(...paths, "/logs/a/b", "/version") })
  .map((nonResourceAttributes) => ({ nonResourceAttributes }));
const who = fc.record({ user: one(...users), groups: fc.uniqueArray(one(...teams, "system:authenticated")) });
export const request = fc.tuple(fc.oneof({ weight: 4, arbitrary: resourceRequest }, pathRequest), who);

export type Drawn<T> = T extends fc.Arbitrary<infer U> ? U : never;
