import { expect, test } from "vitest";
import { tableFor } from "../../src/tables/index.ts";
import { ago, block, nowMs, print } from "./print.ts";

test("services, endpoints and ingresses", () => {
  const metadata = (name: string) => ({ name, creationTimestamp: ago(86_400 * 3) });
  expect(
    print(
      "services",
      [
        {
          metadata: metadata("shop"),
          spec: {
            type: "ClusterIP",
            clusterIP: "10.96.0.7",
            clusterIPs: ["10.96.0.7"],
            ports: [
              { port: 80, protocol: "TCP" },
              { port: 53, protocol: "UDP" },
            ],
            selector: { app: "shop" },
          },
        },
        { metadata: metadata("headless"), spec: { type: "ClusterIP", clusterIP: "None", ports: [] } },
        {
          metadata: metadata("door"),
          spec: {
            type: "NodePort",
            clusterIP: "10.96.0.8",
            externalIPs: ["1.2.3.4"],
            ports: [{ port: 80, nodePort: 30080, protocol: "TCP" }],
          },
        },
        {
          metadata: metadata("cloud"),
          spec: {
            type: "LoadBalancer",
            clusterIP: "10.96.0.9",
            ports: [{ port: 443, nodePort: 31443, protocol: "TCP" }],
          },
          status: { loadBalancer: {} },
        },
        { metadata: metadata("alias"), spec: { type: "ExternalName", externalName: "shop.example.com" } },
      ],
      { wide: true },
    ),
  ).toBe(
    block(`
      NAME       TYPE           CLUSTER-IP   EXTERNAL-IP        PORT(S)         AGE   SELECTOR
      shop       ClusterIP      10.96.0.7    <none>             80/TCP,53/UDP   3d    app=shop
      headless   ClusterIP      None         <none>             <none>          3d    <none>
      door       NodePort       10.96.0.8    1.2.3.4            80:30080/TCP    3d    <none>
      cloud      LoadBalancer   10.96.0.9    <pending>          443:31443/TCP   3d    <none>
      alias      ExternalName   <none>       shop.example.com   <none>          3d    <none>
    `),
  );
  const addresses = ["10.64.0.1", "10.64.0.2", "10.64.0.3", "10.64.0.4"].map((ip) => ({ ip }));
  expect(
    print("endpoints", [
      { metadata: metadata("shop"), subsets: [{ addresses, ports: [{ port: 80 }] }] },
      { metadata: metadata("empty") },
    ]),
  ).toBe(
    block(`
      NAME    ENDPOINTS                                            AGE
      shop    10.64.0.1:80,10.64.0.2:80,10.64.0.3:80 + 1 more...   3d
      empty   <none>                                               3d
    `),
  );
  expect(
    print("ingresses.networking.k8s.io", [
      {
        metadata: metadata("main-route"),
        spec: { ingressClassName: "nginx", rules: [{ host: "a.example" }, { host: "b.example" }], tls: [{}] },
        status: { loadBalancer: { ingress: [{ ip: "1.2.3.4" }] } },
      },
      { metadata: metadata("plain"), spec: { rules: [{ http: {} }] } },
    ]),
  ).toBe(
    block(`
      NAME         CLASS    HOSTS                 ADDRESS   PORTS     AGE
      main-route   nginx    a.example,b.example   1.2.3.4   80, 443   3d
      plain        <none>   *                               80        3d
    `),
  );
});

test("namespaces, nodes, leases, API services and definitions", () => {
  const metadata = (name: string, more: object = {}) => ({
    name,
    creationTimestamp: ago(9 * 86_400),
    ...more,
  });
  expect(print("namespaces", [{ metadata: metadata("default"), status: { phase: "Active" } }])).toBe(
    block(`
      NAME      STATUS   AGE
      default   Active   9d
    `),
  );
  const nodeInfo = {
    kubeletVersion: "v1.37.0",
    osImage: "Plimsoll Sandbox",
    kernelVersion: "6.12.0",
    containerRuntimeVersion: "simulated://1.0.0",
  };
  const status = {
    nodeInfo,
    conditions: [{ type: "Ready", status: "True" }],
    addresses: [{ type: "InternalIP", address: "10.0.0.2" }],
  };
  expect(
    print("nodes", [
      { metadata: metadata("one", { labels: { "node-role.kubernetes.io/control-plane": "" } }), status },
      { metadata: metadata("two"), spec: { unschedulable: true }, status: { ...status, conditions: [] } },
    ]),
  ).toBe(
    block(`
      NAME   STATUS                       ROLES           AGE   VERSION
      one    Ready                        control-plane   9d    v1.37.0
      two    Unknown,SchedulingDisabled   <none>          9d    v1.37.0
    `),
  );
  expect(print("nodes", [{ metadata: metadata("one"), status }], { wide: true })).toBe(
    block(`
      NAME   STATUS   ROLES    AGE   VERSION   INTERNAL-IP   EXTERNAL-IP   OS-IMAGE           KERNEL-VERSION   CONTAINER-RUNTIME
      one    Ready    <none>   9d    v1.37.0   10.0.0.2      <none>        Plimsoll Sandbox   6.12.0           simulated://1.0.0
    `),
  );
  expect(
    print("leases.coordination.k8s.io", [{ metadata: metadata("lock"), spec: { holderIdentity: "me_1" } }]),
  ).toBe(
    block(`
      NAME   HOLDER   AGE
      lock   me_1     9d
    `),
  );
  const condition = (status: string, reason: string) => ({
    conditions: [{ type: "Available", status, reason }],
  });
  const service = { namespace: "monitoring", name: "metrics-adapter" };
  expect(
    print("apiservices.apiregistration.k8s.io", [
      { metadata: metadata("v1.apps"), spec: {}, status: condition("True", "Local") },
      {
        metadata: metadata("v1beta1.metrics.k8s.io"),
        spec: { service },
        status: condition("True", "Passed"),
      },
      {
        metadata: metadata("v1beta2.custom.metrics.k8s.io"),
        spec: { service },
        status: condition("False", "FailedDiscoveryCheck"),
      },
      { metadata: metadata("v1beta1.external.metrics.k8s.io"), spec: { service } },
    ]),
  ).toBe(
    block(`
      NAME                              SERVICE                      AVAILABLE                      AGE
      v1.apps                           Local                        True                           9d
      v1beta1.metrics.k8s.io            monitoring/metrics-adapter   True                           9d
      v1beta2.custom.metrics.k8s.io     monitoring/metrics-adapter   False (FailedDiscoveryCheck)   9d
      v1beta1.external.metrics.k8s.io   monitoring/metrics-adapter   Unknown                        9d
    `),
  );
  expect(
    print("customresourcedefinitions.apiextensions.k8s.io", [
      { metadata: { name: "a.example.com", creationTimestamp: "2026-04-01T00:00:00Z" } },
    ]),
  ).toBe(
    block(`
      NAME            CREATED AT
      a.example.com   2026-04-01T00:00:00Z
    `),
  );
});

test("events, config maps, secrets and service accounts", () => {
  const involvedObject = { kind: "HorizontalPodAutoscaler", name: "router", namespace: "default" };
  const core = {
    metadata: { name: "router.17a" },
    involvedObject,
    type: "Normal",
    reason: "SuccessfulRescale",
    message: "New size: 4; reason: pods metric packets-per-second above target\n",
    firstTimestamp: ago(600),
    lastTimestamp: ago(90),
    count: 3,
    source: { component: "horizontal-pod-autoscaler" },
  };
  const modern = {
    metadata: { name: "router.17b" },
    involvedObject: { ...involvedObject, fieldPath: "spec.containers{main}" },
    type: "Warning",
    reason: "FailedGetScale",
    message: "no",
    eventTime: "2026-05-01T09:59:00.123456Z",
    series: { count: 7, lastObservedTime: ago(5) },
    reportingComponent: "plimsoll",
    reportingInstance: "one",
  };
  expect(print("events", [core, modern])).toBe(
    block(`
      LAST SEEN   TYPE      REASON              OBJECT                           MESSAGE
      90s         Normal    SuccessfulRescale   horizontalpodautoscaler/router   New size: 4; reason: pods metric packets-per-second above target
      5s          Warning   FailedGetScale      horizontalpodautoscaler/router   no
    `),
  );
  expect(print("events", [modern], { wide: true })).toBe(
    block(`
      LAST SEEN   TYPE      REASON           OBJECT                           SUBOBJECT               SOURCE          MESSAGE   FIRST SEEN   COUNT   NAME
      5s          Warning   FailedGetScale   horizontalpodautoscaler/router   spec.containers{main}   plimsoll, one   no        59s          7       router.17b
    `),
  );
  const metadata = { name: "thing", creationTimestamp: ago(1) };
  expect(print("configmaps", [{ metadata, data: { a: "1", b: "2" }, binaryData: { c: "" } }])).toBe(
    "NAME    DATA   AGE\nthing   3      1s",
  );
  expect(print("secrets", [{ metadata, type: "Opaque", data: { a: "" } }])).toBe(
    "NAME    TYPE     DATA   AGE\nthing   Opaque   1      1s",
  );
  expect(print("serviceaccounts", [{ metadata }])).toBe("NAME    SECRETS   AGE\nthing   0         1s");
});

test("a resource without columns of its own has no table", () => {
  expect(tableFor("widgets.example.com", [], { nowMs })).toBeUndefined();
});

test("every row has a cell for every column, also for an empty object", () => {
  const resources = [
    "pods",
    "deployments.apps",
    "replicasets.apps",
    "statefulsets.apps",
    "replicationcontrollers",
    "services",
    "namespaces",
    "nodes",
    "events",
    "configmaps",
    "secrets",
    "serviceaccounts",
    "endpoints",
    "ingresses.networking.k8s.io",
    "horizontalpodautoscalers.autoscaling",
    "leases.coordination.k8s.io",
    "apiservices.apiregistration.k8s.io",
    "customresourcedefinitions.apiextensions.k8s.io",
  ];
  for (const resource of resources) {
    const table = tableFor(resource, [{ metadata: { name: "bare" } }], { nowMs });
    expect([resource, table?.rows[0]?.cells.length]).toEqual([resource, table?.columnDefinitions.length]);
    expect([resource, table?.rows[0]?.cells.includes(undefined)]).toEqual([resource, false]);
  }
});
