// The bundled autoscaler as a process of its own, with a cluster of a given size behind it.
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import {
  type PlimsollProcess,
  type Stops,
  startHelper,
  startPlimsoll,
  stopAll,
  until,
} from "@plimsoll/testbed";
import { cpuSeconds } from "../adapter/usage.ts";
import { type BenchCluster, startBenchCluster } from "../autoscaler/bench-cluster.ts";
import { latenessOf } from "../autoscaler/lateness.ts";
import { scrape } from "../autoscaler/sample.ts";
import type { Delays } from "../probe/delay.ts";
import type { Session } from "./session.ts";

export interface FleetOptions {
  readonly objects: number;
  readonly pods: number;
  readonly periodSeconds: number;
  /** What SIGUSR2 measures in the process: the event loop, by default, or the heap after a collection. */
  readonly probe?: "delay" | "heap";
}

export interface Fleet extends FleetOptions {
  readonly folder: string;
  readonly kubeconfig: string;
  readonly cluster: BenchCluster;
  readonly autoscaler: PlimsollProcess;
  readonly pid: number;
  stop(): Promise<void>;
}

/** Each leaves its result in the file that this variable names. */
const probeVariable = "PLIMSOLL_BENCH_PROBE";

const probeFile = "probe.json";

/** Resolves when the autoscaler evaluates. */
export async function startFleet(session: Session, options: FleetOptions): Promise<Fleet> {
  const { objects, pods, periodSeconds, probe = "delay" } = options;
  const folder = mkdtempSync(join(session.folder, "fleet-"));
  const kubeconfig = join(folder, "kubeconfig");
  const cluster = await startBenchCluster({ objects, pods, kubeconfig, load: "still" });
  const stops: Stops = [() => rmSync(folder, { recursive: true, force: true }), cluster.stop];
  const stop = () => stopAll(stops);
  session.stops.push(stop);
  const program = session.autoscaler();
  const autoscaler = await startPlimsoll(
    "autoscaler",
    [
      `--kubeconfig=${kubeconfig}`,
      "--port=0",
      "--manage-hpas=all",
      "--leader-elect=false",
      "--concurrent-horizontal-pod-autoscaler-syncs=50",
      `--horizontal-pod-autoscaler-sync-period=${periodSeconds}s`,
    ],
    {
      command: "env",
      args: [
        ...program.environment,
        `${probeVariable}=${join(folder, probeFile)}`,
        process.execPath,
        ...program.nodeOptions,
        ...(probe === "heap" ? ["--expose-gc"] : []),
        ...profileOptions(session),
        `--import=${new URL(`../probe/${probe}.ts`, import.meta.url).href}`,
        program.file,
      ],
    },
  );
  stops.push(() => autoscaler.stop());
  await until("the autoscaler to evaluate", () =>
    autoscaler.lines.some((line) => line.includes('"evaluating"')) ? true : undefined,
  );
  return { ...options, folder, kubeconfig, cluster, autoscaler, pid: autoscaler.pid, stop };
}

function profileOptions({ profileFolder }: Session): readonly string[] {
  return profileFolder === undefined ? [] : ["--cpu-prof", `--cpu-prof-dir=${profileFolder}`];
}

/** What a while of the autoscaler was. */
export interface Window {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly evaluations: number;
  readonly skipped: number;
  /** To the API server, those for metrics not among them. */
  readonly requests: number;
  /** Upper bounds. */
  readonly latenessP50: number;
  readonly latenessP99: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
  readonly scrapeBytes: number;
}

/** Evaluations are counted between two scrapes, whose CPU is not in the window. */
export function measureWindow(fleet: Fleet, seconds: number): Promise<Window> {
  return measureUntil(fleet, (elapsedSeconds) => elapsedSeconds >= seconds);
}

/** The same for as long as it takes; it is asked twice a second. */
export async function measureUntil(
  fleet: Fleet,
  isOver: (elapsedSeconds: number) => boolean | Promise<boolean>,
): Promise<Window> {
  const { pid, cluster } = fleet;
  const first = await scrape(pid, fleet.autoscaler.port);
  const [requestsBefore, cpuBefore, startedMs] = [await cluster.counts(), cpuSeconds(pid), performance.now()];
  const resident: number[] = [];
  do {
    await sleep(500);
    resident.push(residentMiB(pid));
  } while (!(await isOver((performance.now() - startedMs) / 1000)));
  const took = (performance.now() - startedMs) / 1000;
  const cpu = cpuSeconds(pid) - cpuBefore;
  const requests = total(await cluster.counts()) - total(requestsBefore);
  const last = await scrape(pid, fleet.autoscaler.port);
  const grown = (name: string): number => sumOf(last.metrics, name) - sumOf(first.metrics, name);
  const late = (share: number): number => Number(latenessOf(first, last, share));
  return {
    seconds: took,
    cpuSeconds: cpu,
    evaluations: grown("plimsoll_hpa_controller_reconciliations_total"),
    skipped: grown("plimsoll_hpa_controller_skipped_syncs_total"),
    requests,
    latenessP50: late(0.5),
    latenessP99: late(0.99),
    rssMiB: resident.reduce((sum, one) => sum + one, 0) / resident.length,
    heapMiB: sumOf(last.metrics, "nodejs_heap_size_used_bytes") / 2 ** 20,
    scrapeBytes: last.scrapeBytes,
  };
}

/** CPU of one evaluation in µs. A busy machine makes a window longer, and fewer evaluations fit into it. */
export function microsEach({ cpuSeconds: cpu, evaluations }: Window): number {
  return (cpu / evaluations) * 1e6;
}

function total(counts: Readonly<Record<string, number>>): number {
  return Object.entries(counts).reduce((sum, [kind, count]) => sum + (kind === "metrics" ? 0 : count), 0);
}

export function sumOf(metrics: ReadonlyMap<string, number>, name: string): number {
  let sum = 0;
  for (const [key, value] of metrics) if (key === name || key.startsWith(`${name}{`)) sum += value;
  return sum;
}

export function residentMiB(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}

/** Delays of the event loop of the autoscaler, and of a process that does nothing, while `work` runs. */
export async function delaysDuring(
  fleet: Fleet,
  work: () => Promise<void>,
): Promise<{ readonly own: Delays; readonly bare: Delays }> {
  const bare = await startHelper(new URL("../probe/bare.ts", import.meta.url));
  try {
    await bare.request({});
    process.kill(fleet.pid, "SIGUSR2");
    await work();
    const own = await probed<Delays>(fleet);
    return { own, bare: await bare.request<Delays>({}) };
  } finally {
    await bare.stop();
  }
}

/** Bytes in use after a collection, for a fleet with the probe of the heap. */
export async function liveBytes(fleet: Fleet): Promise<number> {
  return (await probed<{ readonly bytes: number }>(fleet)).bytes;
}

async function probed<T>({ folder, pid }: Fleet): Promise<T> {
  const file = join(folder, probeFile);
  rmSync(file, { force: true });
  process.kill(pid, "SIGUSR2");
  await until("the probe's result", () => (existsSync(file) ? true : undefined));
  return JSON.parse(readFileSync(file, "utf8")) as T;
}
