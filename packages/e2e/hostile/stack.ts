import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { createSandbox, type SandboxAddress, type VersionedStore } from "@plimsoll/sandbox";
import {
  ADAPTER_SERVER_NAME,
  applyManifests,
  type Helper,
  type PlimsollProcess,
  type PlimsollProgram,
  parseManifests,
  plimsollCommand,
  registration,
  startHelper,
  startPlimsoll,
  startPrometheus,
  until,
} from "@plimsoll/testbed";
import type { ProbeAnswer, ProbeQuestion } from "./probe-protocol.ts";
import type { Addresses, Wanted } from "./prometheus-side.ts";
import {
  type CronWatch,
  createVictim,
  periodMs,
  rules,
  tenant,
  victim,
  victimObjects,
  watchCron,
} from "./victim.ts";

/** Both processes, a victim with its probe, and all that a hostile tenant can write to. */
export interface HostileStack {
  readonly address: SandboxAddress;
  readonly store: VersionedStore;
  readonly client: KubeClient;
  readonly cron: CronWatch;
  readonly tenantToken: string;
  /** Those that run now. */
  readonly adapter: PlimsollProcess;
  readonly autoscalers: readonly PlimsollProcess[];
  probe(question?: ProbeQuestion): Promise<ProbeAnswer>;
  /** Changes the tenant's series and what Prometheus makes of queries of them. */
  prometheus(wanted: Wanted): Promise<void>;
  /** Ends the processes, kindly or at once, and starts others in their place; `autoscalers`: how many. */
  restart(options?: { readonly autoscalers?: number; readonly kill?: true }): Promise<void>;
  /** Until every object of the victim has been evaluated from now on and its requests are answered. */
  settle(timeoutMs: number): Promise<void>;
  /** The process of that number is no more; the probe forgets nothing. */
  killAutoscaler(index: number): void;
  stop(): Promise<void>;
}

/** How finely settle() sees that it is over. */
export const settleStepMs = 1_000;

const crd = (name: string) =>
  readFileSync(join(import.meta.dirname, "../../../deploy/crds", `${name}.yaml`), "utf8");

export async function startHostileStack(prometheusProgram: string): Promise<HostileStack> {
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async () => {
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    return await assemble(prometheusProgram, stops, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function assemble(
  prometheusProgram: string,
  stops: (() => Promise<void> | void)[],
  stop: () => Promise<void>,
): Promise<HostileStack> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-hostile-"));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  const { address, store, client, cluster, kubeconfig } = await startCluster(folder, stops);
  const cron = watchCron(store);
  stops.push(() => cron.stop());
  const side = await startPrometheusSide(prometheusProgram, folder, stops);

  const files = { folder, kubeconfig, prometheusUrl: side.url };
  writeFileSync(join(folder, "rules.yaml"), rules);
  let adapter = await startAdapter(files);
  let autoscalers: readonly PlimsollProcess[] = [];
  stops.push(async () => {
    await Promise.all([adapter, ...autoscalers].map((one) => one.stop(1000)));
  });
  const register = async (): Promise<void> => {
    const caPem = readFileSync(join(folder, "adapter", "ca.crt"), "utf8");
    await applyManifests(cluster, registration({ port: adapter.port, caPem }));
  };
  await register();
  autoscalers = await startAutoscalers(files, 1);

  const helper: Helper = await startHelper(new URL("./probe.ts", import.meta.url));
  stops.push(() => helper.stop());
  const probe = (question: ProbeQuestion = {}) => helper.request<ProbeAnswer>(question);
  const token = address.serviceAccountToken(victim, "default");
  const aim = () =>
    probe({
      targets: { adapterPort: adapter.port, autoscalerPorts: autoscalers.map(({ port }) => port), token },
    });

  return {
    address,
    store,
    client,
    cron,
    tenantToken: address.serviceAccountToken(tenant, "default"),
    get adapter() {
      return adapter;
    },
    get autoscalers() {
      return autoscalers;
    },
    probe,
    prometheus: side.change,
    async restart({ autoscalers: count = 1, kill } = {}) {
      const ending = [adapter, ...autoscalers];
      await Promise.all(ending.map((one) => (kill === true ? killed(one) : one.stop())));
      adapter = await startAdapter(files);
      await register();
      autoscalers = await startAutoscalers(files, count);
      await aim();
    },
    async settle(timeoutMs) {
      const sinceMs = Date.now();
      await aim();
      const step = { timeoutMs, everyMs: settleStepMs };
      await until("the victim to be served", async () => isServed(await probe(), sinceMs), step);
      await probe({ forget: true });
      cron.reset();
    },
    killAutoscaler(index) {
      const one = autoscalers[index];
      if (one !== undefined) process.kill(one.pid, "SIGKILL");
      autoscalers = autoscalers.filter((other) => other !== one);
    },
    stop,
  };
}

/** Whether every object was evaluated since then, and requests are answered. @throws with what is missing */
function isServed(seen: ProbeAnswer, sinceMs: number): true {
  const isSeen = victimObjects.every(({ resource, name }) => {
    const key = `${resource}/${name}`;
    return (seen.lastAtMs[key] ?? 0) > sinceMs && (seen.gapsMs[key] ?? Infinity) < 2 * periodMs;
  });
  if (isSeen && seen.requests > 0 && seen.problems.length === 0) return true;
  throw new Error(JSON.stringify(seen));
}

type Stops = (() => Promise<void> | void)[];

/** The API server with the definitions and the victim's objects. */
async function startCluster(folder: string, stops: Stops) {
  const sandbox = createSandbox({ workloads: false });
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const kubeconfig = join(folder, "kubeconfig");
  writeFileSync(kubeconfig, address.kubeconfig, { mode: 0o600 });
  const client = await connect({ kubeconfig, userAgent: "hostile-tenant" });
  stops.push(() => client.close());
  const cluster = { client, mapper: createRestMapper({ client }) };
  for (const name of [
    "workloadautoscalers.autoscaling.plimsoll.dev",
    "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
    "metricrules.autoscaling.plimsoll.dev",
  ])
    await applyManifests(cluster, parseManifests(crd(name)));
  createVictim(sandbox.store);
  return { address, store: sandbox.store, client, cluster, kubeconfig };
}

/** A real Prometheus behind the process that can make it faulty. */
async function startPrometheusSide(binary: string, folder: string, stops: Stops) {
  const side = await startHelper(new URL("./prometheus-side.ts", import.meta.url));
  stops.push(() => side.stop());
  const { target } = await side.request<Addresses>({});
  const own = join(folder, "prometheus");
  const real = await startPrometheus({ binary, folder: own, target, scrapeIntervalMs: 500 });
  stops.push(() => real.stop());
  const { url } = await side.request<Addresses>({ upstream: real.url } satisfies Wanted);
  return {
    url,
    async change(wanted: Wanted): Promise<void> {
      await side.request(wanted);
    },
  };
}

async function killed(child: PlimsollProcess): Promise<void> {
  try {
    process.kill(child.pid, "SIGKILL");
  } catch {
    // It had ended by itself.
  }
  await child.exited;
}

/** Less than the chart's limit leaves them: what is kept for ever ends a process in seconds instead of days. */
const heapMb: Readonly<Record<PlimsollProgram, number>> = { "metrics-adapter": 160, autoscaler: 256 };

function startSmall(program: PlimsollProgram, args: readonly string[]): Promise<PlimsollProcess> {
  const how = plimsollCommand(program);
  return startPlimsoll(program, args, {
    ...how,
    args: [`--max-old-space-size=${heapMb[program]}`, ...how.args],
  });
}

interface Files {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly prometheusUrl: string;
}

function startAdapter({ folder, kubeconfig, prometheusUrl }: Files): Promise<PlimsollProcess> {
  mkdirSync(join(folder, "adapter"), { recursive: true });
  return startSmall("metrics-adapter", [
    `--config=${join(folder, "rules.yaml")}`,
    `--prometheus-url=${prometheusUrl}`,
    `--lister-kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    "--bind-address=127.0.0.1",
    "--secure-port=0",
    `--cert-dir=${join(folder, "adapter")}`,
    `--self-signed-cert-hosts=${ADAPTER_SERVER_NAME}`,
    "--metrics-relist-interval=1s",
    "--metrics-max-age=10s",
    "--metrics-result-max-age=1s",
    "--metric-rules=true",
  ]);
}

const leaseMs = 4_000;
const retryMs = 500;
/** Until another leads when a leader has ended at once: its lease runs out, and is tried for. */
export const takeoverMs = leaseMs + retryMs;

/** One that needs no lease, or several that elect a leader. */
function startAutoscalers({ kubeconfig }: Files, count: number): Promise<readonly PlimsollProcess[]> {
  const election =
    count === 1
      ? ["--leader-elect=false"]
      : [
          "--leader-elect-resource-namespace=plimsoll",
          `--leader-elect-lease-duration=${leaseMs}ms`,
          "--leader-elect-renew-deadline=3s",
          `--leader-elect-retry-period=${retryMs}ms`,
        ];
  return Promise.all(
    Array.from({ length: count }, () =>
      startSmall("autoscaler", [
        `--kubeconfig=${kubeconfig}`,
        ...election,
        "--manage-hpas=all",
        "--cron-hpa=true",
        `--horizontal-pod-autoscaler-sync-period=${periodMs}ms`,
        "--insecure-decisions",
        "--port=0",
      ]),
    ),
  );
}
