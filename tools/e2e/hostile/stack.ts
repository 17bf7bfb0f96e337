import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connect, createRestMapper, type KubeClient } from "@plimsoll/kube";
import {
  type AuthorizeHook,
  createSandbox,
  type SandboxAddress,
  type VersionedStore,
} from "@plimsoll/sandbox";
import {
  applyManifests,
  type Helper,
  type PlimsollProcess,
  parseManifests,
  registration,
  type Stops,
  startHelper,
  startWhole,
  until,
} from "@plimsoll/testbed";
import type { Pages } from "./pod-pages.ts";
import type { ProbeAnswer, ProbeQuestion } from "./probe-protocol.ts";
import { killed, startAdapter, startAutoscalers, writeAdapterFiles } from "./processes.ts";
import { type PrometheusStand, startPrometheusStand } from "./prometheus-stand.ts";
import {
  type CronWatch,
  createVictim,
  periodMs,
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
  readonly prometheus: PrometheusStand;
  /** The ports of the pods, and the requests that went where none should since the last look. */
  pages(): Promise<Pages & { readonly victimPort: number }>;
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

export function startHostileStack(prometheusProgram: string): Promise<HostileStack> {
  return startWhole((stops) => assemble(prometheusProgram, stops));
}

async function assemble(prometheusProgram: string, stops: Stops): Promise<Omit<HostileStack, "stop">> {
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-hostile-"));
  stops.push(() => rmSync(folder, { recursive: true, force: true }));
  const [ofVictim, ofTenant] = [await startPages(stops), await startPages(stops)];
  const { port } = await ofVictim.request<Pages>({});
  const { address, store, client, cluster, kubeconfig } = await startCluster(folder, port, stops);
  const cron = watchCron(store);
  stops.push(() => cron.stop());
  const prometheus = await startPrometheusStand(prometheusProgram, folder, stops);

  const files = { folder, kubeconfig, prometheusUrl: prometheus.url };
  writeAdapterFiles(files);
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
      targets: {
        adapterPort: adapter.port,
        autoscalerPorts: autoscalers.map(({ port }) => port),
        prometheusUrl: prometheus.realUrl,
        token,
      },
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
    prometheus,
    async pages() {
      const [one, other] = [await ofVictim.request<Pages>({}), await ofTenant.request<Pages>({})];
      return {
        victimPort: one.port,
        port: other.port,
        trespasses: [...one.trespasses, ...other.trespasses],
      };
    },
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

/** Our processes may list whatever else a tenant names. */
const mayNotList: AuthorizeHook = ({ resource, verb }) =>
  resource?.resource === "ingresses" && ["list", "watch"].includes(verb)
    ? { allowed: false, reason: "no role allows it" }
    : undefined;

/** A process for each of the two: those of the tenant delay no page of the victim. */
async function startPages(stops: Stops): Promise<Helper> {
  const pages = await startHelper(new URL("./pod-pages.ts", import.meta.url));
  stops.push(() => pages.stop());
  return pages;
}

/** The API server with the definitions and the victim's objects. */
async function startCluster(folder: string, podPort: number, stops: Stops) {
  const sandbox = createSandbox({ workloads: false, authorize: mayNotList });
  const address = await sandbox.start();
  stops.push(() => sandbox.stop());
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    writeFileSync(path, text, { mode: 0o600 });
    return path;
  };
  const kubeconfig = file("kubeconfig", address.kubeconfigFor("plimsoll", []));
  const admin = file("admin-kubeconfig", address.kubeconfig);
  const client = await connect({ kubeconfig: admin, userAgent: "hostile-tenant" });
  stops.push(() => client.close());
  const cluster = { client, mapper: createRestMapper({ client }) };
  for (const name of [
    "workloadautoscalers.autoscaling.plimsoll.dev",
    "cronhorizontalpodautoscalers.autoscaling.alibabacloud.com",
    "metricrules.autoscaling.plimsoll.dev",
  ])
    await applyManifests(cluster, parseManifests(crd(name)));
  createVictim(sandbox.store, podPort);
  return { address, store: sandbox.store, client, cluster, kubeconfig };
}
