import { expect, test } from "vitest";
import { stringify } from "yaml";
import { convertKeda, prometheus, scaledObject } from "./keda-objects.ts";
import { convert, documentsOf, type Fields, paths, runConvert, specOf } from "./rig.ts";

test.each<[annotation: string, value: string, spec: Fields, notes: readonly string[]]>([
  ["paused", "true", { mode: "Paused", pause: { reason: "paused by an annotation of KEDA" } }, []],
  ["paused", "no boolean", { mode: "Paused" }, []],
  ["paused", "false", { mode: undefined }, []],
  [
    "paused-replicas",
    "3",
    { mode: "Paused" },
    ['metadata.annotations["autoscaling.keda.sh/paused-replicas"]'],
  ],
  ["paused-scale-in", "true", { behavior: { scaleDown: { selectPolicy: "Disabled" } } }, []],
  ["paused-scale-out", "true", { behavior: { scaleUp: { selectPolicy: "Disabled" } } }, []],
])("the annotation %s: %s", async (annotation, value, spec, notes) => {
  const annotations = { team: "a", [`autoscaling.keda.sh/${annotation}`]: value };
  const converted = await convertKeda({}, { annotations });
  expect(converted.objects[0]?.["metadata"]).toHaveProperty(["annotations"], { team: "a" });
  expect({ mode: undefined, ...specOf(converted) }).toMatchObject(spec);
  expect(paths(converted.notes)).toEqual(notes);
});

test("force-activation keeps the replicas of an active object", async () => {
  const annotations = { "autoscaling.keda.sh/force-activation": "true" };
  const converted = await convertKeda({ minReplicaCount: 0 }, { annotations });
  expect(specOf(converted)["minReplicas"]).toBe(1);
  expect(paths(converted.notes)).toEqual(["spec.minReplicaCount"]);
});

test("a secret of a server is in no output", async () => {
  const trigger = prometheus({
    serverAddress: "https://user:hunter22@mimir.example/prometheus/",
    customHeaders: "X-Scope-OrgID=team-a,Authorization=Bearer hunter22,X-Api-Token=hunter22",
    timeout: "1500",
    unsafeSsl: "true",
  });
  const text = stringify(scaledObject({ triggers: [trigger] }));
  const converted = await convert(text);
  expect(converted.sources).toEqual([
    {
      name: "default",
      url: "https://mimir.example/prometheus",
      headers: { "x-scope-orgid": "team-a" },
      tls: { insecureSkipVerify: true },
      query: { timeout: "1500ms" },
    },
  ]);
  expect(converted.notes).toHaveLength(3);
  expect(JSON.stringify(converted)).not.toContain("hunter22");
  for (const what of ["objects", "rules", "sources"]) {
    const { out, errors } = await runConvert(text, `--print=${what}`);
    expect(out + errors).not.toContain("hunter22");
  }
});

test("several servers are sources with names; a rule says which is its own", async () => {
  const { rules, sources } = await convertKeda({
    triggers: [
      prometheus(),
      prometheus({ serverAddress: "http://thanos.monitoring.svc:9090" }),
      prometheus({ serverAddress: "http://thanos.monitoring.svc:9091" }),
      prometheus({ query: "up" }),
    ],
  });
  expect(rules.map(({ source, name }) => [source, (name as Fields)["as"]])).toEqual([
    ["prometheus-monitoring", "web.shop.s0"],
    ["thanos-monitoring-svc", "web.shop.s1"],
    ["thanos-monitoring-svc-2", "web.shop.s2"],
    ["prometheus-monitoring", "web.shop.s3"],
  ]);
  expect(sources.map(({ name, url }) => `${String(name)} ${String(url)}`)).toEqual([
    "prometheus-monitoring http://prometheus.monitoring:9090",
    "thanos-monitoring-svc http://thanos.monitoring.svc:9090",
    "thanos-monitoring-svc-2 http://thanos.monitoring.svc:9091",
  ]);
});

test("what the API server and KEDA add to an object goes, other metadata stays", async () => {
  const { objects, notes } = await convertKeda(
    {},
    {
      uid: "a",
      resourceVersion: "3",
      finalizers: ["finalizer.keda.sh"],
      labels: { team: "a", "scaledobject.keda.sh/name": "shop" },
      annotations: { "scaledobject.keda.sh/transfer-hpa-ownership": "true" },
    },
  );
  expect(objects[0]?.["metadata"]).toEqual({ name: "shop", namespace: "web", labels: { team: "a" } });
  expect(paths(notes)).toEqual(['metadata.annotations["scaledobject.keda.sh/transfer-hpa-ownership"]']);
});

test("a list of many kinds: comments stay, the others are named with what to do", async () => {
  const text = `# The shop.
${stringify(scaledObject({}))}---
apiVersion: keda.sh/v1alpha1
kind: TriggerAuthentication
metadata: {name: prom}
---
apiVersion: keda.sh/v1alpha1
kind: ScaledJob
metadata: {name: job}
`;
  const { out, errors, code } = await runConvert(text);
  expect(code).toBe(0);
  expect(out).toMatch(/^# The shop\.\n/);
  expect(documentsOf(out)).toHaveLength(1);
  expect(errors).toContain("TriggerAuthentication (keda.sh/v1alpha1) is left out: add its credentials");
  expect(errors).toContain("ScaledJob (keda.sh/v1alpha1) is left out: Plimsoll starts no Jobs");
  expect(errors).toContain("note: 1 metric needs a rule in metrics-adapter: --print rules writes them\n");
  expect(errors).toContain("the rules are for the Prometheus at http://prometheus.monitoring:9090");
});

test("two objects of one name without namespaces would share a metric", async () => {
  const text = stringify(scaledObject({}, { namespace: undefined }));
  const { problems } = await convert(`${text}---\n${text}`);
  expect(problems).toMatchObject([
    { path: "metadata", remedy: "set the namespaces of both, or use another name" },
  ]);
});

test("with --keep-going the objects without a problem are written, and the code is 1", async () => {
  const bad = scaledObject({ triggers: [{ type: "kafka", metadata: {} }] }, { name: "bad" });
  const text = `${stringify(bad)}---\n${stringify(scaledObject({}))}`;
  expect(await convert(text)).toMatchObject({ code: 1, objects: [], rules: [] });
  const going = await convert(text, "--keep-going");
  expect(going).toMatchObject({ code: 1, objects: [{ metadata: { name: "shop" } }] });
  expect(going.rules).toHaveLength(1);
  const { out, errors, code } = await runConvert(text, "--keep-going");
  expect([code, documentsOf(out)]).toMatchObject([1, [{ metadata: { name: "shop" } }]]);
  expect(errors).toContain('error: f.yaml:11:13: document 1: spec.triggers[0].type "kafka" is a scaler');
  expect(errors).toContain("note: 1 metric needs a rule");
});

test("an HPA that KEDA made is named and left out", async () => {
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: {
      name: "keda-hpa-shop",
      ownerReferences: [{ apiVersion: "keda.sh/v1alpha1", kind: "ScaledObject", name: "shop" }],
    },
    spec: { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" }, maxReplicas: 3 },
  };
  const { objects, notes } = await convert(`${stringify(hpa)}---\n${stringify(scaledObject({}))}`);
  expect(objects).toMatchObject([{ metadata: { name: "shop" } }]);
  expect(notes).toMatchObject([{ path: "metadata.ownerReferences", remedy: "convert the ScaledObject" }]);
});

test("requests for Amazon are signed by the source, which says the region", async () => {
  const serverAddress = "https://aps-workspaces.eu-west-1.amazonaws.com/workspaces/ws-1";
  const { sources, notes } = await convertKeda({
    triggers: [prometheus({ serverAddress, awsRegion: "eu-west-1" }, { authenticationRef: { name: "aws" } })],
  });
  expect(sources).toEqual([
    { name: "default", url: serverAddress, auth: { type: "sigv4", region: "eu-west-1" } },
  ]);
  expect(JSON.stringify(notes)).not.toContain("does not sign");
});

test.each<[what: string, one: Fields, other: Fields, rest?: readonly [Fields, Fields]]>([
  ["references", {}, {}, [{ authenticationRef: { name: "a" } }, { authenticationRef: { name: "b" } }]],
  ["users", { serverAddress: "http://a:x@p:9090" }, { serverAddress: "http://b:y@p:9090" }],
  [
    "secret headers",
    { customHeaders: "Authorization=Bearer hunter1" },
    { customHeaders: "Authorization=Bearer hunter2" },
  ],
  ["tenants", { queryParameters: "tenant=a" }, { queryParameters: "tenant=b" }],
])("servers of one address with different %s are two sources", async (_, one, other, rest = [{}, {}]) => {
  const { rules, sources } = await convertKeda({
    triggers: [prometheus(one, rest[0]), prometheus(other, rest[1]), prometheus(one, rest[0])],
  });
  expect(sources).toHaveLength(2);
  const [first, second, third] = rules.map(({ source }) => source);
  expect([first === second, first === third]).toEqual([false, true]);
  expect(JSON.stringify([rules, sources])).not.toMatch(/hunter|a:x/);
});

test.each([
  "sum(rate(a[1m])) default 0",
  'sum(label_set(a, "b", "c"))',
  "sum(a) > 10Ki",
  "WITH (x = a) sum(x)",
])("MetricsQL is kept, with a note: %s", async (query) => {
  const text = stringify(scaledObject({ triggers: [prometheus({ query })] }));
  const { out, code, errors } = await runConvert(text, "--print=rules");
  expect(code).toBe(0);
  expect(out).toContain(query);
  expect((await runConvert(text)).errors).toContain("is MetricsQL and is kept unchanged");
  expect(errors).toBe("");
});

test.each(["sum(rate(a[1m])", "a{", 'a default "', "a b c", "sum(a)) default 0"])(
  "what is neither PromQL nor MetricsQL is an error: %s",
  async (query) => {
    expect((await convertKeda({ triggers: [prometheus({ query })] })).problems).toMatchObject([
      { path: "spec.triggers[0].metadata.query" },
    ]);
  },
);
