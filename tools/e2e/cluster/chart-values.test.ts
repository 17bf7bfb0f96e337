import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { loadFederation } from "@plimsoll/federation";
import { loadSources } from "@plimsoll/rules";
import { readText, runToEnd } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { expect, inject, test } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { deploymentsOf } from "./deployments.ts";
import { chart, root, succeeded } from "./operator.ts";
import { movedPaths, type SchemaNode, schemaPaths, valuePaths } from "./value-paths.ts";

const { helm } = inject("deployTools");
const folder = fileFolder();

test.each<readonly [setting: string, says: RegExp]>([
  ["adapter.replicas=two", /\/adapter\/replicas.*got string, want integer/],
  ["adapter.listenPort=70000", /\/adapter\/listenPort.*maximum/],
  ["adapter.image.repositry=x", /\/adapter\/image.*'repositry' not allowed/],
  ["imagee.repository=x", /'imagee' not allowed/],
  ["adapter.image.repository=r.example/prometheus-adapter", /is the image of prometheus-adapter/],
  [
    "adapter.cloudCredentials=true,adapter.image.tag=1.2.3",
    /adapter\.cloudCredentials chooses the released image/,
  ],
  ["adapter.podDisruptionBudget.unhealthyPodEvictionPolicy=Never", /'IfHealthyBudget', 'AlwaysAllow'/],
  ["rules.custom[0].metricQuery=x", /\/rules\/custom\/0.*'metricQuery' not allowed/s],
  ["rules.resource.window=5", /\/rules\/resource\/window/],
  ["autoscaler.manageHpas=some", /\/autoscaler\/manageHpas.*'none', 'annotated', 'all'/],
  ["autoscaler.syncPeriod=soon", /\/autoscaler\/syncPeriod/],
  ["prometheus.port=-1", /\/prometheus\/port.*minimum/],
  ["adapter.tls.enable=true", /adapter\.tls\.enable needs adapter\.tls\.certificate and adapter\.tls\.key/],
  ["federation.backends[0].name=x", /missing property 'groups'.*missing property 'service'/s],
  ["federation.backends[0].color=red", /'color' not allowed/],
  ["sources[0].name=x", /missing property 'url'/],
  ["sources[0].name=x,sources[0].url=http://a,sources[0].colour=red", /'colour' not allowed/],
  [
    "sources[0].name=x,sources[0].url=http://a,sources[0].auth.type=bearer,sources[0].auth.tokenFile=token",
    /auth\.tokenFile of the source x names the key token, but the source names no Secret/,
  ],
  ["adapter.tls.ca=x", /adapter\.tls has a certificate but is not in use/],
  [
    "adapter.tls.enable=true,adapter.tls.existingSecret=s,adapter.tls.ca=x,adapter.certManager.enabled=true",
    /exclude each other/,
  ],
  ["adapter.tls.enable=true,adapter.tls.existingSecret=s", /needs adapter\.tls\.ca/],
  ["rules.existing=mine,rules.custom[0].seriesQuery=x", /rules\.existing is the whole rules file/],
  ["rules.default=false", /no rules, so the adapter has nothing to serve/],
  ["autoscaler.leaderElection.enabled=false", /there would be several writers/],
  ["adapter.podDisruptionBudget.minAvailable=1", /minAvailable and maxUnavailable exclude each other/],
  [
    "adapter.podDisruptionBudget.minAvailable=2,adapter.podDisruptionBudget.maxUnavailable=null",
    /no node could be drained/,
  ],
  ["crds.cronHpa=true,crds.install=false", /crds\.cronHpa is for crds\.install=true/],
  [
    "autoscaler.console.enabled=true,autoscaler.decisions.enabled=false",
    /autoscaler\.console\.enabled=true needs autoscaler\.decisions\.enabled=true.* Set autoscaler\.decisions\.enabled to true, or/,
  ],
])("%s is refused, and it says what is wrong", async (setting, says) => {
  const { code, stderr } = await runToEnd(helm, ["template", "plimsoll", chart, "--set", setting]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(says);
});

test("backends of the values are a file that the adapter reads, with exactly get and list on their groups", async () => {
  const values = join(root, "deploy/chart/plimsoll/ci/everything-values.yaml");
  const args = [
    "template",
    "p",
    chart,
    "--values",
    values,
    "--show-only",
    "templates/adapter/federation.yaml",
  ];
  const stdout = succeeded(await runToEnd(helm, args));
  const [configMap, role] = parseAllDocuments(stdout).map((one) => one.toJS() as Rendered);
  const loaded = loadFederation(configMap?.data?.["backends.yaml"] ?? "");
  expect(loaded).toMatchObject({
    ok: true,
    warnings: [],
    config: { backends: [{ caBundleFile: "/etc/plimsoll/federation/keda.crt" }, { concurrency: 8 }] },
  });
  expect(configMap?.data?.["keda.crt"]).toContain("-----BEGIN CERTIFICATE-----");
  expect(role?.rules).toEqual([
    {
      apiGroups: ["custom.metrics.k8s.io", "external.metrics.k8s.io"],
      resources: ["*"],
      verbs: ["get", "list"],
    },
  ]);
});

test("sources of the values are a file that the adapter reads, with the keys of their mounted Secrets", async () => {
  const values = join(root, "deploy/chart/plimsoll/ci/everything-values.yaml");
  const rendered = succeeded(await runToEnd(helm, ["template", "p", chart, "--values", values]));
  const documents = parseAllDocuments(rendered).map((one) => one.toJS() as Rendered | null);
  const file = documents.find((one) => one?.data?.["sources.yaml"] !== undefined);
  const loaded = loadSources(file?.data?.["sources.yaml"] ?? "");
  const folder = "/etc/plimsoll/source-secrets/team-a";
  expect(loaded).toMatchObject({
    ok: true,
    config: {
      sources: [
        {
          name: "team-a",
          headerFiles: [{ name: "x-key", file: `${folder}/key` }],
          auth: { clientSecretFile: `${folder}/client-secret`, tokenUrl: "https://login.example/token" },
          tls: { caFile: `${folder}/ca.crt`, serverName: "mimir.example" },
        },
        { name: "plain" },
      ],
    },
  });
  const [adapter] = deploymentsOf(rendered);
  const pod = adapter?.spec.template.spec;
  expect(pod?.containers[0]?.args).toContain("--sources-config=/etc/plimsoll/sources/sources.yaml");
  expect(pod?.containers[0]?.volumeMounts).toContainEqual({
    name: "source-team-a",
    mountPath: folder,
    readOnly: true,
  });
  expect(pod?.volumes).toContainEqual({ name: "source-team-a", secret: { secretName: "mimir-of-team-a" } });
});

test.each([
  ["adapter.liveMetrics.enabled=true", false],
  ["adapter.metricRules.enabled=true", false],
  ["adapter.liveMetrics.enabled=true,adapter.metricRules.enabled=true", true],
] as const)(
  "with %s the adapter knows the label of namespaces, and reads scales: %s",
  async (settings, readsScales) => {
    const set = `${settings},adapter.metricRules.namespaceLabel=ns`;
    const rendered = succeeded(await runToEnd(helm, ["template", "p", chart, "--set", set]));
    const args = deploymentsOf(rendered)[0]?.spec.template.spec.containers[0]?.args;
    expect(args?.filter((one) => one.startsWith("--metric-rule-namespace-label"))).toEqual([
      "--metric-rule-namespace-label=ns",
    ]);
    const documents = parseAllDocuments(rendered).map((one) => one.toJS() as Rendered | null);
    const roles = documents.filter((one) => one?.metadata?.name.endsWith("-metrics-adapter-live-metrics"));
    expect(roles.map((one) => one?.kind)).toEqual(readsScales ? ["ClusterRole", "ClusterRoleBinding"] : []);
  },
);

interface Rendered {
  readonly kind?: string;
  readonly metadata?: { readonly name: string };
  readonly data?: Readonly<Record<string, string>>;
  readonly rules?: readonly object[];
}

test("values of prometheus-adapter's chart are refused with their new places", async () => {
  const keys = [...movedPaths(schemaOfValues())];
  expect(keys).toContain("replicas");
  const settings = keys.flatMap((key) => ["--set-json", `${key}={}`]);
  const { code, stderr } = await runToEnd(helm, ["template", "plimsoll", chart, ...settings]);
  expect(code).not.toBe(0);
  expect(keys.filter((key) => !stderr.includes(`${key} (here adapter.${key})`))).toEqual([]);
});

test("values of prometheus-adapter's chart are taken once they are converted", async () => {
  const cli = join(root, "packages", "cli");
  const old = join(cli, "test", "convert-values", "every-value.yaml");
  const command = ["--conditions=@plimsoll/source", join(cli, "src", "main.ts"), "convert", "values", old];
  const { code, stdout } = await runToEnd(process.execPath, command);
  expect(code).toBe(0);
  const file = join(folder, "converted-values.yaml");
  writeFileSync(file, stdout);
  const [deployment, ...others] = deploymentsOf(
    succeeded(await runToEnd(helm, ["template", "plimsoll", chart, "-f", file])),
  );
  expect(others).toEqual([]);
  expect(deployment).toMatchObject({
    metadata: { name: "team-metrics-metrics-adapter", namespace: "monitoring" },
    spec: {
      replicas: 3,
      template: {
        spec: { hostNetwork: true, serviceAccountName: "adapter", automountServiceAccountToken: true },
      },
    },
  });
  expect(deployment?.spec.template.spec.containers[0]?.args).toContain(
    "--prometheus-url=http://prometheus.default.svc:80/prometheus",
  );
});

test("a cluster that is too old is refused", async () => {
  const { code, stderr } = await runToEnd(helm, ["template", "plimsoll", chart, "--kube-version=1.29.4"]);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/requires kubeVersion: >=1\.30\.0-0/);
  expect((await runToEnd(helm, ["template", "plimsoll", chart, "--kube-version=1.30.2-eks-1"])).code).toBe(0);
});

test("the schema knows every value, and no other", () => {
  const schema = schemaOfValues();
  const file = parse(readText("chart/plimsoll/values.yaml") ?? "") as Readonly<Record<string, unknown>>;
  // Helm hands "global" down to every chart.
  const refused = new Set(["global", ...movedPaths(schema)]);
  expect([...schemaPaths(schema, schema, "")].filter((path) => !refused.has(path)).sort()).toEqual(
    [...valuePaths(file, schema, schema, "")].sort(),
  );
});

function schemaOfValues(): SchemaNode {
  return JSON.parse(readText("chart/plimsoll/values.schema.json") ?? "") as SchemaNode;
}

test("the image with credentials of clouds is one value, of the adapter alone", async () => {
  const args = [
    "template",
    "p",
    chart,
    "--set",
    "adapter.cloudCredentials=true",
    "--set",
    "autoscaler.replicas=1",
  ];
  const images = deploymentsOf(succeeded(await runToEnd(helm, args))).flatMap(({ spec }) =>
    spec.template.spec.containers.map((container) => container.image),
  );
  const { version } = parse(readText("chart/plimsoll/Chart.yaml") ?? "") as { readonly version: string };
  expect(images.toSorted()).toEqual([
    `ghcr.io/plimsoll/autoscaler:${version}`,
    `ghcr.io/plimsoll/metrics-adapter:${version}-cloud`,
  ]);
});
