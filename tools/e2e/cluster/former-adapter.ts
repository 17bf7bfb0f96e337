// The manifests of a cluster that prometheus-adapter runs in, from which users migrate.

/** What prometheus-adapter's chart grants and runs, without what needs nodes. */
export const chart = (rules: string) => `
apiVersion: v1
kind: Namespace
metadata: { name: monitoring }
---
apiVersion: v1
kind: ServiceAccount
metadata: { name: prometheus-adapter, namespace: monitoring }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: prometheus-adapter-resource-reader }
rules:
  - { apiGroups: [""], resources: [namespaces, pods, services, configmaps], verbs: [get, list, watch] }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: { name: prometheus-adapter-metrics }
rules:
  - { apiGroups: [""], resources: [pods, nodes, nodes/stats], verbs: [get, list, watch] }
${[
  ["ClusterRoleBinding", "", "ClusterRole", "prometheus-adapter-resource-reader"],
  ["ClusterRoleBinding", "", "ClusterRole", "prometheus-adapter-metrics"],
  ["ClusterRoleBinding", "", "ClusterRole", "system:auth-delegator"],
  ["RoleBinding", ", namespace: kube-system", "Role", "extension-apiserver-authentication-reader"],
]
  .map(
    ([kind, namespace, roleKind, role], index) => `---
apiVersion: rbac.authorization.k8s.io/v1
kind: ${kind}
metadata: { name: prometheus-adapter-${index}${namespace} }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: ${roleKind}, name: "${role}" }
subjects: [{ kind: ServiceAccount, name: prometheus-adapter, namespace: monitoring }]
`,
  )
  .join("")}---
apiVersion: v1
kind: Service
metadata: { name: prometheus-adapter, namespace: monitoring }
spec: { type: ExternalName, externalName: localhost, ports: [{ name: https, port: 443 }] }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: prometheus-adapter, namespace: monitoring }
data:
  config.yaml: ${JSON.stringify(rules)}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: prometheus-adapter, namespace: monitoring }
spec:
  replicas: 1
  selector: { matchLabels: { app: prometheus-adapter } }
  template:
    metadata: { labels: { app: prometheus-adapter } }
    spec:
      serviceAccountName: prometheus-adapter
      containers: [{ name: prometheus-adapter, image: "registry.example/prometheus-adapter:v0.12.0" }]
`;

export const apiServices = [
  ["custom.metrics.k8s.io", "v1beta1"],
  ["external.metrics.k8s.io", "v1beta1"],
  ["metrics.k8s.io", "v1beta1"],
] as const;

/** The APIServices, at the port where the adapter listens. */
export const registeredAt = (port: number) =>
  apiServices
    .map(
      ([group, version]) => `apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${version}.${group} }
spec:
  group: ${group}
  version: ${version}
  service: { name: prometheus-adapter, namespace: monitoring, port: ${port} }
  insecureSkipTLSVerify: true
  groupPriorityMinimum: 100
  versionPriority: 100
`,
    )
    .join("---\n");
