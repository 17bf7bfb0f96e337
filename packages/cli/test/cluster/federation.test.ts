// The plan by which other metrics adapters come behind ours, from what an API server has.
import { loadFederation } from "@plimsoll/federation";
import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { parse } from "yaml";
import type { FederationPlanDocument } from "../../src/commands/federation/document.ts";
import { fakeCluster, run } from "./fake-cluster.ts";
import { schemaErrors } from "./schema-errors.ts";

type Stored = KubeObject & { readonly spec: object };

const labels = {
  "app.kubernetes.io/part-of": "plimsoll",
  "app.kubernetes.io/component": "metrics-adapter",
};
const base64 = (text: string): string => Buffer.from(text).toString("base64");

function adapter(annotations: Readonly<Record<string, string>> = {}, ...more: readonly string[]): Stored {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "plimsoll-metrics-adapter", namespace: "plimsoll", labels, annotations },
    spec: {
      template: {
        spec: {
          serviceAccountName: "adapter",
          containers: [{ name: "metrics-adapter", args: ["--config=/etc/adapter/config.yaml", ...more] }],
        },
      },
    },
  };
}

function apiService(
  version: string,
  group: string,
  to: string,
  {
    release,
    ...more
  }: { readonly release?: string; readonly caBundle?: string; readonly insecureSkipTLSVerify?: true } = {},
): Stored {
  const [namespace, name] = to.split("/");
  const annotations = release === undefined ? {} : { "meta.helm.sh/release-name": release };
  return {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: `${version}.${group}`, annotations },
    spec: { group, version, service: { namespace, name, port: 443 }, ...more },
  };
}

const service: Stored = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "plimsoll-metrics-adapter", namespace: "plimsoll", labels },
  spec: { ports: [{ port: 443 }] },
};

const external = "external.metrics.k8s.io";
const custom = "custom.metrics.k8s.io";
const ours = "plimsoll/plimsoll-metrics-adapter";
const keda = apiService("v1beta1", external, "keda/keda-operator-metrics-apiserver", {
  caBundle: base64("KEDA CA\n"),
  release: "keda",
});

function cluster(apiServices: readonly Stored[], deployments: readonly Stored[] = [adapter()]) {
  const fake = fakeCluster({});
  fake.put(...deployments);
  fake.reply("/api/v1/services", { kind: "List", metadata: {}, items: [service] });
  fake.reply("/apis/apiregistration.k8s.io/v1/apiservices", {
    kind: "List",
    metadata: {},
    items: apiServices,
  });
  for (const { spec } of apiServices as readonly { spec: { group?: string; version?: string } }[])
    fake.reply(`/apis/${spec.group}/${spec.version}`, {
      kind: "APIResourceList",
      resources: [{ name: spec.group === external ? "externalmetrics" : "pods/rate" }],
    });
  return fake;
}

async function planned(
  fake: ReturnType<typeof cluster>,
  ...flags: readonly string[]
): Promise<FederationPlanDocument> {
  const ran = await run(fake, ["federation", "plan", "-o", "json", ...flags]);
  expect([ran.code, ran.errors]).toEqual([0, ""]);
  const document = JSON.parse(ran.out) as FederationPlanDocument;
  expect(await schemaErrors("federation-plan.v1", document)).toEqual([]);
  return document;
}

test("each other adapter is one backend; KEDA is found by its selector, others by what they list", async () => {
  const document = await planned(
    cluster([
      keda,
      apiService("v1beta1", custom, "monitoring/cloud-adapter", { insecureSkipTLSVerify: true }),
      apiService("v1beta2", custom, "monitoring/cloud-adapter", { insecureSkipTLSVerify: true }),
      apiService("v1beta1", "metrics.k8s.io", "kube-system/metrics-server"),
    ]),
  );
  expect(document.backends).toEqual([
    {
      name: "keda",
      service: "keda/keda-operator-metrics-apiserver",
      apiServices: [`v1beta1.${external}`],
      foundBy: "match",
    },
    {
      name: "monitoring",
      service: "monitoring/cloud-adapter",
      apiServices: [`v1beta1.${custom}`, `v1beta2.${custom}`],
      foundBy: "discovery",
    },
  ]);
  expect(parse(document.config)).toEqual({
    backends: [
      {
        name: "keda",
        service: { namespace: "keda", name: "keda-operator-metrics-apiserver", port: 443 },
        caBundleFile: "/etc/plimsoll/federation/keda.crt",
        groups: [external],
        match: { labelSelectorKeys: ["scaledobject.keda.sh/name"] },
      },
      {
        name: "monitoring",
        service: { namespace: "monitoring", name: "cloud-adapter", port: 443 },
        insecureSkipTLSVerify: true,
        groups: [custom],
      },
    ],
  });
  expect(document.notes).toEqual([
    expect.stringContaining("The certificate of monitoring is not verified, as in its APIService now."),
    expect.stringContaining("No APIService of ours has a CA yet"),
    expect.stringContaining(`v1beta1.${external} is of the Helm release keda: its next upgrade leads`),
  ]);
});

test("an adapter that lists nothing, or does not respond, keeps all that is not ours", async () => {
  const placeholder = apiService("v1beta1", external, "team/adapter", { insecureSkipTLSVerify: true });
  const { backends, config } = await planned(cluster([placeholder]));
  expect(backends.map(({ foundBy }) => foundBy)).toEqual(["match"]);
  expect(parse(config)).toMatchObject({ backends: [{ match: { metrics: ["*"] } }] });

  const gone = apiService("v1beta1", custom, "team/adapter", { insecureSkipTLSVerify: true });
  const fake = cluster([gone]);
  fake.reply(`/apis/${custom}/v1beta1`, "service unavailable", 503);
  expect(parse((await planned(fake)).config)).toMatchObject({ backends: [{ match: { metrics: ["*"] } }] });
});

test("the backends are named to our adapter before an APIService leads to it, and each step is taken back", async () => {
  const own = apiService("v1beta2", custom, ours, { caBundle: base64("OUR CA") });
  const { steps } = await planned(cluster([keda, own]));
  expect(steps.map(({ title }) => title)).toEqual([
    "Save the APIServices",
    "Name the other adapters to ours",
    "Look whether our adapter reads their lists",
    `Give v1beta1.${external} to our adapter`,
  ]);
  const patch = "kubectl patch apiservice v1beta1.external.metrics.k8s.io --type=merge -p ";
  const given = { namespace: "plimsoll", name: "plimsoll-metrics-adapter", port: 443 };
  expect(steps[3]?.commands).toEqual([
    `${patch}'${JSON.stringify({ spec: { service: given, caBundle: base64("OUR CA"), insecureSkipTLSVerify: false } })}'`,
    `kubectl wait --for=condition=Available --timeout=60s apiservice/v1beta1.${external}`,
    `kubectl get --raw /apis/${external}/v1beta1`,
  ]);
  const before = { namespace: "keda", name: "keda-operator-metrics-apiserver", port: 443 };
  expect(steps[3]?.undo.commands).toEqual([
    `${patch}'${JSON.stringify({ spec: { service: before, caBundle: base64("KEDA CA\n"), insecureSkipTLSVerify: false } })}'`,
  ]);
});

test("with Helm the values say it; without, a ConfigMap, exactly get and list, and the flag", async () => {
  const byHelm = await planned(cluster([keda], [adapter({ "meta.helm.sh/release-name": "plimsoll" })]));
  const [values = "", upgrade] = byHelm.steps[1]?.commands ?? [];
  expect(values).toContain("caBundle: |\n        KEDA CA\n");
  expect(upgrade).toBe(
    "helm upgrade plimsoll deploy/chart/plimsoll --namespace plimsoll --reuse-values --values federation-values.yaml --wait",
  );
  expect(byHelm.steps[1]?.undo.commands).toEqual(["helm rollback plimsoll --namespace plimsoll --wait"]);

  const { steps } = await planned(cluster([keda]));
  const [manifests = "", flag = ""] = steps[1]?.commands ?? [];
  expect(manifests).toContain("apiGroups:\n      - external.metrics.k8s.io");
  expect(manifests).toContain("verbs:\n      - get\n      - list\n");
  expect(manifests).toContain("keda.crt: |\n    KEDA CA\n");
  expect(flag).toContain(
    '"args":["--config=/etc/adapter/config.yaml","--federation-config=/etc/plimsoll/federation/backends.yaml"]',
  );
});

test("where some APIServices lead to us and we have backends, nothing is planned that would take these away", async () => {
  const federating = adapter({}, "--federation-config=/etc/plimsoll/federation/backends.yaml");
  const handedOver = apiService("v1beta1", custom, ours);
  const refused = await run(cluster([keda, handedOver], [federating]), ["federation", "plan"]);
  expect([refused.code, refused.out]).toEqual([1, ""]);
  expect(refused.errors).toContain(`v1beta1.${custom} leads to it already`);
  const again = await planned(cluster([keda], [federating]));
  expect(again.backends.map(({ name }) => name)).toEqual(["keda"]);
});

test("without Helm, pods are replaced for another file of backends: they read it at the start alone", async () => {
  const cloud = apiService("v1beta1", custom, "cloud/adapter", { insecureSkipTLSVerify: true });
  const annotationOf = async (...services: readonly Stored[]): Promise<string | undefined> =>
    /"checksum\/federation":"(\w+)"/.exec(
      (await planned(cluster(services))).steps[1]?.commands[1] ?? "",
    )?.[1];
  const one = await annotationOf(keda);
  expect(one).toMatch(/^[0-9a-f]{64}$/);
  expect(await annotationOf(keda)).toBe(one);
  expect(await annotationOf(keda, cloud)).not.toBe(one);
});

test("names that YAML 1.1 takes for other values stay names in the values of Helm", async () => {
  const helm = adapter({ "meta.helm.sh/release-name": "plimsoll" });
  const { steps } = await planned(cluster([apiService("v1beta1", external, "on/off")], [helm]));
  expect(steps[1]?.commands[0]).toContain('- name: "on"\n');
});

test("each plan saves what it found in a file of its own, which no run overwrites", async () => {
  const { steps, at } = await planned(cluster([keda]));
  const file = `federation-before-${at.replaceAll(/[-:]|\.\d+/g, "")}.yaml`;
  expect(file).toMatch(/^federation-before-\d{8}T\d{6}Z\.yaml$/);
  expect(steps[0]?.commands).toEqual([
    `test -e ${file} || { kubectl get apiservice v1beta1.${external} -o yaml > ${file}.part && mv ${file}.part ${file}; }`,
  ]);
});

test("names of backends stay labels of at most 63 letters, and differ, whatever the adapters are called", async () => {
  const long = `${"n".repeat(62)}z`;
  const services = ["a", "b", "c", "d", "e"].map((name) =>
    apiService(`v1${name}`, external, `${long}/${long.slice(0, 62)}${name}`, { insecureSkipTLSVerify: true }),
  );
  const twice = apiService("v1f", custom, `${long.slice(0, 62)}x/${long}`, { insecureSkipTLSVerify: true });
  const { config, backends } = await planned(cluster([...services, twice]));
  expect(new Set(backends.map(({ name }) => name)).size).toBe(6);
  expect(loadFederation(config)).toMatchObject({ ok: true });
});

test("what an annotation says stays a comment of the text", async () => {
  const hostile = apiService("v1beta1", external, "keda/metrics", { release: "x\nrm -rf /tmp/y\r# " });
  const { out } = await run(cluster([hostile]), ["federation", "plan"]);
  expect(out).toContain("rm -rf");
  expect(out.split(/[\n\r]/).filter((line) => line.startsWith("rm"))).toEqual([]);
});

test("as text it can be given to a shell: all but the commands is a comment", async () => {
  const { out, code } = await run(cluster([keda]), ["federation", "plan"]);
  expect(code).toBe(0);
  expect(out).toMatch(/^# BACKEND +SERVICE +APISERVICES +FOUND BY\n# keda +keda\/keda-operator/);
  expect(out).toContain(`# 4. Give v1beta1.${external} to our adapter\n`);
});

test("nothing to do is said, and so is what is missing", async () => {
  const done = await run(cluster([apiService("v1beta1", external, ours)]), ["federation", "plan"]);
  expect([done.code, done.out]).toEqual([0, ""]);
  expect(done.errors).toContain("nothing to federate: ");
  expect(done.errors).toContain(`v1beta1.${external}: ours already.`);
  const none = await run(cluster([keda], []), ["federation", "plan"]);
  expect(none.code).toBe(1);
  expect(none.errors).toContain("Plimsoll's metrics adapter isn't in this cluster: install it first");
});

test("helm is given the cluster of the plan, as kubectl is", async () => {
  const fake = cluster([keda], [adapter({ "meta.helm.sh/release-name": "plimsoll" })]);
  const { steps, notes } = await planned(fake, "--context=prod", "--as=admin", "--user=x");
  const [, upgrade] = steps[1]?.commands ?? [];
  const flags = "--kube-context prod --kube-as-user admin";
  expect(upgrade).toBe(
    `helm upgrade plimsoll deploy/chart/plimsoll --namespace plimsoll --reuse-values --values federation-values.yaml --wait ${flags}`,
  );
  expect(steps[1]?.undo.commands).toEqual([`helm rollback plimsoll --namespace plimsoll --wait ${flags}`]);
  expect(steps[0]?.commands[0]).toContain("kubectl --context prod --user x --as admin get apiservice");
  expect(notes.join("\n")).toContain("Helm has no flag for --user x");
});
