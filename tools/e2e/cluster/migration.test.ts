import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createScenario } from "@plimsoll/demo";
import type { StoredObject } from "@plimsoll/sandbox";
import { type PlimsollProcess, runToEnd, type Stops, startPlimsoll, stopAll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { builtInHpa, example, gaugeRules, pace, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { apiServices, chart, registeredAt } from "./former-adapter.ts";
import { openPage } from "./page.ts";

const { desk, folder, commandsWith, shell, close } = openPage("migrate-from-prometheus-adapter.md", {
  kubeconfig: () => cluster.stack.kubeconfig,
});
const stops: Stops = [];
/** Every ScalingActive condition that was not True, once the autoscalers had their first metrics. */
const troubles: unknown[] = [];
let syncsFrom = 0;
let cluster: TemporaryCluster;
let before: PlimsollProcess;
let after: PlimsollProcess;

beforeAll(async () => {
  cluster = await temporaryCluster({
    loads: createScenario("fast").streams.map(({ load }) => ({ ...load, points: load.points.slice(0, 1) })),
    workloads: example("workloads.yaml"),
  });
  const { stack } = cluster;
  await stack.apply(chart(readFileSync(gaugeRules, "utf8")));

  // The old one listens where the chart's does; whose program it is, kube-apiserver does not know.
  before = await startAdapter("before", gaugeRules);
  await stack.apply(registeredAt(before.port));
  await cluster.kubectl("delete", "apiservice", "v1beta2.custom.metrics.k8s.io");
  await stack.adapter.stop();
  await until("the metrics of the old adapter", () => values().then(Boolean));

  // The controller chooses a version by discovery, and keeps to it for a while.
  await until("one version of custom metrics", async () => {
    const path = "/apis/custom.metrics.k8s.io";
    const { versions } = await stack.client.request<{ versions: readonly unknown[] }>({ path });
    return versions.length === 1 || undefined;
  });
  const manager = await stack.startControllerManager(builtInHpa(pace));
  stops.push(() => manager.stop());
  await stack.apply(example("autoscalers.yaml"));
  await until(
    "every autoscaler to be active",
    () => activity().every((status) => status === "True") || undefined,
    {
      timeoutMs: 120_000,
    },
  );
  stack.store.subscribe(({ resource, object }) => {
    if (resource !== "horizontalpodautoscalers.autoscaling") return;
    const condition = scalingActive(object);
    if (condition?.status !== "True") troubles.push({ name: object.metadata.name, ...condition });
  });
  syncsFrom = Date.now();
});

afterAll(async () => {
  await stopAll(stops);
  await cluster?.stop();
  close();
});

const steps = new Map<string, string>();

test("steps 1 and 2 read the rules in use, and what is served", async () => {
  const rules = commandsWith("get configmap prometheus-adapter");
  expect(rules).toContain("http://localhost:9090");
  // Prometheus has another port here.
  const checked = await shell(rules.replace("http://localhost:9090", cluster.stack.prometheus.url));
  expect(checked).not.toMatch(/error/);
  expect(readFileSync(join(desk, "rules.yaml"), "utf8").trim()).toBe(readFileSync(gaugeRules, "utf8").trim());
  await shell(commandsWith("sort > before"));
  const names = readFileSync(join(desk, "before"), "utf8");
  expect(names).toContain("pods/packets-per-second");
  expect(names).toContain("ingresses.networking.k8s.io/requests-per-second");
  steps.set("values", await values());
});

test("step 3 changes the image while autoscalers keep reading", async () => {
  await shell(commandsWith("set image"), { IMAGE: "registry.example/metrics-adapter:0.1.0" });
  const image = "jsonpath={.spec.template.spec.containers[0].image}";
  expect(
    await cluster.kubectl("-n", "monitoring", "get", "deployment", "prometheus-adapter", "-o", image),
  ).toBe("registry.example/metrics-adapter:0.1.0");
  // Pods are simulated here: a process with the rules that the first step read takes their place.
  after = await startAdapter("after", join(desk, "rules.yaml"));
  await switchTo(after);
  await before.stop();
  expect(await values()).toBe(steps.get("values"));
});

test("step 4 lets it choose Ingresses by a selector, which it could not before", async () => {
  const path =
    "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default/ingresses.networking.k8s.io/*/requests-per-second";
  await expect(cluster.kubectl("get", "--raw", path)).rejects.toThrow(
    /cannot list .* yet|ServiceUnavailable|unable to handle/,
  );
  await shell(commandsWith("create clusterrole metrics-adapter-objects"));
  const list = await until(
    "Ingresses",
    async () => JSON.parse(await cluster.kubectl("get", "--raw", path)) as { items: readonly unknown[] },
  );
  expect(list.items).toMatchObject([{ describedObject: { name: "main-route" }, value: "1500" }]);
});

test("step 5 finds the same list, and every API available", async () => {
  const printed = await shell(commandsWith("| diff before -"));
  const lines = printed.split("\n").filter((line) => /metrics\.k8s\.io/.test(line));
  expect(lines).toHaveLength(apiServices.length);
  for (const line of lines) expect(line).toMatch(/monitoring\/prometheus-adapter\s+True/);
  for (const name of ["router", "shop", "worker", "api"])
    expect(printed).toMatch(new RegExp(`default\\s+${name}\\s`));
  expect(printed).not.toMatch(/^[<>] /m);
});

test("afterwards the API server verifies the adapter by the CA that its log names", async () => {
  const log = join(folder, "log");
  writeFileSync(log, `${after.lines.join("\n")}\n`);
  const commands = commandsWith("caBundle=$(");
  const logs = "kubectl -n monitoring logs deployment/prometheus-adapter";
  expect(commands).toContain(logs);
  // Without kubelets there are no logs.
  await shell(commands.replace(logs, `cat ${log}`));
  const trusted = await cluster.stack.client.request<{
    items: readonly { spec: { service?: object; caBundle?: string; insecureSkipTLSVerify?: boolean } }[];
  }>({ path: "/apis/apiregistration.k8s.io/v1/apiservices" });
  const ours = trusted.items.filter(({ spec }) => spec.service !== undefined);
  expect(ours).toHaveLength(apiServices.length);
  for (const { spec } of ours) {
    expect(spec.insecureSkipTLSVerify ?? false).toBe(false);
    expect(Buffer.from(spec.caBundle ?? "", "base64").toString()).toBe(
      readFileSync(join(folder, "after", "ca.crt"), "utf8"),
    );
  }
  await areAvailable();
  expect(await values()).toBe(steps.get("values"));
});

test("the rollback works", async () => {
  // The new one's CA does not know the old one.
  await shell(commandsWith('"caBundle":null'));
  await areAvailable();
  await shell(commandsWith("rollout undo"));
  before = await startAdapter("again", gaugeRules);
  await switchTo(before);
  await after.stop();
  expect(await values()).toBe(steps.get("values"));
});

test("no autoscaler missed a metric in all that", async () => {
  // The controller looks once a second.
  await until("ten periods of the controller", () => Date.now() - syncsFrom > 10_000 || undefined);
  expect(activity()).toEqual(["True", "True", "True", "True"]);
  expect(troubles).toEqual([]);
  const { items } = await cluster.stack.client.request<{
    items: readonly { reason: string; message: string; lastTimestamp: string | null }[];
  }>({ path: "/api/v1/namespaces/default/events" });
  const late = items.filter(
    ({ reason, lastTimestamp }) =>
      /^Failed(Get|Compute)/.test(reason) && Date.parse(lastTimestamp ?? "") >= syncsFrom,
  );
  expect(late).toEqual([]);
  expect(cluster.troubles).toEqual([]);
});

async function startAdapter(name: string, rules: string): Promise<PlimsollProcess> {
  const { stack } = cluster;
  const account = "system:serviceaccount:monitoring:prometheus-adapter";
  const groups = ["system:serviceaccounts", "system:serviceaccounts:monitoring"];
  const own = await stack.kubeconfigForUser(account, groups);
  const child = await startPlimsoll("metrics-adapter", [
    // As the chart writes them, but for the addresses and the credentials.
    "--secure-port=0",
    `--cert-dir=${join(folder, name)}`,
    `--prometheus-url=${stack.prometheus.url}`,
    "--metrics-relist-interval=1m",
    "--v=4",
    `--config=${rules}`,
    "--bind-address=127.0.0.1",
    `--lister-kubeconfig=${own}`,
    `--authentication-kubeconfig=${own}`,
    `--authorization-kubeconfig=${own}`,
    "--self-signed-cert-hosts=prometheus-adapter.monitoring.svc",
  ]);
  stops.push(() => child.stop());
  return child;
}

/** What a Service does when its new pod is ready and the old one goes; the port represents the pod. */
async function switchTo(adapter: PlimsollProcess): Promise<void> {
  await until("the adapter to be ready", async () => {
    const script = `curl -skf https://localhost:${adapter.port}/readyz`;
    return (await runToEnd("bash", ["-c", script])).code === 0 || undefined;
  });
  await cluster.stack.apply(registeredAt(adapter.port));
  await areAvailable();
}

async function areAvailable(): Promise<void> {
  const wait = apiServices.map(([group, version]) => `apiservice/${version}.${group}`);
  await cluster.kubectl("wait", "--for=condition=Available", "--timeout=90s", ...wait);
}

/** The values that autoscalers read, by the real kubectl. The cpu is a rate, which is never twice the same. */
async function values(): Promise<string> {
  const custom = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/default";
  const read: string[] = [];
  for (const path of [
    `${custom}/pods/*/packets-per-second?labelSelector=app%3Drouter`,
    `${custom}/ingresses.networking.k8s.io/main-route/requests-per-second`,
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/default/queue_depth?labelSelector=queue%3Dorders",
  ]) {
    const { items } = JSON.parse(await cluster.kubectl("get", "--raw", path)) as {
      items: readonly { describedObject?: { name: string }; metricLabels?: object; value: string }[];
    };
    if (items.length === 0) throw new Error(`no items at ${path}`);
    const seen = items.map(({ describedObject, metricLabels, value }) => [
      describedObject?.name,
      metricLabels,
      value,
    ]);
    read.push(JSON.stringify(seen));
  }
  return read.join("\n");
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

function scalingActive(object: StoredObject): Condition | undefined {
  const status = object.status as { conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find(({ type }) => type === "ScalingActive");
}

function activity(): readonly (string | undefined)[] {
  return ["router", "shop", "worker", "api"].map((name) => {
    const object = cluster.stack.store.get("horizontalpodautoscalers.autoscaling", "default", name);
    return object === undefined ? undefined : scalingActive(object)?.status;
  });
}
