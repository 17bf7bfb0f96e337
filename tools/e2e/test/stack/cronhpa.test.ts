import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Autoscaler, compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { type ManualClock, manualClock } from "@plimsoll/component-base/testing";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createSandbox, type Sandbox } from "@plimsoll/sandbox";
import { applyManifests, parseManifests } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { local } from "../fixture.ts";
import { silent } from "../silent.ts";
import { untilWith } from "../until-with.ts";

const definition = local(
  "../../../deploy/crds/cronhorizontalpodautoscalers.autoscaling.alibabacloud.com.yaml",
);
const cronHpas = "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com";

const folder = fileFolder();
let sandbox: Sandbox;
let client: KubeClient;
let autoscaler: Autoscaler | undefined;
let autoscalerClient: KubeClient | undefined;
let clock: ManualClock;

beforeAll(async () => {
  sandbox = createSandbox();
  const address = await sandbox.start();
  writeFileSync(join(folder, "kubeconfig"), address.kubeconfig, { mode: 0o600 });
  client = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "test" });
});

afterAll(async () => {
  await client?.close();
  await sandbox?.stop();
});

afterEach(async () => {
  await autoscaler?.stop();
  await autoscalerClient?.close();
  autoscaler = undefined;
});

async function start(...flags: readonly string[]): Promise<void> {
  const compiled = compileConfig(readCommandLine(["--leader-elect=false", "--port=0", ...flags]));
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  autoscalerClient = await connect({ kubeconfig: join(folder, "kubeconfig"), userAgent: "autoscaler" });
  clock = manualClock(Date.now());
  autoscaler = createAutoscaler(compiled.config, { client: autoscalerClient, clock, log: silent });
  await autoscaler.start();
}

const until = <T>(what: string, ask: () => T | undefined) => untilWith(clock, what, ask);

const apply = (text: string) =>
  applyManifests({ client, mapper: createRestMapper({ client }) }, parseManifests(text));

const deployment = (name: string, replicas: number) => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: default }
spec:
  replicas: ${replicas}
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: none }] }
`;

function replicas(name: string): number | undefined {
  const object = sandbox.store.get("deployments.apps", "default", name);
  return (object?.spec as { replicas?: number } | undefined)?.replicas;
}

interface Condition {
  readonly name: string;
  readonly state: string;
  readonly message?: string;
}

function condition(name: string, job: string): Condition | undefined {
  const object = sandbox.store.get(cronHpas, "default", name);
  const status = object?.status as { conditions?: readonly Condition[] } | undefined;
  return status?.conditions?.find((candidate) => candidate.name === job);
}

test("a definition that is installed later is found, and its jobs run; events say so", async () => {
  await apply(deployment("shop", 1));
  await start("--cron-hpa");
  await apply(readFileSync(definition, "utf8"));
  await apply(`
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: shop, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1beta2, kind: Deployment, name: shop }
  jobs:
    - { name: up, schedule: "* * * * * *", targetSize: 3 }
    - { name: never, schedule: "0 0 0 31 2 *", targetSize: 1 }
`);
  await until("the count", () => (replicas("shop") === 3 ? true : undefined));
  const { managedFields } = (sandbox.store.get("deployments.apps", "default", "shop")?.metadata ?? {}) as {
    readonly managedFields?: readonly { readonly manager: string; readonly subresource?: string }[];
  };
  // Not the manager of evaluations, which would take this for another installation.
  expect(managedFields?.find(({ subresource }) => subresource === "scale")?.manager).toBe("plimsoll-cronhpa");
  await until("the condition", () => condition("shop", "up")?.state === "Succeed" || undefined);
  expect(condition("shop", "up")?.message).toMatch(
    /^cron hpa job up executed successfully. current replicas:\d, desired replicas:3.$/,
  );
  expect(condition("shop", "never")).toMatchObject({
    state: "Failed",
    message: expect.stringContaining("never occurs"),
  });
  const events = await until("the events", () => {
    const events = sandbox.store
      .list("events", "default")
      .filter((event) => (event["involvedObject"] as { name?: string }).name === "shop")
      .map((event) => [
        event["type"],
        event["reason"],
        (event["source"] as { component?: string }).component,
      ]);
    return ["Succeed", "Failed"].every((wanted) => events.some(([, reason]) => reason === wanted))
      ? events
      : undefined;
  });
  expect(events).toContainEqual(["Normal", "Succeed", "CronHorizontalPodAutoscaler"]);
  expect(events).toContainEqual(["Warning", "Failed", "CronHorizontalPodAutoscaler"]);
});

test("an HPA as target: its bounds move, and its workload is scaled", async () => {
  await apply(readFileSync(definition, "utf8"));
  await apply(deployment("front", 2));
  await apply(`
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: front, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: front }
  minReplicas: 1
  maxReplicas: 4
---
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: front, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: front }
  jobs:
    - { name: up, schedule: "@every 2s", targetSize: 6, runOnce: true }
---
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: gone, namespace: default }
spec:
  scaleTargetRef: { apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: gone }
  jobs:
    - { name: up, schedule: "@every 2s", targetSize: 6, runOnce: true }
`);
  await start("--cron-hpa");
  await until("the count", () => (replicas("front") === 6 ? true : undefined));
  const hpa = sandbox.store.get("horizontalpodautoscalers.autoscaling", "default", "front");
  expect(hpa?.spec).toMatchObject({ minReplicas: 6, maxReplicas: 6 });
  await until("the failure of the other", () => condition("gone", "up")?.state === "Failed" || undefined);
  expect(condition("gone", "up")?.message).toContain("Failed to get HorizontalPodAutoscaler Ref,because of");
});
