import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { metricsAnswer, startBackend } from "../api/tls-backend.ts";
import {
  type KubectlRig,
  kubectlPath,
  type SharedSandbox,
  shopManifest,
  startShared,
  withShop,
} from "./kubectl-rig.ts";

const found = kubectlPath();
if (found === undefined) console.warn("kubectl is not on this machine: its tests are left out");
const kubectl = found ?? "kubectl";
/** It gives up after 30 s by itself, which a busy machine may need. */
const withLimit = "--timeout=100s";

describe.runIf(found !== undefined)("kubectl against the sandbox", () => {
  let shared: SharedSandbox;
  beforeAll(async () => {
    shared = await startShared(kubectl);
  });
  afterAll(() => shared?.stop());

  test("kubectl reads discovery, its identity and its permissions", () =>
    shared.use(async ({ run, attempt }) => {
      expect(JSON.parse(await run("version", "-o", "json"))).toMatchObject({
        serverVersion: { major: "1" },
      });
      expect(await run("api-resources")).toMatch(/horizontalpodautoscalers +hpa +autoscaling\/v2 +true/);
      expect(await run("api-versions")).toContain("autoscaling/v1\n");
      expect(await run("get", "--raw", "/readyz")).toBe("ok");
      expect(await run("auth", "can-i", "create", "deployments")).toBe("yes\n");
      expect(await run("auth", "whoami")).toMatch(/Username +admin/);
      expect((await attempt("auth", "can-i", "delete", "pods", "--as=bob")).stdout).toBe("no\n");
      const denied = await attempt("delete", "configmap", "kube-root-ca.crt", "--as=bob");
      expect(denied.stderr).toContain('User "bob" cannot delete');
      expect(await run("explain", "hpa")).toMatch(/KIND: +HorizontalPodAutoscaler/);
      expect((await attempt("get", "gadgets")).stderr).toContain(`doesn't have a resource type "gadgets"`);
      expect((await attempt("get", "pods", "none")).stderr).toBe(
        'Error from server (NotFound): pods "none" not found\n',
      );
      expect(await run("get", "namespaces", "--chunk-size=1", "-o", "name")).toContain(
        "namespace/kube-system\n",
      );
    }));

  test("kubectl refuses fields that a kind does not have, as an API server does", () =>
    shared.use(async (rig) => {
      const { run, attempt, file, namespace } = rig;
      const wrong = await file("wrong.yaml", shopManifest.replace("replicas: 2", "replica: 2"));
      const cannot = `Error from server (BadRequest): error when creating "${wrong}": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"\n`;
      expect((await attempt("apply", "-f", wrong)).stderr).toBe(cannot);
      expect((await attempt("create", "-f", wrong)).stderr).toBe(cannot);
      expect((await attempt("apply", "--server-side", "-f", wrong)).stderr).toBe(
        `Error from server: failed to create typed patch object (${namespace}/shop; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema\n`,
      );
      expect((await attempt("apply", "--validate=warn", "-f", wrong)).stderr).toContain(
        'Warning: unknown field "spec.replica"\n',
      );
      expect(await run("get", "deploy", "shop", "-o", "jsonpath={.spec}")).not.toContain('"replica"');
      const patched = await attempt("apply", "-f", wrong);
      expect(patched.code).toBe(1);
      expect(patched.stderr).toBe(
        'The request is invalid: patch: Invalid value: "map[spec:map[replica:2]]": strict decoding error: unknown field "spec.replica"\n',
      );
    }));

  test("kubectl explain goes into built-in kinds, and logs says that there are none", () =>
    shared.use(async (rig) => {
      const { run, attempt } = rig;
      const container = await run("explain", "deployment.spec.template.spec.containers");
      expect(container).toContain("FIELD: containers <[]Container>");
      expect(container).toMatch(/^ {2}resources\t<ResourceRequirements>$/m);
      expect(container).toMatch(/^ {2}volumeMounts\t<\[\]VolumeMount>$/m);
      expect(await run("explain", "hpa.spec.maxReplicas")).toContain("FIELD: maxReplicas <integer>");
      expect(await run("explain", "pods", "--recursive")).toMatch(/livenessProbe\t<Probe>/);
      expect(await run("explain", "hpa")).toContain("see the API reference of Kubernetes");
      expect((await attempt("explain", "hpa.spec.none")).stderr).toContain('field "none" does not exist');
      await withShop(rig);
      const [pod = ""] = (await run("get", "pods", "-o", "name")).split("\n");
      expect((await attempt("logs", pod)).stderr).toBe(
        `Error from server (BadRequest): pod "${pod.slice("pod/".length)}" is simulated: it runs no process, so it has no log\n`,
      );
    }));

  test("kubectl defines a resource and uses it at once", () =>
    shared.use(async ({ run, file }) => {
      const definition = await file(
        "crd.yaml",
        `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: farms.example.dev}
spec:
  group: example.dev
  scope: Namespaced
  names: {plural: farms, kind: Farm, shortNames: [fm]}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {scale: {specReplicasPath: .spec.size, statusReplicasPath: .status.size}}
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, properties: {size: {type: integer, description: How many fields.}}}
`,
      );
      await run("apply", "-f", definition);
      await run("wait", withLimit, "--for=condition=Established", "crd/farms.example.dev");
      const farm = await file(
        "farm.yaml",
        "apiVersion: example.dev/v1\nkind: Farm\nmetadata: {name: north}\nspec: {size: 2}\n",
      );
      expect(await run("apply", "-f", farm)).toBe("farm.example.dev/north created\n");
      await run("scale", "farms/north", "--replicas=5");
      expect(await run("get", "fm", "north", "-o", "jsonpath={.spec.size}")).toBe("5");
      expect(await run("explain", "farms.spec.size")).toContain("How many fields.");
    }));

  /** A group whose backend is gone stands in the way of every kubectl that looks at what there is. */
  async function alone(use: (rig: KubectlRig) => Promise<void>): Promise<void> {
    const own = await startShared(kubectl);
    try {
      await own.use(use);
    } finally {
      await own.stop();
    }
  }

  test("kubectl top and get --raw go through the aggregation layer", () =>
    alone(async (rig) => {
      const { run, sandbox } = rig;
      const data = sandbox.store.get("configmaps", "kube-system", "extension-apiserver-authentication")?.[
        "data"
      ] as Record<string, string> | undefined;
      const backend = await startBackend({
        serviceName: "adapter.default.svc",
        clientCaPem: data?.["requestheader-client-ca-file"] ?? "",
        answer: metricsAnswer,
      });
      try {
        const manifest = await rig.file(
          "apiservice.yaml",
          `apiVersion: v1
kind: Service
metadata: {name: adapter, namespace: default}
spec: {type: ExternalName, externalName: 127.0.0.1}
---
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.k8s.io}
spec:
  group: metrics.k8s.io
  version: v1beta1
  service: {name: adapter, namespace: default, port: ${backend.port}}
  caBundle: ${backend.caBundle}
  groupPriorityMinimum: 100
  versionPriority: 10
`,
        );
        await run("apply", "-f", manifest);
        await run("wait", withLimit, "--for=condition=Available", "apiservice/v1beta1.metrics.k8s.io");
        await expect
          .poll(() => run("top", "pods", "--namespace=default").catch(String))
          .toMatch(/web-1 +250m +10Mi/);
        const raw = JSON.parse(
          await run("get", "--raw", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"),
        );
        expect(raw.kind).toBe("PodMetricsList");
        expect(backend.requests.at(-1)?.headers["x-remote-user"]).toBe("admin");
      } finally {
        await backend.close();
      }
    }));
});
