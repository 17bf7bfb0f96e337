// Other clients on an object of ours: Argo CD with selfHeal, Helm, and the built-in controller, switched on and off.
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { promisify } from "node:util";
import { runCli } from "@plimsoll/cli";
import { openConnection } from "@plimsoll/kube";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { parse } from "yaml";
import { builtInHpa, ownLease, pace, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const minimum = 2;
/** 17 s of a sync period of 15 s, by one of 1 s. */
const selfHealMs = 1130;
const resets = 12;

const manifest = workload("Deployment", "shop");
const deploymentPath = (name: string) => `/apis/apps/v1/namespaces/default/deployments/${name}`;
const hpa = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/shop";
/** Charts that set replicas, and how Helm applies them. */
const charts = [
  ["cart", "as Helm 3 does", ["--server-side=false"]],
  ["news", "with server-side apply", ["--server-side=true", "--force-conflicts"]],
] as const;

let cluster: TemporaryCluster;
let autoscaler: PlimsollProcess;
const folder = fileFolder();

beforeAll(async () => {
  const names = ["shop", ...charts.map(([name]) => name)];
  cluster = await temporaryCluster({
    loads: names.map((name) => queue(name, depthFor(3))),
    workloads: manifest,
  });
  const { stack } = cluster;
  const own = followsQueue("shop", { apiVersion: "apps/v1", kind: "Deployment" });
  await stack.apply(own.replace("minReplicas: 1", `minReplicas: ${minimum}`));
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${await stack.kubeconfigFor("autoscaler")}`,
    "--manage-hpas=all",
    ...pace,
    ownLease,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    "--port=0",
    "--insecure-decisions",
    "--decision-history=200",
  ]);
  await corrected();
});

afterAll(async () => {
  await autoscaler?.stop();
  await cluster?.stop();
});

interface Decision {
  readonly applied: string;
  readonly mode: string;
  readonly decision: { readonly currentReplicas: number };
  readonly otherWriter?: object;
}

test("a target that Argo CD resets to 1 is set to its minimum by each evaluation, and everything names Argo CD", async () => {
  for (let n = 0; n < resets; n++) {
    // The period of the other client.
    const next = new Promise((resolve) => setTimeout(resolve, selfHealMs));
    await selfHeal();
    await corrected();
    await next;
  }
  const decisions = await decisionsOf();
  const below = decisions.filter(({ decision }) => decision.currentReplicas < minimum);
  expect(below.length).toBeGreaterThanOrEqual(resets / 2);
  expect(below.filter(({ applied }) => applied !== "scaled")).toEqual([]);
  expect(decisions.every(({ mode }) => mode === "active")).toBe(true);
  expect(decisions.at(-1)?.otherWriter).toMatchObject({ by: "argocd-controller", writes: "replicas" });
  // With or without the time of the next attempt: the metrics call for more than the minimum.
  expect(await ableToScale()).toMatch(/: argocd-controller changed the replicas back \d+ times since \d{4}-/);
  for (const way of ["port-forward", "none"]) {
    const [finding] = await findings(way);
    expect(finding).toMatchObject({ id: "PL-005", title: "another client sets the replicas back" });
    expect(finding?.fix).toContain("RespectIgnoreDifferences=true");
  }
  expect(await cluster.kubectl("get", "events", "-A")).not.toContain("ForeignWriter");
  expect(cluster.troubles).toEqual([]);
});

test.each(charts)(
  "a chart that sets the replicas of %s, %s: each upgrade is corrected, and Helm is named when it goes on",
  async (name, _, flags) => {
    await helm("install", name, ...flags.slice(0, 1));
    await cluster.stack.apply(followsQueue(name, { apiVersion: "apps/v1", kind: "Deployment" }));
    const scaled = () => until("3 replicas", async () => (await replicas(name)) === 3 || undefined);
    await scaled();
    await helm("upgrade", name, ...flags);
    await scaled();
    expect(await findings("port-forward", name)).toEqual([]);
    for (let n = 0; n < 3; n++) {
      await helm("upgrade", name, ...flags);
      await scaled();
    }
    const decisions = await decisionsOf(name);
    expect(decisions.every(({ mode }) => mode === "active")).toBe(true);
    expect(decisions.at(-1)?.otherWriter).toMatchObject({ by: "helm", writes: "replicas" });
    const [finding] = await findings("port-forward", name);
    expect(finding).toMatchObject({ id: "PL-005", title: "another client sets the replicas back" });
    expect(finding?.fix).toContain("remove replicas from the chart's template");
    expect(cluster.troubles).toEqual([]);
  },
);

test("the built-in controller has the object while it runs, and then it is ours again without a reclaim", async () => {
  const last = async () => (await decisionsOf()).at(-1);
  const builtIn = await cluster.stack.startControllerManager(builtInHpa(pace));
  await until(
    "the status of the other controller",
    async () => (await last())?.mode === "shadow" || undefined,
  );
  expect((await last())?.otherWriter).toMatchObject({ by: "kube-controller-manager", writes: "status" });
  expect(await findings("port-forward")).toMatchObject([
    { id: "PL-005", title: "another controller writes the status" },
  ]);
  await builtIn.stop();
  cluster.stack.load.set("default/shop", depthFor(5), "queue");
  await until("5 replicas", async () => (await replicas()) === 5 || undefined);
  // The record follows the write of its evaluation.
  await until("a record of ours", async () => (await last())?.mode === "active" || undefined);
  for (const way of ["port-forward", "none"]) expect(await findings(way)).toEqual([]);
  expect(cluster.troubles).toEqual([]);
});

/** Runs Helm on a chart of one Deployment with one replica. */
async function helm(
  command: "install" | "upgrade",
  name: string,
  ...flags: readonly string[]
): Promise<void> {
  const chart = join(folder, name);
  mkdirSync(join(chart, "templates"), { recursive: true });
  writeFileSync(join(chart, "Chart.yaml"), `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`);
  writeFileSync(join(chart, "templates", "deployment.yaml"), workload("Deployment", name));
  const home = { HELM_CACHE_HOME: folder, HELM_CONFIG_HOME: folder, HELM_DATA_HOME: folder };
  await promisify(execFile)(inject("deployTools").helm, [command, name, chart, "-n", "default", ...flags], {
    env: { ...process.env, ...home, KUBECONFIG: cluster.stack.kubeconfig },
  });
}

/** Server-side apply with replicas, as Argo CD does with `ServerSideApply=true`. */
async function selfHeal(): Promise<void> {
  await cluster.stack.client.request({
    method: "PATCH",
    path: deploymentPath("shop"),
    query: { fieldManager: "argocd-controller", force: true },
    contentType: "application/apply-patch+yaml",
    body: parse(manifest) as object,
  });
}

async function replicas(name = "shop"): Promise<number> {
  const { spec } = await cluster.stack.client.request<{ spec: { replicas: number } }>({
    path: deploymentPath(name),
  });
  return spec.replicas;
}

async function corrected(): Promise<void> {
  await until(`${minimum} replicas`, async () => (await replicas()) >= minimum || undefined, {
    everyMs: 100,
  });
}

async function ableToScale(): Promise<string> {
  const { status } = await cluster.stack.client.request<{
    status?: { conditions?: readonly { readonly type: string; readonly message: string }[] };
  }>({ path: hpa });
  return status?.conditions?.find(({ type }) => type === "AbleToScale")?.message ?? "";
}

async function decisionsOf(name = "shop"): Promise<readonly Decision[]> {
  const path = `apis/decisions/v1/namespaces/default/horizontalpodautoscalers/${name}?limit=200`;
  const response = await fetch(`http://127.0.0.1:${autoscaler.port}/${path}`);
  return ((await response.json()) as { readonly items: readonly Decision[] }).items;
}

/** What the doctor finds by the state of the process, or by what the API server has. */
async function findings(
  way: string,
  name = "shop",
): Promise<readonly { readonly id: string; readonly fix: string }[]> {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [
      "doctor",
      name,
      "--namespace=default",
      "--only=PL-005",
      "--output=json",
      `--via=${way}`,
      `--kubeconfig=${cluster.stack.kubeconfig}`,
    ],
    name: "plimsoll",
    version: "0.0.0",
    readText: () => Promise.reject(new Error("no file is read")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
    async connect(options) {
      const { client, access } = await openConnection(options);
      // The autoscaler is in no pod: its port is on this machine.
      const forwardPort = () =>
        Promise.resolve(connectTo({ host: "127.0.0.1", port: autoscaler.securePort ?? 0 }));
      return { client, access: { ...access, forwardPort } };
    },
  });
  if (code === 1) throw new Error(errors);
  return (JSON.parse(out) as { readonly findings: readonly { readonly id: string; readonly fix: string }[] })
    .findings;
}
