// Our processes as the test of the recipe book runs them on a sandbox.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Autoscaler, compileConfig, createAutoscaler, readCommandLine } from "@plimsoll/autoscaler";
import { runCli } from "@plimsoll/cli";
import { systemClock } from "@plimsoll/component-base";
import { connect } from "@plimsoll/kube";
import {
  ADAPTER_SERVER_NAME,
  applyManifests,
  findDeployTools,
  plimsollCommand,
  registration,
  runToEnd,
  type SandboxCluster,
  type Stops,
  startPlimsoll,
} from "@plimsoll/testbed";
import { parseAllDocuments } from "yaml";
import { local } from "./fixture.ts";
import { silent } from "./silent.ts";

export interface Printed {
  readonly code: number;
  readonly out: string;
  readonly errors: string;
}

/** The command, on this cluster. */
export async function plimsoll(kubeconfig: string, args: readonly string[]): Promise<Printed> {
  let [out, errors] = ["", ""];
  const code = await runCli({
    args: [...args, `--kubeconfig=${kubeconfig}`],
    name: "plimsoll",
    version: "0.0.0",
    readText: (path) => Promise.resolve(readFileSync(path, "utf8")),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.now(),
    signal: new AbortController().signal,
  });
  return { code, out, errors };
}

interface AdapterOptions {
  /** A new one. */
  readonly folder: string;
  /** A rules file. */
  readonly rules: string;
  readonly prometheusUrl: string;
  readonly stops: Stops;
}

/** The adapter, as the metrics API of this cluster. */
export async function startAdapter(
  on: SandboxCluster,
  { folder: own, rules, prometheusUrl, stops }: AdapterOptions,
): Promise<void> {
  mkdirSync(own);
  const config = join(own, "config.yaml");
  writeFileSync(config, rules);
  const kubeconfig = on.kubeconfigFor("metrics-adapter");
  const args = [
    `--config=${config}`,
    `--prometheus-url=${prometheusUrl}`,
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${own}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    "--metrics-relist-interval=1s",
  ];
  const adapter = await startPlimsoll("metrics-adapter", args, plimsollCommand("metrics-adapter"));
  stops.push(() => adapter.stop());
  const caPem = readFileSync(join(own, "ca.crt"), "utf8");
  await applyManifests(on, registration({ port: adapter.port, caPem }));
}

/** It evaluates when the test says so. */
export async function startAutoscaler(on: SandboxCluster, stops: Stops): Promise<Autoscaler> {
  const compiled = compileConfig(
    readCommandLine([
      "--leader-elect=false",
      "--manage-hpas=all",
      "--horizontal-pod-autoscaler-sync-period=24h",
      "--port=0",
    ]),
  );
  if (!compiled.ok) throw new Error(compiled.problems.join("; "));
  const client = await connect({ kubeconfig: on.kubeconfigFor("autoscaler"), userAgent: "plimsoll-e2e" });
  stops.push(() => client.close());
  const autoscaler = createAutoscaler(compiled.config, { client, clock: systemClock, log: silent });
  await autoscaler.start();
  stops.push(() => autoscaler.stop());
  return autoscaler;
}

/** What the chart gives the adapter to read. */
export async function rulesOfChart(values: string): Promise<string> {
  const { helm } = await findDeployTools(() => undefined);
  const chart = local("../../../deploy/chart/plimsoll");
  const { code, stdout, stderr } = await runToEnd(helm, ["template", "plimsoll", chart, "-f", values]);
  if (code !== 0) throw new Error(stderr);
  const objects = parseAllDocuments(stdout).map(
    (one) => one.toJS() as { readonly data?: Record<string, string> } | null,
  );
  const rules = objects.flatMap((one) => one?.data?.["config.yaml"] ?? [])[0];
  if (rules === undefined) throw new Error("the chart has no rules");
  return rules;
}
