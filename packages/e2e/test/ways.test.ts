// The command line at the autoscaler's own routes, by an address and by a forwarded port.

import { readFileSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { runCli } from "@plimsoll/cli";
import { createScenario, quietLoads } from "@plimsoll/demo";
import { openConnection } from "@plimsoll/kube";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { freePort, type PlimsollProcess, type Stack, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, expect, test } from "vitest";
import { example, temporaryStack } from "./fixture.ts";

let stack: Stack;
let stop: () => Promise<void>;
let autoscaler: PlimsollProcess;
let port: number;
let caFile: string;

beforeAll(async () => {
  let folder: string;
  ({ stack, stop, folder } = await temporaryStack({
    rules: example("rules.yaml"),
    loads: quietLoads(createScenario("fast")),
    adapterArgs: ["--metrics-relist-interval=1s", "--metrics-max-age=10s"],
  }));
  await stack.apply(example("autoscalers.yaml"));
  port = await freePort();
  const { certPem, keyPem, caPem } = await generateServingCertificate(["127.0.0.1"], Date.now());
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  caFile = file("ca.crt", caPem);
  autoscaler = await startPlimsoll("autoscaler", [
    `--kubeconfig=${stack.kubeconfigFor("autoscaler")}`,
    "--manage-hpas=all",
    "--horizontal-pod-autoscaler-sync-period=1s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=1s",
    "--leader-elect-resource-namespace=plimsoll",
    "--bind-address=127.0.0.1",
    `--secure-port=${port}`,
    `--tls-cert-file=${file("tls.crt", certPem)}`,
    `--tls-private-key-file=${file("tls.key", keyPem)}`,
    "--port=0",
  ]);
  await until("two recorded decisions with a metric", async () => {
    const { code, out } = await run("explain", "worker", "--back=1", "-o", "json", "--via=port-forward");
    if (code !== 0) return undefined;
    const { source, summary } = JSON.parse(out) as Explained;
    return source === "recorded" && summary.proposed !== null ? true : undefined;
  });
});

interface Explained {
  readonly source: string;
  readonly summary: { readonly proposed: number | null };
}

afterAll(async () => {
  await autoscaler?.stop();
  await stop?.();
});

function run(...args: readonly string[]) {
  return runWith(args, () => undefined);
}

async function runWith(args: readonly string[], wrote: (out: string) => void) {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [...args, `--kubeconfig=${stack.kubeconfig}`],
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
    // The process is no pod: its port is on this machine.
    async connect(options) {
      const { client, access } = await openConnection(options);
      const forwardPort = () => Promise.resolve(connect({ host: "127.0.0.1", port }));
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
    expect(out).toMatch(/^HorizontalPodAutoscaler default\/worker -> Deployment\/worker +recorded \d+s ago/);
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
    raised ??= stack.client.request({
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
    errors: "nothing compared yet: it takes two periods\n",
  });
});
