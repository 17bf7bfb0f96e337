// The roles that every cluster has, with the rules for what the sandbox serves.
import { rbacGroup } from "../auth/rbac.ts";
import type { ObjectStore } from "../storage/object-store.ts";

interface Rule {
  readonly verbs: readonly string[];
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
}

const metadata = {
  labels: { "kubernetes.io/bootstrapping": "rbac-defaults" },
  annotations: { "rbac.authorization.kubernetes.io/autoupdate": "true" },
};
const reads = ["get", "list", "watch"];
const writes = ["create", "delete", "deletecollection", "patch", "update"];
const rule = (group: string, resources: readonly string[], verbs: readonly string[]): Rule => ({
  apiGroups: [group],
  resources,
  verbs,
});
const paths = (...nonResourceURLs: string[]): Rule => ({ nonResourceURLs, verbs: ["get"] });
const withScale = (...kinds: readonly string[]) => kinds.flatMap((kind) => [kind, `${kind}/scale`]);
const workloads = withScale("deployments", "replicasets", "statefulsets");
const health = ["/healthz", "/livez", "/readyz", "/version", "/version/"];

const configs = ["configmaps", "replicationcontrollers", "replicationcontrollers/scale", "serviceaccounts"];
const viewed: readonly Rule[] = [
  rule("", [...configs, "endpoints", "pods", "services", "services/status"], reads),
  rule(
    "",
    ["events", "namespaces/status", "pods/log", "pods/status", "replicationcontrollers/status"],
    reads,
  ),
  rule("", ["namespaces"], reads),
  rule("discovery.k8s.io", ["endpointslices"], reads),
  rule("apps", ["controllerrevisions", ...workloads], reads),
  rule("apps", ["deployments/status", "replicasets/status", "statefulsets/status"], reads),
  rule("autoscaling", ["horizontalpodautoscalers", "horizontalpodautoscalers/status"], reads),
  rule("policy", ["poddisruptionbudgets", "poddisruptionbudgets/status"], reads),
  rule("networking.k8s.io", ["ingresses", "ingresses/status"], reads),
];
const edited: readonly Rule[] = [
  rule(
    "",
    ["pods/attach", "pods/exec", "pods/portforward", "pods/proxy", "secrets", "services/proxy"],
    reads,
  ),
  rule("", ["serviceaccounts"], ["impersonate"]),
  rule("", ["pods", "pods/attach", "pods/exec", "pods/portforward", "pods/proxy"], writes),
  rule("", ["pods/eviction"], ["create"]),
  rule("", [...configs, "events", "secrets", "services", "services/proxy"], writes),
  rule("", ["serviceaccounts/token"], ["create"]),
  rule("apps", workloads, writes),
  rule("autoscaling", ["horizontalpodautoscalers"], writes),
  rule("policy", ["poddisruptionbudgets"], writes),
  rule("networking.k8s.io", ["ingresses"], writes),
  rule("coordination.k8s.io", ["leases"], [...writes, ...reads]),
];
const administered: readonly Rule[] = [
  rule("authorization.k8s.io", ["localsubjectaccessreviews"], ["create"]),
  rule(rbacGroup, ["roles", "rolebindings"], [...writes, ...reads]),
];
const own: readonly Rule[] = [
  rule("authorization.k8s.io", ["selfsubjectaccessreviews", "selfsubjectrulesreviews"], ["create"]),
  rule("authentication.k8s.io", ["selfsubjectreviews"], ["create"]),
];
const delegated: readonly Rule[] = [
  rule("authentication.k8s.io", ["tokenreviews"], ["create"]),
  rule("authorization.k8s.io", ["subjectaccessreviews"], ["create"]),
];

const roles: Readonly<Record<string, readonly Rule[]>> = {
  "cluster-admin": [rule("*", ["*"], ["*"]), { nonResourceURLs: ["*"], verbs: ["*"] }],
  "system:discovery": [paths("/api", "/api/*", "/apis", "/apis/*", "/openapi", "/openapi/*", ...health)],
  "system:public-info-viewer": [paths(...health)],
  "system:basic-user": own,
  "system:auth-delegator": delegated,
};

const aggregate = (name: string): string => `${rbacGroup}/aggregate-to-${name}`;
/** A user with one of them has those before it, too. */
const people = [
  ["view", viewed, "edit"],
  ["edit", edited, "admin"],
  ["admin", administered, undefined],
] as const;

const bindings: Readonly<Record<string, readonly string[]>> = {
  "cluster-admin": ["system:masters"],
  "system:discovery": ["system:authenticated"],
  "system:basic-user": ["system:authenticated"],
  "system:public-info-viewer": ["system:authenticated", "system:unauthenticated"],
};

/** The default roles and bindings of a cluster with RBAC. */
export function createBootstrapRoles(store: Pick<ObjectStore, "create">): void {
  const cluster = `clusterroles.${rbacGroup}`;
  for (const [name, rules] of Object.entries(roles))
    store.create(cluster, { metadata: { name, ...metadata }, rules });
  for (const [name, rules, next] of people) {
    const labels = { ...metadata.labels, [aggregate(name)]: "true" };
    store.create(cluster, { metadata: { ...metadata, name: `system:aggregate-to-${name}`, labels }, rules });
    const clusterRoleSelectors = [{ matchLabels: { [aggregate(name)]: "true" } }];
    const upward = next === undefined ? {} : { [aggregate(next)]: "true" };
    store.create(cluster, {
      metadata: { ...metadata, name, labels: { ...metadata.labels, ...upward } },
      aggregationRule: { clusterRoleSelectors },
      rules: [],
    });
  }
  for (const [name, groups] of Object.entries(bindings))
    store.create(`clusterrolebindings.${rbacGroup}`, {
      metadata: { name, ...metadata },
      roleRef: { apiGroup: rbacGroup, kind: "ClusterRole", name },
      subjects: groups.map((group) => ({ apiGroup: rbacGroup, kind: "Group", name: group })),
    });
  store.create(`roles.${rbacGroup}`, {
    metadata: { ...metadata, namespace: "kube-system", name: "extension-apiserver-authentication-reader" },
    rules: [{ ...rule("", ["configmaps"], reads), resourceNames: ["extension-apiserver-authentication"] }],
  });
}
