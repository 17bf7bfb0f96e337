// Starts the programs of a real control plane.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "@plimsoll/component-base/testing";
import { connect, type KubeClient } from "@plimsoll/kube";
import { type Child, startChild } from "../stack/child.ts";
import { type Stops, startWhole } from "../stack/stops.ts";
import { until } from "../stack/until.ts";
import { type AuditedRequest, createAuditLog } from "./audit-log.ts";
import type { ControlPlaneBinaries } from "./binaries.ts";
import { type ClusterIdentity, createIdentity } from "./identity.ts";
import { apiServerFlags, controllerManagerFlags, etcdFlags } from "./program-flags.ts";

/** A real etcd, kube-apiserver and kube-controller-manager on loopback; no scheduler, no kubelets. */
export interface ControlPlane {
  readonly address: { readonly url: string; readonly caPem: string };
  /** The administrator's kubeconfig file. */
  readonly kubeconfig: string;
  /** The administrator's client. */
  readonly client: KubeClient;
  /** A kubeconfig file with a client certificate for this user. */
  kubeconfigFor(user: string, groups: readonly string[]): Promise<string>;
  /** Ends the API server, by SIGKILL after the grace, and starts it again on the same port and data after a while. */
  restartApiServer(input?: { readonly graceMs?: number; readonly downMs?: number }): Promise<void>;
  /** All requests to the API server so far; nothing unless the options say so. */
  audited(): readonly AuditedRequest[];
  /** A further controller manager beside that of the options; it ends with the rest at the latest. */
  startControllerManager(args: readonly string[]): Promise<Child>;
  stop(): Promise<void>;
}

export interface ControlPlaneOptions {
  /** An empty folder; the caller removes it. */
  readonly folder: string;
  readonly binaries: ControlPlaneBinaries;
  /** Flags of the controller manager, among them --controllers; false starts none. */
  readonly controllerManager?: { readonly args: readonly string[] } | false;
  /** Keep a log of all requests. */
  readonly audit?: boolean;
  /** Where cluster IPs come from; no server responds on those of the default. */
  readonly serviceRange?: string;
  /** Of etcd, beside the usual ones. */
  readonly etcdArgs?: readonly string[];
}

const startTimeoutMs = 90_000;

/** Starts and waits until the API server is ready. What started is stopped again when a later part fails. */
export function startControlPlane(options: ControlPlaneOptions): Promise<ControlPlane> {
  return startWhole((stops) => assemble(options, stops));
}

async function assemble(options: ControlPlaneOptions, stops: Stops): Promise<Omit<ControlPlane, "stop">> {
  const { folder, binaries, controllerManager = { args: [] }, audit = false } = options;
  const { serviceRange = "10.96.0.0/16" } = options;
  mkdirSync(folder, { recursive: true });
  const { etcdArgs = [] } = options;
  const etcd = { folder: join(folder, "etcd"), program: binaries.etcd, args: etcdArgs };
  const etcdUrl = await startEtcd(etcd, stops);
  const port = await freePort();
  const url = `https://127.0.0.1:${port}`;
  const identity = await createIdentity({ folder: join(folder, "pki"), server: url });

  const kubeconfig = await identity.kubeconfigFor("admin", ["system:masters"]);
  const client = await connect({ kubeconfig, userAgent: "plimsoll-e2e" });
  stops.push(() => client.close());
  const auditLog = audit ? createAuditLog(folder) : undefined;
  const startApiServer = async (): Promise<Child> => {
    const child = await startProgram("kube-apiserver", binaries.apiServer, {
      args: apiServerFlags({
        folder,
        identity: identity.files,
        etcdUrl,
        port,
        audit: auditLog?.files,
        serviceRange,
      }),
      ready: "Serving securely on",
    });
    await waitForReadiness(client, child);
    return child;
  };
  let apiServer = await startApiServer();
  stops.push(() => apiServer.stop());

  let managers = 0;
  const startControllerManager = async (args: readonly string[]): Promise<Child> => {
    managers += 1;
    const own = join(folder, `controller-manager-${managers}`);
    const manager = await startManager({ folder: own, binaries, identity, args });
    stops.push(() => manager.stop());
    return manager;
  };
  if (controllerManager !== false) await startControllerManager(controllerManager.args);

  return {
    address: { url, caPem: identity.caPem },
    kubeconfig,
    client,
    kubeconfigFor: (user, groups) => identity.kubeconfigFor(user, groups),
    audited: () => auditLog?.read() ?? [],
    async restartApiServer({ graceMs, downMs = 0 } = {}) {
      await apiServer.stop(graceMs);
      await new Promise((resolve) => setTimeout(resolve, downMs));
      apiServer = await startApiServer();
    },
    startControllerManager,
  };
}

/** Its URL. */
async function startEtcd(
  {
    folder,
    program,
    args,
  }: { readonly folder: string; readonly program: string; readonly args: readonly string[] },
  stops: Stops,
): Promise<string> {
  const [clientPort, peerPort] = [await freePort(), await freePort()];
  const clientUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = await startProgram("etcd", program, {
    args: [...etcdFlags({ folder, clientUrl, peerPort }), ...args],
    ready: "ready to serve client requests",
  });
  stops.push(() => etcd.stop());
  return clientUrl;
}

async function startManager(input: {
  readonly folder: string;
  readonly binaries: ControlPlaneBinaries;
  readonly identity: ClusterIdentity;
  readonly args: readonly string[];
}): Promise<Child> {
  return startProgram("kube-controller-manager", input.binaries.controllerManager, {
    ready: "Serving securely on",
    args: [
      ...controllerManagerFlags({
        folder: input.folder,
        identity: input.identity.files,
        kubeconfig: await input.identity.kubeconfigFor("system:kube-controller-manager", []),
        port: await freePort(),
      }),
      ...input.args,
    ],
  });
}

function startProgram(
  name: string,
  command: string,
  input: { readonly args: readonly string[]; readonly ready: string },
): Promise<Child> {
  return startChild({
    name,
    command,
    args: input.args,
    ready: (line) => line.includes(input.ready),
    timeoutMs: startTimeoutMs,
  });
}

async function waitForReadiness(client: KubeClient, child: Child): Promise<void> {
  const died = child.exited.then((code) => {
    throw new Error(`${child.name} ended with exit code ${code}:\n${child.lines.slice(-20).join("\n")}`);
  });
  died.catch(() => {});
  const isReady = async (): Promise<true> => {
    const stream = await client.stream({ path: "/readyz", timeoutMs: 5_000 });
    for await (const _ of stream);
    // The default namespace is there a moment after the server says that it is ready.
    await client.request({ path: "/api/v1/namespaces/default", timeoutMs: 5_000 });
    return true;
  };
  await Promise.race([
    died,
    until("kube-apiserver to be ready", isReady, { timeoutMs: startTimeoutMs, everyMs: 100 }),
  ]);
}
