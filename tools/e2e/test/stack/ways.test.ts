// The command line at the autoscaler's own routes, by an address and by a forwarded port.

import { readFileSync, writeFileSync } from "node:fs";
import { connect as connectTo } from "node:net";
import { join } from "node:path";
import { type Autoscaler, compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { runCli } from "@plimsoll/cli";
import { systemClock } from "@plimsoll/component-base";
import { connect, createRestMapper, type KubeClient, type KubeRequest, openConnection } from "@plimsoll/kube";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { createSandbox, type Sandbox } from "@plimsoll/sandbox";
import { applyManifests, parseManifests, until } from "@plimsoll/testbed";
import { fileFolder } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, expect, test } from "vitest";
import { example } from "../fixture.ts";
import { silent } from "../silent.ts";

const folder = fileFolder();
let sandbox: Sandbox;
let kubeconfig: string;
let client: KubeClient;
let autoscaler: Autoscaler;
let autoscalerClient: KubeClient;
let port: number;
let caFile: string;

beforeAll(async () => {
  sandbox = createSandbox();
  const address = await sandbox.start();
  kubeconfig = file("admin.kubeconfig", address.kubeconfig);
  client = await connect({ kubeconfig, userAgent: "test" });
  const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "plimsoll" } };
  const objects = ["workloads.yaml", "autoscalers.yaml"].flatMap((name) =>
    parseManifests(readFileSync(example(name), "utf8")),
  );
  await applyManifests({ client, mapper: createRestMapper({ client }) }, [namespace, ...objects]);
  await startAutoscaler(
    address.kubeconfigFor("system:serviceaccount:plimsoll:autoscaler", ["system:serviceaccounts"]),
  );
  await until("two recorded decisions with a metric", async () => {
    await autoscaler.sync();
    const { code, out } = await run("explain", "worker", "--back=1", "-o", "json", "--via=port-forward");
    if (code !== 0) return undefined;
    const { source, summary } = JSON.parse(out) as Explained;
    return source === "recorded" && summary.proposed !== null ? true : undefined;
  });
});

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text, { mode: 0o600 });
  return path;
}

async function startAutoscaler(account: string): Promise<void> {
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  caFile = file("ca.crt", caPem);
  const compiled = compileConfig(
    readCommandLine([
      "--manage-hpas=all",
      "--horizontal-pod-autoscaler-sync-period=1s",
      "--leader-elect-resource-namespace=plimsoll",
      "--bind-address=127.0.0.1",
      "--secure-port=0",
      `--tls-cert-file=${file("tls.crt", certPem)}`,
      `--tls-private-key-file=${file("tls.key", keyPem)}`,
      "--port=0",
    ]),
  );
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  autoscalerClient = await connect({
    kubeconfig: file("autoscaler.kubeconfig", account),
    userAgent: "autoscaler",
  });
  autoscaler = createAutoscaler(compiled.config, {
    client: withQueue(autoscalerClient),
    clock: systemClock,
    log: silent,
  });
  port = (await autoscaler.start()).securePort ?? 0;
}

/** With the external metric of "worker"; no other metric is served. */
function withQueue(own: KubeClient): KubeClient {
  const item = { metricName: "queue_depth", metricLabels: {}, value: "24" };
  return {
    ...own,
    request<T>(request: KubeRequest): Promise<T> {
      if (!request.path.startsWith("/apis/external.metrics.k8s.io/")) return own.request<T>(request);
      return Promise.resolve({ items: [{ ...item, timestamp: new Date().toISOString() }] } as T);
    },
  };
}

interface Explained {
  readonly source: string;
  readonly summary: { readonly proposed: number | null };
}

afterAll(async () => {
  await autoscaler?.stop();
  await autoscalerClient?.close();
  await client?.close();
  await sandbox?.stop();
});

function run(...args: readonly string[]) {
  return runWith(args, () => undefined);
}

async function runWith(args: readonly string[], wrote: (out: string) => void) {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [...args, `--kubeconfig=${kubeconfig}`],
    name: "plimsoll",
    version: "0.0.0",
    readText: (path) => Promise.resolve(readFileSync(path, "utf8")),
    writeOut(part) {
      out += part;
      wrote(out);
    },
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
    // The autoscaler is in no pod: its port is on this machine.
    async connect(options) {
      const { client, access } = await openConnection(options);
      const forwardPort = () => Promise.resolve(connectTo({ host: "127.0.0.1", port }));
      return { client, access: { ...access, forwardPort } };
    },
  });
  return { code, out, errors };
}

const byServer = () => ["--via=server", `--server=https://127.0.0.1:${port}`, `--ca-file=${caFile}`];

test("explain shows what was recorded, by each way", async () => {
  for (const way of [["--via=port-forward"], byServer()]) {
    const { code, out, errors } = await run("explain", "worker", ...way);
    expect([code, errors]).toEqual([0, ""]);
    expect(out).toMatch(/^HorizontalPodAutoscaler default\/worker -> Deployment\/worker +recorded \d+s ago/m);
    expect(out).toContain("queue_depth (External)");
  }
});

test("status lists what was recorded of every object", async () => {
  const { out } = await run("status", "-o", "json", "--via=port-forward");
  const { items } = JSON.parse(out) as { readonly items: readonly { readonly source?: string }[] };
  expect(items.map(({ source }) => source)).toEqual(["recorded", "recorded", "recorded", "recorded"]);
});

test("a recorded record replays, and the decision before is there", async () => {
  const { out } = await run("explain", "worker", "-o", "record", "--via=port-forward");
  expect(JSON.parse(out)).toMatchObject({ input: { hpa: { metadata: { name: "worker" } } } });
  expect((await run("explain", "worker", "--back=1", "--diff", "--via=port-forward")).code).toBe(0);
});

test("watch follows the stream: after a new limit there is another line", async () => {
  let raised: Promise<unknown> | undefined;
  const raise = (): void => {
    raised ??= client.request({
      method: "PATCH",
      path: "/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers/worker",
      contentType: "application/merge-patch+json",
      body: { spec: { minReplicas: 5 } },
    });
  };
  const { code, out, errors } = await runWith(
    ["watch", "worker", "--via=port-forward", "--until=desired=5", "--for=60s"],
    raise,
  );
  await raised;
  expect([code, errors]).toEqual([0, ""]);
  // The decisions of one second are one row.
  expect(out.trimEnd().split("\n").at(-1)).toMatch(/(?:-> 5 {2}scale|5 = 5 {3}hold)/);
  expect(out.trimEnd().split("\n").length).toBeGreaterThan(1);
});

test("shadow has nothing to compare with where the autoscaler manages all, and says so", async () => {
  expect(await run("shadow", "--via=port-forward")).toMatchObject({
    code: 0,
    out: "",
    errors: "nothing to compare: the autoscaler manages all 4 objects itself\n",
  });
});
