import { describe, expect, test, vi } from "vitest";
import type { AuthorizeHook } from "../../src/index.ts";
import { metricsAnswer, startBackend } from "../api/tls-backend.ts";
import { type KubectlRig, kubectlPath, shopManifest, withKubectl } from "./kubectl-rig.ts";

const found = kubectlPath();
if (found === undefined) console.warn("kubectl is not on this machine: its tests are left out");
const kubectl = found ?? "kubectl";
const slow = { timeout: 60_000 };

// Bob is the one who may not delete.
const authorize: AuthorizeHook = ({ user, verb }) =>
  user.username === "bob" && verb.startsWith("delete") ? { allowed: false } : undefined;

async function withShop({ run, file }: KubectlRig): Promise<string> {
  const manifest = await file("shop.yaml", shopManifest);
  await run("apply", "-f", manifest);
  await run("rollout", "status", "deployment/shop", "--timeout=20s");
  return manifest;
}

describe.runIf(found !== undefined)("kubectl against the sandbox", () => {
  test("kubectl apply, diff, get, describe and rollout a deployment", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, attempt, file } = rig;
        const manifest = await withShop(rig);
        expect(await run("apply", "-f", manifest)).toBe("deployment.apps/shop unchanged\n");
        const changed = await file(
          "changed.yaml",
          shopManifest.replace("shop:1", "shop:2").replace("100m", "200m"),
        );
        const diff = await attempt("diff", "-f", changed);
        expect(diff.code).toBe(1);
        expect(diff.stdout).toContain("+      - image: shop:2");
        expect(await run("apply", "-f", changed)).toBe("deployment.apps/shop configured\n");
        expect(await run("rollout", "status", "deployment/shop", "--timeout=20s")).toContain(
          "successfully rolled out",
        );
        expect(await run("get", "deployments")).toMatch(
          /NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nshop +2\/2 +2 +2 /,
        );
        const described = await run("describe", "deployment", "shop");
        expect(described).toContain("Image:      shop:2");
        expect(described).toMatch(
          /Replicas: +2 desired \| 2 updated \| 2 total \| 2 available \| 0 unavailable/,
        );
        expect(await run("rollout", "history", "deployment/shop")).toMatch(/1 +<none>\n2 +<none>/);
        await run("rollout", "undo", "deployment/shop");
        expect(
          await run("get", "deploy", "shop", "-o", "jsonpath={.spec.template.spec.containers[0].image}"),
        ).toBe("shop:1");
        expect(await run("get", "all")).toContain("replicaset.apps/shop-");
      },
      { authorize },
    ),
  );

  test("kubectl scale and autoscale", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, attempt } = rig;
        await withShop(rig);
        expect(await run("scale", "deployment/shop", "--replicas=3")).toBe("deployment.apps/shop scaled\n");
        const guarded = await attempt("scale", "deployment/shop", "--replicas=4", "--current-replicas=9");
        expect([guarded.code, guarded.stderr.trim()]).toEqual([1, "error: Expected replicas to be 9, was 3"]);
        await run("autoscale", "deployment", "shop", "--min=2", "--max=5", "--cpu-percent=50");
        expect(await run("get", "hpa", "shop")).toMatch(/shop +Deployment\/shop +cpu: <unknown>\/50% +2 +5 /);
        const described = await run("describe", "hpa", "shop");
        expect(described).toMatch(/Reference: +Deployment\/shop/);
        expect(described).toMatch(/resource cpu on pods +\(as a percentage of request\): +<unknown> \/ 50%/);
        const old = await run("get", "horizontalpodautoscalers.v1.autoscaling", "shop", "-o", "yaml");
        expect(old).toContain("targetCPUUtilizationPercentage: 50");
      },
      { authorize },
    ),
  );

  test("kubectl get -w shows changes, and wait waits", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, follow } = rig;
        await withShop(rig);
        const watching = follow(["get", "deployment", "shop", "-w"], (text) => / 3\/3 /.test(text));
        await run("scale", "deployment/shop", "--replicas=3");
        const lines = (await watching).trim().split("\n");
        expect(lines.filter((line) => line.startsWith("NAME"))).toHaveLength(1);
        expect(await run("wait", "--for=condition=Available", "deployment/shop", "--timeout=20s")).toContain(
          "condition met",
        );
        expect(
          await run("wait", "--for=jsonpath={.status.readyReplicas}=3", "deployment/shop", "--timeout=20s"),
        ).toContain("condition met");
      },
      { authorize },
    ),
  );

  test("kubectl delete waits for the object to be gone", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run } = rig;
        const manifest = await withShop(rig);
        expect(await run("delete", "-f", manifest, "--cascade=foreground", "--timeout=20s")).toBe(
          'deployment.apps "shop" deleted\n',
        );
        expect(await run("get", "pods", "-o", "name")).toBe("");
        await run("create", "namespace", "team");
        await run("create", "configmap", "c", "--namespace=team", "--from-literal=a=b");
        expect(await run("delete", "namespace", "team", "--timeout=20s")).toBe('namespace "team" deleted\n');
      },
      { authorize },
    ),
  );

  test("kubectl apply --server-side owns fields and reports conflicts", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, attempt, file } = rig;
        const manifest = await file("shop.yaml", shopManifest);
        expect(await run("apply", "--server-side", "-f", manifest)).toBe(
          "deployment.apps/shop serverside-applied\n",
        );
        await run("scale", "deployment/shop", "--replicas=4");
        const refused = await attempt("apply", "--server-side", "-f", manifest);
        expect(refused.code).toBe(1);
        expect(refused.stderr).toMatch(
          /conflict with "kubectl[.\d]*" with subresource "scale" using apps\/v1: \.spec\.replicas/,
        );
        await run("apply", "--server-side", "--force-conflicts", "-f", manifest);
        expect(await run("get", "deploy", "shop", "-o", "jsonpath={.spec.replicas}")).toBe("2");
      },
      { authorize },
    ),
  );

  test("kubectl changes objects in every other way it has", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, attempt } = rig;
        const manifest = await withShop(rig);
        await run("label", "deployment/shop", "tier=front");
        await run("annotate", "deployment/shop", "note=x");
        await run("set", "image", "deployment/shop", "main=shop:7");
        await run(
          "patch",
          "deployment",
          "shop",
          "--type=json",
          "-p",
          '[{"op":"replace","path":"/spec/replicas","value":1}]',
        );
        await run("patch", "deployment", "shop", "--type=merge", "-p", '{"spec":{"paused":true}}');
        const object = JSON.parse(await run("get", "deployment", "shop", "-o", "json"));
        expect(object).toMatchObject({
          metadata: { labels: { tier: "front" }, annotations: { note: "x" } },
          spec: { replicas: 1, paused: true, template: { spec: { containers: [{ image: "shop:7" }] } } },
        });
        await run("replace", "-f", manifest);
        await run("create", "deployment", "web", "--image=web:1", "--port=80");
        await run("expose", "deployment", "web", "--port=80");
        await run("create", "ingress", "main", "--rule=shop.example/*=web:80");
        await run("create", "secret", "generic", "key", "--from-literal=a=b");
        await run("create", "serviceaccount", "robot");
        await run("create", "role", "reader", "--verb=get", "--resource=pods");
        await run("create", "rolebinding", "readers", "--role=reader", "--serviceaccount=default:robot");
        await run("run", "once", "--image=once:1");
        expect((await run("create", "token", "robot")).split(".")).toHaveLength(3);
        expect(await run("get", "service,ingress,secret", "-o", "name")).toBe(
          "service/web\ningress.networking.k8s.io/main\nsecret/key\n",
        );
        expect(await run("create", "configmap", "c", "--dry-run=server", "-o", "name")).toBe("configmap/c\n");
        const bad = await attempt("create", "configmap", "Bad_Name");
        expect(bad.stderr).toContain('ConfigMap "Bad_Name" is invalid: metadata.name: Invalid value');
      },
      { authorize },
    ),
  );

  test("kubectl asks what there is, who it is and what it may", slow, () =>
    withKubectl(
      kubectl,
      async ({ run, attempt }) => {
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
      },
      { authorize },
    ),
  );

  test("kubectl refuses fields that a kind does not have, as an API server does", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, attempt, file } = rig;
        const wrong = await file("wrong.yaml", shopManifest.replace("replicas: 2", "replica: 2"));
        const cannot = `Error from server (BadRequest): error when creating "${wrong}": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"\n`;
        expect((await attempt("apply", "-f", wrong)).stderr).toBe(cannot);
        expect((await attempt("create", "-f", wrong)).stderr).toBe(cannot);
        expect((await attempt("apply", "--server-side", "-f", wrong)).stderr).toBe(
          "Error from server: failed to create typed patch object (default/shop; apps/v1, Kind=Deployment): .spec.replica: field not declared in schema\n",
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
      },
      { authorize },
    ),
  );

  test("kubectl apply takes a container away that is no longer in the manifest", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
        const { run, file } = rig;
        const two = `${shopManifest}      - name: side\n        image: side:1\n`;
        await run("apply", "-f", await file("two.yaml", two));
        const names = ["get", "deploy", "shop", "-o", "jsonpath={.spec.template.spec.containers[*].name}"];
        expect(await run(...names)).toBe("main side");
        await run("apply", "-f", await file("one.yaml", shopManifest));
        expect(await run(...names)).toBe("main");
      },
      { authorize },
    ),
  );

  test("kubectl explain goes into built-in kinds, and logs says that there are none", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
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
      },
      { authorize },
    ),
  );

  test("kubectl defines a resource and uses it at once", slow, () =>
    withKubectl(
      kubectl,
      async ({ run, file }) => {
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
        await run("wait", "--for=condition=Established", "crd/farms.example.dev", "--timeout=10s");
        const farm = await file(
          "farm.yaml",
          "apiVersion: example.dev/v1\nkind: Farm\nmetadata: {name: north}\nspec: {size: 2}\n",
        );
        expect(await run("apply", "-f", farm)).toBe("farm.example.dev/north created\n");
        await run("scale", "farms/north", "--replicas=5");
        expect(await run("get", "fm", "north", "-o", "jsonpath={.spec.size}")).toBe("5");
        expect(await run("explain", "farms.spec.size")).toContain("How many fields.");
      },
      { authorize },
    ),
  );

  test("kubectl top and get --raw go through the aggregation layer", slow, () =>
    withKubectl(
      kubectl,
      async (rig) => {
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
          await run(
            "wait",
            "--for=condition=Available",
            "apiservice/v1beta1.metrics.k8s.io",
            "--timeout=10s",
          );
          await vi.waitFor(async () => expect(await run("top", "pods")).toMatch(/web-1 +250m +10Mi/), {
            timeout: 10_000,
          });
          const raw = JSON.parse(
            await run("get", "--raw", "/apis/metrics.k8s.io/v1beta1/namespaces/default/pods"),
          );
          expect(raw.kind).toBe("PodMetricsList");
          expect(backend.requests.at(-1)?.headers["x-remote-user"]).toBe("admin");
        } finally {
          await backend.close();
        }
      },
      { authorize },
    ),
  );
});
