import { createSandbox, type Sandbox } from "@plimsoll/sandbox";

/** A kube API with the objects that the requests are about; `gone-1` has series and no pod, `idle-1` the reverse. */
export function createCluster(): Sandbox {
  const sandbox = createSandbox({ workloads: false });
  const create = (
    resource: string,
    [apiVersion, kind, namespace, name]: readonly [string, string, string | undefined, string],
    labels: Readonly<Record<string, string>>,
    rest: object = {},
  ) => {
    const metadata = { name, labels, ...(namespace === undefined ? {} : { namespace }) };
    sandbox.store.create(resource, { apiVersion, kind, metadata, ...rest });
  };
  for (const name of ["shop", "other"]) create("namespaces", ["v1", "Namespace", undefined, name], {});
  for (const [namespace, name, app, phase] of [
    ["shop", "web-1", "web", "Running"],
    ["shop", "web-2", "web", "Running"],
    ["shop", "api-1", "api", "Running"],
    ["shop", "idle-1", "idle", "Running"],
    ["shop", "done-1", "done", "Succeeded"],
    ["other", "web-1", "web", "Running"],
  ] as const) {
    create("pods", ["v1", "Pod", namespace, name], { app, "app.kubernetes.io/name": app }, pod(phase));
  }
  for (const name of ["began-1", "began-2"]) {
    create("pods", ["v1", "Pod", "shop", name], { app: "began" }, pod("Running", [{ name: "init" }]));
  }
  create("services", ["v1", "Service", "shop", "web"], { app: "web" });
  create("deployments.apps", ["apps/v1", "Deployment", "shop", "web"], { app: "web" });
  create("ingresses.networking.k8s.io", ["networking.k8s.io/v1", "Ingress", "shop", "front"], {});
  for (const name of ["node-1", "node-2"]) create("nodes", ["v1", "Node", undefined, name], { zone: name });
  return sandbox;
}

function pod(phase: string, initContainers: readonly { readonly name: string }[] = []) {
  return {
    spec: { nodeName: "node-1", containers: [{ name: "app" }, { name: "side" }], initContainers },
    status: { phase, conditions: [{ type: "Ready", status: "True" }] },
  };
}
