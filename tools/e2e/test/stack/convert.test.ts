// What `plimsoll convert` makes of objects of peers, on the sandbox with a real Prometheus: KEDA's replicas come out.
import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runCli } from "@plimsoll/cli";
import { type PlimsollProcess, type Stack, startPlimsoll, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { local, temporaryStack } from "../fixture.ts";

const folder = fileFolder();
let stack: Stack;
let stop: () => Promise<void>;
let autoscaler: PlimsollProcess;

const deployment = (name: string) => `---
apiVersion: apps/v1
kind: Deployment
metadata: { name: ${name}, namespace: default }
spec:
  replicas: 1
  selector: { matchLabels: { app: ${name} } }
  template:
    metadata: { labels: { app: ${name} } }
    spec: { containers: [{ name: main, image: none }] }
`;

/** An hour around now, with whole minutes: the trigger is active for the whole test. */
const cronAt = (ms: number) => `${new Date(ms).getUTCMinutes()} ${new Date(ms).getUTCHours()} * * *`;
const start = cronAt(Date.now() - 1_800_000);
const end = cronAt(Date.now() + 1_800_000);

const scaledObject = (name: string, spec: string, query = 'sum(queue_depth{queue="orders"})') => `---
apiVersion: keda.sh/v1alpha1
kind: ScaledObject
metadata: { name: ${name}, namespace: default }
spec:
  scaleTargetRef: { name: ${name} }
  maxReplicaCount: 10
${spec}  advanced: { horizontalPodAutoscalerConfig: { behavior: { scaleDown: { stabilizationWindowSeconds: 1 } } } }
  triggers:
  - type: prometheus
    metadata:
      serverAddress: http://prometheus.monitoring:9090
      query: ${query}
      threshold: "30"
      activationThreshold: "10"
`;

const objects = [
  scaledObject("plain", "  minReplicaCount: 0\n"),
  scaledObject("idle", "  minReplicaCount: 3\n  idleReplicaCount: 0\n"),
  `${scaledObject("hours", "  minReplicaCount: 0\n")}  - type: cron
    metadata: { timezone: UTC, start: "${start}", end: "${end}", desiredReplicas: "4" }
`,
  // KEDA takes no result, NaN and infinity for 0, unless it has to fail.
  scaledObject("empty", "  minReplicaCount: 0\n", 'sum(queue_depth{queue="none"})'),
  scaledObject("nan", "  minReplicaCount: 0\n", 'sum(queue_depth{queue="orders"}) * NaN'),
  scaledObject("infinite", "  minReplicaCount: 0\n", 'sum(queue_depth{queue="orders"}) / 0'),
  `${scaledObject("strict", "  minReplicaCount: 0\n", 'sum(queue_depth{queue="none"})')}      ignoreNullValues: "false"
`,
  `${scaledObject("fallback", "  fallback: { failureThreshold: 1, replicas: 6 }\n", 'sum(queue_depth{queue="none"})')}      ignoreNullValues: "false"
`,
].join("");

/** Its query goes into a MetricRule, and has a matcher of the namespace, which the adapter sets itself. */
const ruled = scaledObject(
  "ruled",
  "  minReplicaCount: 0\n",
  'sum(queue_depth{namespace="default",queue="orders"})',
);

async function convert(...flags: string[]): Promise<string> {
  return convertText(objects, ...flags);
}

async function convertText(text: string, ...flags: string[]): Promise<string> {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: ["convert", "f.yaml", ...flags],
    name: "plimsoll",
    version: "0.0.0",
    readText: () => Promise.resolve(text),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  expect([code, errors.includes("error:")]).toEqual([0, false]);
  return out;
}

const inFolder = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

beforeAll(async () => {
  const names = ["plain", "idle", "hours", "empty", "nan", "infinite", "strict", "fallback", "ruled"];
  ({ stack, stop } = await temporaryStack({
    rules: inFolder("rules.yaml", await convert("--print=rules")),
    workloads: inFolder("workloads.yaml", names.map(deployment).join("")),
    loads: [
      {
        namespace: "default",
        kind: "Queue",
        name: "orders",
        metric: "queue",
        points: [{ atMs: 0, value: 140 }],
      },
    ],
    adapterArgs: [
      "--metrics-relist-interval=1s",
      "--metrics-max-age=10s",
      "--metrics-result-max-age=250ms",
      "--metric-rules=true",
    ],
  }));
  await stack.apply(local("../../../deploy/crds/metricrules.autoscaling.plimsoll.dev.yaml"));
  await stack.apply(local("../../../deploy/crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"));
  await stack.apply(inFolder("objects.yaml", await convert()));
  await stack.mapper.refresh();
  await stack.apply(inFolder("ruled.yaml", await convertText(ruled, "--to=metric-rules")));
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--horizontal-pod-autoscaler-downscale-stabilization=1s",
    "--port=0",
  ]);
});

afterAll(async () => {
  await autoscaler?.stop();
  await stop?.();
});

const replicasOf = (name: string) =>
  (stack.store.get("deployments.apps", "default", name)?.spec as { replicas?: number } | undefined)?.replicas;

/** KEDA's replicas: of the HPA while a trigger is active, and else those without one. `ruled` is as `plain`. */
test.each<[orders: number, replicas: Readonly<Record<"plain" | "idle" | "hours", number>>, why: string]>([
  [140, { plain: 5, idle: 5, hours: 5 }, "a worker for each 30"],
  [40, { plain: 2, idle: 3, hours: 4 }, "above the activation: the minimum, and the hours"],
  [8, { plain: 0, idle: 0, hours: 4 }, "not above it: none, but in the hours"],
  [0, { plain: 0, idle: 0, hours: 4 }, "an empty queue"],
  [140, { plain: 5, idle: 5, hours: 5 }, "and back from zero"],
])("with %i orders there are the replicas that KEDA would have: %j, %s", async (orders, replicas) => {
  stack.load.set("default/orders", orders, "queue");
  const wanted = { ...replicas, ruled: replicas.plain };
  const found = () => ({
    plain: replicasOf("plain"),
    idle: replicasOf("idle"),
    hours: replicasOf("hours"),
    ruled: replicasOf("ruled"),
  });
  await until(`${JSON.stringify(wanted)} with ${orders} orders`, () =>
    JSON.stringify(found()) === JSON.stringify(wanted) ? true : undefined,
  );
  expect(found()).toEqual(wanted);
});

test("no result, NaN and infinity are 0, which has no replicas; where they fail the replicas stay, or are those of the fallback", async () => {
  const found = () => ["empty", "nan", "infinite", "strict", "fallback"].map(replicasOf);
  await until("no replicas for nothing", () => (found().join() === "0,0,0,1,6" ? true : undefined));
  expect(found()).toEqual([0, 0, 0, 1, 6]);
});

const examples = globSync("*.yaml", { cwd: local("../../../examples/convert") });

test.each(examples)(
  "what comes out of examples/convert/%s is taken by the API server as it is",
  async (name) => {
    const namespace = inFolder(
      "namespace.yaml",
      "apiVersion: v1\nkind: Namespace\nmetadata: { name: shop }\n",
    );
    await stack.apply(namespace);
    const text = await convertText(readFileSync(local(`../../../examples/convert/${name}`), "utf8"));
    await stack.apply(inFolder("example.yaml", text));
    const written = parseAllDocuments(text).map(
      (document) => document.toJS() as { metadata: { name: string }; spec: object },
    );
    expect(written).toHaveLength(1);
    const stored = stack.store.get(
      "workloadautoscalers.autoscaling.plimsoll.dev",
      "shop",
      written[0]?.metadata.name ?? "",
    );
    // Nothing was pruned.
    expect(stored?.spec).toMatchObject(written[0]?.spec ?? { isMissing: true });
  },
);
