import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { HpaStatus } from "@plimsoll/core";
import type { KubeObject } from "@plimsoll/kube";
import { kubeconfigText } from "@plimsoll/sandbox";
import { type Child, type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { builtInHpa, pace, shipped, type TemporaryCluster, temporaryCluster } from "./fixture.ts";
import { openPage, type Page } from "./page.ts";
import { requestToken } from "./rights.ts";
import { depthFor, followsQueue, queue, workload } from "./targets.ts";

const names = ["shop", "api", "worker"] as const;
type Name = (typeof names)[number];

const builtInManager = "kube-controller-manager";
const ourManager = "plimsoll-autoscaler";

let cluster: TemporaryCluster;
let page: Page;
let troubleshooting: Page;
let builtIn: Child;
/** Represents the pods of the chart's Deployment: runs with its arguments, and restarts when they change. */
let autoscaler: PlimsollProcess | undefined;

beforeAll(async () => {
  const { helm } = inject("deployTools");
  cluster = await temporaryCluster({
    loads: names.map((name) => queue(name, depthFor(1))),
    workloads: names.map((name) => workload("Deployment", name)).join(""),
  });
  const { stack } = cluster;
  const chart = join(import.meta.dirname, "../../../deploy/chart/plimsoll");
  page = openPage("autoscaler.md", {
    kubeconfig: () => stack.kubeconfig,
    programs: {
      helm: `env HELM_CACHE_HOME="$PWD/.helm" HELM_CONFIG_HOME="$PWD/.helm" HELM_DATA_HOME="$PWD/.helm" "${helm}"`,
    },
  });
  troubleshooting = openPage("troubleshooting.md", { kubeconfig: () => stack.kubeconfig });
  writeFileSync(join(page.folder, "rbac.yaml"), shipped("kustomize/base/autoscaler-rbac.yaml"));
  // The page's reader is in the repository's folder.
  await page.shell(`mkdir -p deploy/chart && ln -s "${chart}" deploy/chart/plimsoll`);
  // The rights come with the chart here.
  await page.shell("kubectl delete -f ../rbac.yaml");
  builtIn = await stack.startControllerManager(builtInHpa(pace));
  await stack.apply(
    names.map((name) => followsQueue(name, { apiVersion: "apps/v1", kind: "Deployment" })).join(""),
  );
  await levelOut(names, 2);
});

afterAll(async () => {
  await autoscaler?.stop();
  await cluster?.stop();
  page?.close();
  troubleshooting?.close();
});

test("it runs beside the built-in controller, and finds that they agree", async () => {
  await page.shell(page.commandsWith("helm upgrade --install"));
  await followArguments("none");
  await page.shell(page.commandsWith("create serviceaccount reader"));
  await levelOut(names, 3);
  const commands = withoutPortForward(page.commandsWith("query /apis/shadow/v1/report"));
  const printed = await until(
    "several comparisons",
    async () => {
      const text = await page.shell(commands);
      return /100\.0 % of \d{2,} compared decisions agree \(0 differ/.test(text) ? text : undefined;
    },
    { everyMs: 500 },
  );
  expect(printed).toContain("over 3 objects, 0 apart now.\nNo differences.");
  expect(printed).toContain(`"isApart":false`);
  for (const name of names) expect(await scaledBy(name)).toBe(builtInManager);
});

test("a WorkloadAutoscaler made of an HPA wants the same count", async () => {
  await page.shell(page.commandsWith("convert --mode Shadow"));
  await until("its status", async () => {
    const { status } = await wla();
    return status?.desiredReplicas === 3 || undefined;
  });
  expect(await page.shell("kubectl get wla shop")).toMatch(
    /\nshop\s+shop\s+\S.*\s1\s+10\s+3\s+3\s+Shadow\s+True\s+\w+\s+False/,
  );
});

test("it takes over one target by its WorkloadAutoscaler, while the built-in controller has the others", async () => {
  await page.shell(page.commandsWith('{"spec":{"mode":"Active"}}'));
  await levelOut(names, 4);
  expect(await Promise.all(names.map(scaledBy))).toEqual([ourManager, builtInManager, builtInManager]);
});

test("it takes over HPAs that are marked, and then all", async () => {
  await builtIn.stop();
  await page.shell(page.commandsWith("manageHpas=annotated"));
  await followArguments("annotated");
  await levelOut(["shop", "api"], 5);
  await page.shell(page.commandsWith("manageHpas=all"));
  load(["worker"], 5);
  expect(await count("worker")).toBe(4);
  await followArguments("all");
  await levelOut(names, 5);
  expect(await Promise.all(names.map(scaledBy))).toEqual([ourManager, ourManager, ourManager]);
});

test("an HPA whose status another controller wrote is reclaimed by its annotation", async () => {
  await levelOut(["api"], 6);
  const path = "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/api/status";
  // A status of ours that is still to come would take the place of the other one.
  await until("our status", async () => {
    const { status } = await cluster.stack.client.request<KubeObject & { readonly status?: HpaStatus }>({
      path,
    });
    return (status?.currentReplicas === 6 && status.desiredReplicas === 6) || undefined;
  });
  await cluster.stack.client.request({
    method: "PATCH",
    path,
    query: { fieldManager: builtInManager },
    contentType: "application/merge-patch+json",
    body: { status: { desiredReplicas: 8 } },
  });
  await until("the event", async () => {
    const text = await cluster.kubectl("describe", "hpa", "api");
    return (
      /Warning\s+ForeignWriter\s.*kube-controller-manager has written the status once/.test(text) || undefined
    );
  });
  expect(await count("api")).toBe(6);
  const reclaim = troubleshooting.commandsWith("autoscaling.plimsoll.dev/reclaim");
  expect(reclaim).toContain("hpa shop ");
  await page.shell(reclaim.replace("hpa shop ", "hpa api "));
  await levelOut(["api"], 5);
});

test("rolled back, the built-in controller manages everything again", async () => {
  await page.shell(page.commandsWith("manageHpas=none"));
  await followArguments("none");
  await page.shell(page.commandsWith("kubectl create -f -"));
  builtIn = await cluster.stack.startControllerManager(builtInHpa(pace));
  await levelOut(names, 7);
  expect(await Promise.all(names.map(scaledBy))).toEqual(names.map(() => builtInManager));
  expect(await page.shell("kubectl get events -A")).not.toMatch(/ForeignWriter.*(shop|worker)/);
});

test("a pause is a patch", async () => {
  await page.shell(page.commandsWith('"mode":"Paused"'));
  await until("the condition", async () => {
    const { status } = await wla();
    const paused = status?.conditions?.find(({ type }) => type === "Paused");
    return paused?.message === "paused until 2030-01-01T00:00:00.000Z: migration" || undefined;
  });
  expect(cluster.troubles).toEqual([]);
});

const deployments = "/apis/apps/v1/namespaces/default/deployments";

/** Restarts the process as the Deployment of the chart says, once it says so. */
async function followArguments(manageHpas: string): Promise<void> {
  const { stack } = cluster;
  const path = "/apis/apps/v1/namespaces/plimsoll/deployments/plimsoll-autoscaler";
  const { spec } = await stack.client.request<{
    spec: {
      template: { spec: { serviceAccountName: string; containers: readonly { args: readonly string[] }[] } };
    };
  }>({ path });
  const { containers, serviceAccountName } = spec.template.spec;
  const args = containers[0]?.args ?? [];
  expect(args).toContain(`--manage-hpas=${manageHpas}`);
  const token = await requestToken(stack.client, "plimsoll", serviceAccountName);
  const own = join(page.folder, "autoscaler.kubeconfig");
  const { url: server, caPem } = stack.address;
  writeFileSync(own, kubeconfigText({ server, caPem, user: { token } }), { mode: 0o600 });
  await autoscaler?.stop();
  autoscaler = await startPlimsoll("autoscaler", [
    ...args,
    // The last one counts: an address of this machine, and the pace of a test.
    `--kubeconfig=${own}`,
    "--bind-address=127.0.0.1",
    "--port=0",
    "--secure-port=0",
    ...pace,
  ]);
  await until(
    "the lease",
    () => autoscaler?.lines.some((line) => line.includes('"objects gained"')) || undefined,
  );
}

/** The commands with the process instead of a port that is forwarded. */
function withoutPortForward(commands: string): string {
  const line = autoscaler?.lines.find((text) => text.includes('"securePort"')) ?? "{}";
  const { securePort } = JSON.parse(line) as { readonly securePort?: number };
  expect(commands).toContain("port-forward deploy/plimsoll-autoscaler 8443");
  return commands.replace(/^.*port-forward.*\n/, "").replace("localhost:8443", `localhost:${securePort}`);
}

function load(which: readonly Name[], replicas: number): void {
  for (const name of which) cluster.stack.load.set(`default/${name}`, depthFor(replicas), "queue");
}

async function levelOut(which: readonly Name[], replicas: number): Promise<void> {
  load(which, replicas);
  await until(
    `${replicas} replicas`,
    async () => {
      const counts = await Promise.all(which.map(count));
      if (counts.every((each) => each === replicas)) return true;
      throw new Error(`${which.join(", ")} have ${counts.join(", ")}`);
    },
    { everyMs: 250 },
  );
}

interface Deployment extends KubeObject {
  readonly spec: { readonly replicas: number };
}

async function count(name: Name): Promise<number> {
  const { spec } = await cluster.stack.client.request<Deployment>({ path: `${deployments}/${name}` });
  return spec.replicas;
}

/** Who wrote the count last. */
async function scaledBy(name: Name): Promise<string | undefined> {
  const { metadata } = await cluster.stack.client.request<Deployment>({ path: `${deployments}/${name}` });
  const { managedFields } = metadata as unknown as {
    readonly managedFields: readonly { manager: string; fieldsV1: { "f:spec"?: object } }[];
  };
  return managedFields.find(({ fieldsV1 }) => "f:replicas" in (fieldsV1["f:spec"] ?? {}))?.manager;
}

function wla() {
  return cluster.stack.client.request<
    KubeObject & {
      readonly status?: {
        readonly desiredReplicas?: number;
        readonly conditions?: readonly { readonly type: string; readonly message: string }[];
      };
    }
  >({ path: "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers/shop" });
}
