// Everything that runs in a soak: a sandbox with load, a real Prometheus, the adapter, two autoscalers.
import { mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@plimsoll/component-base";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import {
  createExporter,
  createLoadModel,
  createSandbox,
  type LoadModel,
  type SandboxAddress,
  type VersionedStore,
} from "@plimsoll/sandbox";
import {
  applyManifests,
  freePort,
  gaugeRules,
  type PrometheusServer,
  parseManifests,
  registration,
  type Stops,
  startPrometheus,
  startWhole,
} from "@plimsoll/testbed";
import { type Certificates, createCertificates } from "./certificates.ts";
import { type SoakProcess, startSoakProcess } from "./processes.ts";
import { createWriters, type Writers } from "./writers.ts";

export const periodMs = 2000;
/** As by default. */
const leaseMs = 15_000;
const retryMs = 2000;
/** From the end of a leader that was killed until another has the lease. */
export const takeoverMs = leaseMs + 2 * retryMs;

export interface SoakStack {
  readonly client: KubeClient;
  readonly store: VersionedStore;
  readonly load: LoadModel;
  readonly writers: Writers;
  readonly certificates: Certificates;
  /** Those that run now, the adapter first. */
  processes(): readonly SoakProcess[];
  /** Undefined while none has the lease. */
  leader(): SoakProcess | undefined;
  /** Another autoscaler; it becomes the leader when there is none. */
  startAutoscaler(): Promise<void>;
  endAutoscaler(process: SoakProcess, how: "SIGTERM" | "SIGKILL"): Promise<void>;
  restartPrometheus(downMs: number): Promise<void>;
  /** The adapter reads the rules again when the file changes. */
  writeRules(text: string): void;
  stop(): Promise<void>;
}

export function startSoakStack(prometheusProgram: string): Promise<SoakStack> {
  return startWhole((stops) => assemble(prometheusProgram, stops));
}

async function assemble(program: string, stops: Stops): Promise<Omit<SoakStack, "stop">> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-soak-"));
  stops.push(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }));
  const cluster = await startCluster(folder, stops);
  const prometheus = await startObservers(program, { folder, ...cluster }, stops);
  const certificates = await createCertificates(folder);
  const rulesFile = join(folder, "rules.yaml");
  const writeRules = (text: string) => {
    writeFileSync(`${rulesFile}.new`, text);
    renameSync(`${rulesFile}.new`, rulesFile);
  };
  writeRules(readFileSync(gaugeRules, "utf8"));

  const { address, client } = cluster;
  const kubeconfigFor = (account: string) => {
    const file = join(folder, `${account}.kubeconfig`);
    writeFileSync(file, address.kubeconfigFor(account, ["system:serviceaccounts"]), { mode: 0o600 });
    return file;
  };
  const adapter = await startSoakProcess({
    name: "adapter",
    program: "metrics-adapter",
    token: address.serviceAccountToken("plimsoll", "soak"),
    args: adapterArgs({ rulesFile, prometheus, certificates, kubeconfig: kubeconfigFor("adapter") }),
  });
  const running = [adapter];
  stops.push(async () => {
    await Promise.all(running.map((one) => one.end("SIGTERM")));
  });
  const { port } = adapter.process;
  await applyManifests(
    { client, mapper: createRestMapper({ client }) },
    registration({ port, caPem: certificates.caPem }),
  );

  let autoscalers = 0;
  return {
    client,
    store: cluster.store,
    load: cluster.load,
    writers: cluster.writers,
    certificates,
    processes: () => [...running],
    leader: () => running.find(({ name }) => name === cluster.writers.leader()),
    async startAutoscaler() {
      autoscalers += 1;
      const name = `autoscaler-${autoscalers}`;
      const args = autoscalerArgs(kubeconfigFor(name), certificates);
      running.push(await startSoakProcess({ name, program: "autoscaler", args }));
    },
    async endAutoscaler(process, how) {
      running.splice(running.indexOf(process), 1);
      await process.end(how);
    },
    restartPrometheus: prometheus.restart,
    writeRules,
  };
}

interface Cluster {
  readonly address: SandboxAddress;
  readonly client: KubeClient;
  readonly store: VersionedStore;
  readonly load: LoadModel;
  readonly writers: Writers;
}

const crdFile = (name: string) => join(import.meta.dirname, "../../../deploy/crds", `${name}.yaml`);

async function startCluster(folder: string, stops: Stops): Promise<Cluster> {
  const writers = createWriters();
  const sandbox = createSandbox({ authorize: writers.authorize });
  stops.push(
    sandbox.store.subscribe(({ resource, object }) => {
      if (resource === "leases.coordination.k8s.io") writers.leaseChanged(object);
    }),
  );
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfig = join(folder, "admin.kubeconfig");
  writeFileSync(kubeconfig, address.kubeconfig, { mode: 0o600 });
  const client = await connect({ kubeconfig, userAgent: "plimsoll-soak" });
  stops.push(() => client.close());
  const cluster = { client, mapper: createRestMapper({ client }) };
  for (const name of [
    "workloadautoscalers.autoscaling.plimsoll.dev",
    "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
  ])
    await applyManifests(cluster, parseManifests(readFileSync(crdFile(name), "utf8")));
  const load = createLoadModel({ clock: systemClock, store: sandbox.store });
  load.start();
  stops.push(() => load.stop());
  return { address, client, store: sandbox.store, load, writers };
}

interface RestartablePrometheus {
  readonly url: string;
  restart(downMs: number): Promise<void>;
}

async function startObservers(
  binary: string,
  { folder, load }: { readonly folder: string; readonly load: LoadModel },
  stops: Stops,
): Promise<RestartablePrometheus> {
  const exporter = createExporter({ model: load, clock: systemClock, withTimestamps: false });
  const { port: exporterPort } = await exporter.start();
  stops.push(() => exporter.stop());
  const options = {
    binary,
    folder: join(folder, "prometheus"),
    target: `127.0.0.1:${exporterPort}`,
    scrapeIntervalMs: 500,
    port: await freePort(),
  };
  let server: PrometheusServer = await startPrometheus(options);
  stops.push(() => server.stop());
  return {
    url: server.url,
    async restart(downMs) {
      await server.stop();
      await new Promise((resolve) => setTimeout(resolve, downMs));
      server = await startPrometheus(options);
    },
  };
}

function adapterArgs({
  rulesFile,
  prometheus,
  certificates,
  kubeconfig,
}: {
  readonly rulesFile: string;
  readonly prometheus: RestartablePrometheus;
  readonly certificates: Certificates;
  readonly kubeconfig: string;
}): readonly string[] {
  return [
    `--config=${rulesFile}`,
    `--prometheus-url=${prometheus.url}`,
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--tls-cert-file=${certificates.certFile}`,
    `--tls-private-key-file=${certificates.keyFile}`,
    "--metrics-relist-interval=2s",
    "--metrics-max-age=10s",
    "--metrics-result-max-age=500ms",
  ];
}

function autoscalerArgs(kubeconfig: string, { certFile, keyFile }: Certificates): readonly string[] {
  return [
    `--kubeconfig=${kubeconfig}`,
    "--leader-elect-resource-namespace=plimsoll",
    "--manage-hpas=all",
    "--cron-hpa=true",
    `--horizontal-pod-autoscaler-sync-period=${periodMs}ms`,
    "--horizontal-pod-autoscaler-downscale-stabilization=10s",
    "--horizontal-pod-autoscaler-cpu-initialization-period=0s",
    "--horizontal-pod-autoscaler-initial-readiness-delay=1s",
    "--port=0",
    "--secure-port=0",
    `--tls-cert-file=${certFile}`,
    `--tls-private-key-file=${keyFile}`,
  ];
}
