import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createScenario } from "@plimsoll/demo";
import { until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse, stringify } from "yaml";
import { builtInHpa, example, gaugeRules, pace } from "./fixture.ts";
import {
  chart,
  type OperatorsCluster,
  onThisMachine,
  openOperatorsPage,
  operatorsCluster,
  succeeded,
} from "./operator.ts";
import { type OutageWatch, watchForOutages } from "./outage.ts";
import type { Page } from "./page.ts";

const rulesFile = parse(readFileSync(gaugeRules, "utf8")) as {
  readonly rules: readonly object[];
  readonly externalRules: readonly object[];
};
/** As they stand in the values of prometheus-adapter's chart, and in those of ours. */
const rules = { default: false, custom: rulesFile.rules, external: rulesFile.externalRules };

/** What docs/upgrade.md promises. */
const maxOutageMs = 2_000;

const old = join(import.meta.dirname, "prometheus-adapter");
const ours = ["plimsoll", "-n", "plimsoll"] as const;
const custom = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/pods/*/packets-per-second";
const external = "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth";

let cluster: OperatorsCluster;
let page: Page;

beforeAll(async () => {
  cluster = await operatorsCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  page = openOperatorsPage("upgrade.md", cluster);
  const { prometheus } = onThisMachine(cluster.prometheusUrl);
  const values = valuesFile("old", { prometheus, rules });
  const inMonitoring = ["-n", "monitoring", "--create-namespace"];
  // As Helm 3 installs.
  const asBefore = ["--server-side=false", ...inMonitoring];
  await helm("install", "prometheus-adapter", old, ...asBefore, "-f", values, "--wait");
  // The controller looks for the API when it starts, and not again for minutes.
  await until("the metrics before", () => cluster.client.request({ path: custom }));
  await cluster.startControllerManager(builtInHpa(pace));
  await cluster.apply(example("autoscalers.yaml"));
  await until("the autoscaler to have its metric", () => isActive("router") || undefined);
});

afterAll(async () => {
  page?.close();
  await cluster?.stop();
});

test("an API of another release is not taken over unasked", async () => {
  const values = valuesFile("unasked", ourValues({}));
  const { code, stderr } = await cluster.helm("install", ...ours, chart, "--create-namespace", "-f", values);
  expect(code).not.toBe(0);
  expect(stderr).toMatch(/APIService "v1beta1\.custom\.metrics\.k8s\.io".*exists and cannot be imported/s);
  expect(stderr).toMatch(/prometheus-adapter/);
  await until("nothing to be left of it", async () => {
    const { stdout } = await cluster.helm("list", "-A", "-a", "-q");
    return !stdout.includes("plimsoll") || undefined;
  });
  expect(await servedBy("v1beta1.custom.metrics.k8s.io")).toBe("monitoring/prometheus-adapter");
});

test("it starts beside prometheus-adapter", async () => {
  await page.shell(page.commandsWith("get values prometheus-adapter"));
  const [before, { autoscaler: off, ...converted }] = ["old-values.yaml", "values.yaml"].map(
    (file) => parse(readFileSync(join(page.desk, file), "utf8")) as Readonly<Record<string, unknown>>,
  ) as [unknown, Readonly<Record<string, unknown>>];
  expect([converted, off]).toEqual([before, { enabled: false }]);
  // A later test scales by it.
  writeFileSync(join(page.desk, "values.yaml"), stringify(converted));
  await page.shell(page.commandsWith("helm install plimsoll"));
  expect(await servedBy("v1beta1.custom.metrics.k8s.io")).toBe("monitoring/prometheus-adapter");
});

test("it takes the APIs over, there is a rollback, and autoscalers see no outage", async () => {
  const watches = watchAll();
  await page.shell(page.commandsWith("--take-ownership"));
  expect(await registration()).toMatchObject({
    service: { namespace: "plimsoll" },
    caBundle: expect.any(String),
  });
  await page.shell(page.commandsWith('"insecureSkipTLSVerify": true'));
  expect(await registration()).toMatchObject({
    service: { namespace: "monitoring" },
    insecureSkipTLSVerify: true,
  });
  await page.shell(page.commandsWith("--take-ownership"));
  await page.shell(page.commandsWith("delete secret -l owner=helm"));
  const left = await cluster.kubectl(
    "get",
    "deployment,service,configmap,secret",
    "-n",
    "monitoring",
    "-o",
    "name",
  );
  expect(left).not.toMatch(/prometheus-adapter/);
  expect(await registration()).toMatchObject({ service: { namespace: "plimsoll" } });
  expect((await registration()).insecureSkipTLSVerify ?? false).toBe(false);
  await expectNoOutage(watches);
});

test("NOTES' commands work", async () => {
  const notes = succeeded(await cluster.helm("get", "notes", ...ours));
  const commands = [...notes.matchAll(/^ {2}kubectl (.*)$/gm)].map(([, line = ""]) => line);
  // Without kubelets there are no logs, and no ports are passed on.
  const tried = commands.filter((line) => !/logs|port-forward/.test(line));
  expect(tried.length).toBeGreaterThan(3);
  for (const line of tried) await cluster.kubectl(...line.split(" "));
});

test("the autoscaler scales by what it serves", async () => {
  cluster.load.set("default/router", 3_600, "packets");
  const scaled = until("four replicas", () => replicas("router") === 4 || undefined);
  await expect(scaled).resolves.toBe(true);
});

test("an upgrade of the chart is no outage, nor is the rollback", async () => {
  const packed = join(cluster.folder, "plimsoll-9.9.9.tgz");
  await helm("package", chart, "--version=9.9.9", "--app-version=9.9.9", "-d", cluster.folder);
  const next = valuesFile("next", ourValues({ replicas: 3, logLevel: 1, metricsResultMaxAge: "2s" }));
  const watches = watchAll();
  await helm("upgrade", ...ours, packed, "-f", next, "--wait", "--timeout=90s");
  expect(await image("plimsoll-metrics-adapter")).toMatch(/:9\.9\.9$/);
  await page.shell(page.commandsWith("helm rollback"));
  expect(await image("plimsoll-metrics-adapter")).not.toMatch(/:9\.9\.9$/);
  await expectNoOutage(watches);
  // A look of the controller at a moment without an endpoint is made good by the next.
  await until("the autoscaler to have its metric", () => isActive("router") || undefined);
});

test("what is removed leaves the CRDs, and their objects", async () => {
  await cluster.apply(`
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: kept, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
  mode: Shadow
  maxReplicas: 3
`);
  const watches = watchAll();
  await helm("uninstall", ...ours, "--wait");
  expect(await cluster.kubectl("get", "workloadautoscalers", "-A", "-o", "name")).toContain("kept");
  const left = await cluster.kubectl("get", "apiservices", "-o", "name");
  expect(left).not.toMatch(/\.metrics\.k8s\.io/);
  // An outage is noticed where there is one.
  for (const watch of watches) await watch.stop();
  expect(Math.min(...watches.map(({ maxMs }) => maxMs))).toBeGreaterThan(0);
  const secret = cluster.kubectl("-n", "plimsoll", "get", "secret", "plimsoll-metrics-adapter-tls");
  await expect(secret).rejects.toThrow(/NotFound/);
});

function ourValues(adapter: object): object {
  const base = onThisMachine(cluster.prometheusUrl);
  return { ...base, rules, adapter: { ...base.adapter, ...adapter } };
}

async function helm(...args: readonly string[]): Promise<string> {
  return succeeded(await cluster.helm(...args));
}

function valuesFile(name: string, values: object): string {
  const file = join(cluster.folder, `${name}.yaml`);
  writeFileSync(file, stringify(values));
  return file;
}

function watchAll(): readonly OutageWatch[] {
  return [custom, external].map((path) => watchForOutages(cluster.client, path));
}

async function expectNoOutage(watches: readonly OutageWatch[]): Promise<void> {
  for (const watch of watches) await watch.stop();
  const tooLong = watches.filter(({ maxMs }) => maxMs > maxOutageMs);
  expect(tooLong.map(({ maxMs, failures }) => [maxMs, ...new Set(failures)])).toEqual([]);
  expect(Math.min(...watches.map(({ answers }) => answers))).toBeGreaterThan(100);
}

interface Registration {
  readonly service: { readonly namespace: string };
  readonly caBundle?: string;
  readonly insecureSkipTLSVerify?: boolean;
}

async function registration(): Promise<Registration> {
  const path = "/apis/apiregistration.k8s.io/v1/apiservices/v1beta1.custom.metrics.k8s.io";
  const { spec } = await cluster.client.request<{ readonly spec: Registration }>({ path });
  return spec;
}

async function servedBy(name: string): Promise<string> {
  const path = "jsonpath={.spec.service.namespace}/{.spec.service.name}";
  return cluster.kubectl("get", "apiservice", name, "-o", path);
}

async function image(name: string): Promise<string> {
  const path = "jsonpath={.spec.template.spec.containers[0].image}";
  return cluster.kubectl("-n", "plimsoll", "get", "deployment", name, "-o", path);
}

function replicas(name: string): number | undefined {
  const object = cluster.store.get("deployments.apps", "default", name);
  return (object?.status as { readyReplicas?: number } | undefined)?.readyReplicas;
}

function isActive(name: string): boolean {
  const object = cluster.store.get("horizontalpodautoscalers.autoscaling", "default", name);
  const status = object?.status as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some((c) => c.type === "ScalingActive" && c.status === "True") === true;
}
