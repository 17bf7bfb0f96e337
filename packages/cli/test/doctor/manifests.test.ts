// The doctor on manifests, and on rules of the adapter.
import { expect, test } from "vitest";
import { doctor, doctorServer } from "./api-server.ts";
import { example } from "./doctor-rig.ts";

test("nor names of manifests, as names or in commands to type", async () => {
  const name = "a\u001b[31m; touch /tmp/x #";
  const manifest = JSON.stringify({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      minReplicas: 3,
      maxReplicas: 3,
    },
  });
  const readText = () => Promise.resolve(manifest);
  for (const format of ["name", "table"]) {
    const { out } = await doctor(doctorServer(), ["-f", "-", "-o", format, "--only=PL-031"], { readText });
    expect(out).toContain("a\\x1b[31m");
    expect(out).not.toContain("\u001b");
  }
});

test("-f takes limits and those of a LimitRange for requests where there are none, as the API server does with pods", async () => {
  const container = "name: main, resources: {limits: {cpu: 1}}";
  const file = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, minReplicas: 2, maxReplicas: 4}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {template: {spec: {containers: [{${container}}], initContainers: [{${container}, restartPolicy: Always}]}}}
`;
  const found = async (text: string) => {
    const { out } = await doctor(doctorServer(), ["-f", "all.yaml", "-o", "json"], {
      readText: () => Promise.resolve(text),
    });
    return JSON.parse(out).findings.map(({ id, fix }: { id: string; fix: string }) => [
      id,
      fix.split(":")[0],
    ]);
  };
  expect(await found(file)).toEqual([]);
  expect(await found(file.replaceAll("cpu: 1", "memory: 1"))).toEqual([
    ["PL-014", expect.stringMatching("request")],
  ]);
  const withLimits = (limits: string, metadata = "{name: l}") =>
    `${file.replaceAll("cpu: 1", "memory: 1")}---\napiVersion: v1\nkind: LimitRange\nmetadata: ${metadata}\nspec: {limits: [${limits}]}\n`;
  for (const field of ["defaultRequest", "default", "max", "min"])
    expect(await found(withLimits(`{type: Container, ${field}: {cpu: 100m}}`))).toEqual([]);
  const missing = [["PL-014", expect.stringMatching("request")]];
  expect(await found(withLimits("{type: Pod, max: {cpu: 1}}"))).toEqual(missing);
  expect(await found(withLimits("{type: Container, max: {cpu: 1}}", "{name: l, namespace: b}"))).toEqual(
    missing,
  );
  const target = "target: {type: Utilization, averageUtilization: 60}";
  const metrics = `metrics: [{type: Resource, resource: {name: CPU, ${target}}}]`;
  expect(await found(file.replace("maxReplicas: 4", `maxReplicas: 4, ${metrics}`))).toEqual([
    ["PL-014", "metrics.k8s.io has cpu and memory only"],
  ]);
});

test.each([
  ["apps/v1", "Deployment", undefined],
  ["apps/v1beta1", "StatefulSet", undefined],
  ["v1", "ReplicationController", undefined],
  ["argoproj.io/v1alpha1", "Rollout", undefined],
  ["apps/v1", "DaemonSet", "the target has no scale subresource"],
  ["batch/v1", "Job", "the target has no scale subresource"],
  ["v1", "Pod", "the target has no scale subresource"],
  ["apps/v1", "deployment", "the API server does not know the target's kind"],
  ["apps/v1", "StatefulSets", "the API server does not know the target's kind"],
  ["v1", "Deployment", "the API server does not know the target's kind"],
  ["extensions/v1beta1", "Deployment", "the API server does not know the target's kind"],
])("-f says of a target %s %s: %s", async (apiVersion, kind, title) => {
  const object = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop" },
    spec: { scaleTargetRef: { apiVersion, kind, name: "shop" }, minReplicas: 2, maxReplicas: 4 },
  };
  const { out } = await doctor(doctorServer(), ["-f", "all.yaml", "-o", "json"], {
    readText: () => Promise.resolve(JSON.stringify(object)),
  });
  const { findings } = JSON.parse(out) as { readonly findings: readonly { id: string; title: string }[] };
  expect(findings.map((one) => [one.id, one.title])).toEqual(title === undefined ? [] : [["PL-010", title]]);
  const isWrongGroup = title?.includes("kind") === true;
  expect(out.includes(`apps/v1 ${kind.startsWith("Stateful") ? "StatefulSet" : "Deployment"}"`)).toBe(
    isWrongGroup,
  );
});

test("-f names both places of an object that is there twice", async () => {
  const hpa = (version: string, namespace = "") =>
    `apiVersion: autoscaling/${version}\nkind: HorizontalPodAutoscaler\nmetadata: {name: shop${namespace}}\nspec: {scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}, maxReplicas: 4}\n`;
  const run = (a: string, b: string) =>
    doctor(doctorServer(), ["-n", "web", "-f", "a.yaml", "b.yaml"], {
      readText: async (path) => (path === "a.yaml" ? a : b),
    });
  const both =
    'metadata\\.name "shop" is the HorizontalPodAutoscaler of a\\.yaml:3, and the one applied last wins';
  const twice = await run(hpa("v1"), `---\n${hpa("v2", ", namespace: web")}`);
  expect([twice.code, twice.err]).toEqual([
    0,
    expect.stringMatching(`^note: b\\.yaml:4:18: document 1: ${both}`),
  ]);
  const { code, err } = await run(`${hpa("v1")}---\n${hpa("v2")}`, "");
  expect([code, err]).toEqual([1, expect.stringMatching(`error: a\\.yaml:8:18: document 2: ${both}`)]);
  expect((await run(hpa("v2"), hpa("v2", ", namespace: b"))).err).not.toContain("wins");
});

test("-f finds what manifests show", async () => {
  const target = "scaleTargetRef: {apiVersion: apps/v1, kind: Deployment, name: shop}";
  const file = `
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop}
spec: {${target}, minReplicas: 2, maxReplicas: 4}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: {name: shop-2}
spec: {${target}, minReplicas: 2, maxReplicas: 2}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: shop}
spec: {template: {metadata: {labels: {app: shop}}, spec: {containers: [{name: main}]}}}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata: {name: shop}
spec: {minAvailable: 2, selector: {matchLabels: {app: shop}}}
`;
  const { code, out } = await doctor(doctorServer(), ["-f", "all.yaml", "-o", "json"], {
    readText: () => Promise.resolve(file),
  });
  const found = JSON.parse(out).findings.map(
    ({ id, object }: { id: string; object: { name: string } }) => `${object.name} ${id}`,
  );
  expect([code, found]).toEqual([
    2,
    [
      "shop PL-001",
      "shop PL-014",
      "shop PL-036",
      "shop-2 PL-001",
      "shop-2 PL-014",
      "shop-2 PL-036",
      "shop-2 PL-031",
    ],
  ]);
  const broken = await doctor(doctorServer(), ["-f", "all.yaml"], {
    readText: () => Promise.resolve(`${file}---\nkind: [\n`),
  });
  expect([broken.code, broken.err]).toEqual([
    1,
    expect.stringMatching(/^note: .*\nerror: all\.yaml:\d+:\d+: document 5: is not YAML/),
  ]);
});

const adapterLabels = {
  "app.kubernetes.io/part-of": "plimsoll",
  "app.kubernetes.io/component": "metrics-adapter",
};

const readyz = "/api/v1/namespaces/plimsoll/services/https:adapter:443/proxy/readyz";

/** The example with a MetricRule that is refused, and our adapter, which says more than "ok". */
function withAdapter(): ReturnType<typeof example> {
  const server = example();
  server.put(
    {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "MetricRule",
      metadata: { name: "rate", namespace: "pay", creationTimestamp: "2026-11-22T08:00:00Z" },
      spec: { type: "Pods", query: 'rate(a{namespace="other"}[1m])' },
      status: {
        conditions: [
          { type: "Accepted", status: "False", reason: "NamespaceMatcher", message: "remove the matcher" },
        ],
      },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "adapter", namespace: "plimsoll", labels: adapterLabels },
      spec: { ports: [{ port: 443 }] },
    },
  );
  server.replyText(
    readyz,
    "[+]ping ok\n[+]metrics ok\n[+]backends ok: backends that are down: keda: it does not respond\nreadyz check passed\n",
  );
  return server;
}

test("a MetricRule that is refused, and a backend of the adapter that is down", async () => {
  const { out } = await doctor(withAdapter(), ["-n", "pay", "--only", "PL-047,PL-048"]);
  expect(out).toContain("the MetricRule was rejected: NamespaceMatcher");
  expect(out).toContain("remove the matcher");
  expect(out).toContain("a backend of the metrics adapter is down");
  expect(out).toContain("backends that are down: keda: it does not respond");
});

test("where the adapter's Service may not be reached, the rule is skipped with the reason", async () => {
  const server = withAdapter();
  server.deny(/proxy/);
  const { out } = await doctor(server, ["-n", "pay", "--only", "PL-048"]);
  expect(out).toContain(`PL-048 (may not get ${readyz})`);
});
