// What the adapter costs a real Prometheus: a synchronization of 1,000 autoscalers, and a relist.
import { Client } from "undici";
import { type AdapterProcess, type AdapterSettings, startOurs } from "./adapters.ts";
import { namespaces, paths, podsPaths, workloads } from "./fleet.ts";
import { headersOfHpas } from "./front-proxy-headers.ts";
import { type Bench, measure, median } from "./measure.ts";
import { cpuSeconds } from "./usage.ts";

export interface RealResult {
  /** CPU of Prometheus for one synchronization of 1,000 autoscalers with a Pods metric on 10,000 series. */
  readonly sync: {
    readonly oursSeconds: number;
    readonly batchSeconds: number;
    readonly perPodsSeconds: number;
  };
  readonly syncQueries: number;
  /** Latency of requests whose response is in no cache, and of the queries behind them. */
  readonly cold: Latency;
  readonly direct: Latency;
}

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
}

/** Each of another workload of the namespace. */
const coldRounds = 12;
/** How old a response of the adapter may be. */
const cachedMs = 5000;
const keepAliveTimeout = 60_000;

export interface RealOptions {
  readonly prometheus: { readonly pid: number; readonly url: string };
  readonly settings: AdapterSettings;
  readonly rounds: number;
}

/** The adapter in front of the real Prometheus. */
export async function measureReal(bench: Bench, options: RealOptions): Promise<RealResult> {
  const { prometheus, settings } = options;
  const adapter = await startOurs({ ...settings, prometheusUrl: prometheus.url });
  try {
    const idle = await idleCpu(prometheus.pid);
    const send = (promql: string) => query(prometheus.url, promql);
    const cpuOf = async (work: () => Promise<unknown>): Promise<number> => {
      const [before, startedMs] = [cpuSeconds(prometheus.pid), performance.now()];
      await work();
      const tookSeconds = (performance.now() - startedMs) / 1000;
      return Math.max(0, cpuSeconds(prometheus.pid) - before - idle * tookSeconds);
    };
    const sync = { paths: podsPaths, connections: 32, durationMs: 2000, rate: podsPaths.length / 2 };
    let syncQueries = NaN;
    const ours = async () => {
      const { queriesPer1000, failures } = await measure(bench, adapter, sync);
      if (failures > 0) throw new Error(`${failures} requests failed`);
      syncQueries = Math.round(queriesPer1000);
    };
    const taken = { ours: [] as number[], batch: [] as number[], perPods: [] as number[] };
    for (let round = -1; round < options.rounds; round++) {
      const took = {
        ours: await cpuOf(ours),
        batch: await cpuOf(() => inTurn(batchQueries, send)),
        perPods: await cpuOf(() => inTurn(perPodsQueries, send)),
      };
      if (round < 0) continue;
      for (const kind of ["ours", "batch", "perPods"] as const) taken[kind].push(took[kind]);
    }
    return {
      sync: {
        oursSeconds: median(taken.ours),
        batchSeconds: median(taken.batch),
        perPodsSeconds: median(taken.perPods),
      },
      syncQueries,
      ...(await coldLatency(bench, adapter, prometheus.url)),
    };
  } finally {
    await adapter.stop();
  }
}

const rate = (matchers: string) => `sum(rate(http_requests_total{${matchers}}[1m]))`;

const batchQueries = namespaces.map((namespace) => `${rate(`namespace="${namespace}"`)} by (namespace, pod)`);

const perPodsQueries = workloads.map(
  ({ namespace, pods }) => `${rate(`namespace="${namespace}",pod=~"${pods.join("|")}"`)} by (pod)`,
);

async function query(url: string, promql: string): Promise<void> {
  const response = await fetch(`${url}/api/v1/query`, {
    method: "POST",
    body: new URLSearchParams({ query: promql }),
  });
  const result = (await response.json()) as { data?: { result?: readonly unknown[] } };
  if ((result.data?.result ?? []).length === 0) throw new Error(`no response to ${promql}`);
}

async function inTurn(queries: readonly string[], send: (promql: string) => Promise<void>): Promise<void> {
  for (const promql of queries) await send(promql);
}

/** CPU seconds a second of a Prometheus that only scrapes. */
async function idleCpu(pid: number): Promise<number> {
  const forMs = 6000;
  const before = cpuSeconds(pid);
  await new Promise((resolve) => setTimeout(resolve, forMs));
  return (cpuSeconds(pid) - before) / (forMs / 1000);
}

/**
 * The first request of each namespace after everything in the caches has become too old, and a query for its pods by turns with it:
 * what Prometheus does at the time, such as a scrape, holds up both.
 */
async function coldLatency(
  { pki, queries }: Bench,
  { port }: AdapterProcess,
  prometheusUrl: string,
): Promise<Pick<RealResult, "cold" | "direct">> {
  const took = { cold: [] as number[], direct: [] as number[] };
  const { cert, key } = pki.frontProxy;
  const connect = { ca: pki.ca, cert, key, servername: "localhost" };
  const adapter = new Client(`https://127.0.0.1:${port}`, { connect, keepAliveTimeout });
  const prometheus = new Client(prometheusUrl, { keepAliveTimeout });
  const requests = {
    cold: (at: number) => get(adapter, paths.pods(required(workloads[at])), headersOfHpas),
    direct: (at: number) => get(prometheus, `/api/v1/query?query=${queryOf(at)}`, {}),
  };
  await Promise.all([requests.cold(0), requests.direct(0)]);
  for (let round = 0; round < coldRounds; round++) {
    await new Promise((resolve) => setTimeout(resolve, cachedMs + 500));
    const before = await queries();
    for (const [index, namespace] of namespaces.entries()) {
      const at = workloads.findIndex((one) => one.namespace === namespace) + round;
      const kinds = index % 2 === 0 ? (["cold", "direct"] as const) : (["direct", "cold"] as const);
      for (const kind of kinds) took[kind].push(await timed(() => requests[kind](at)));
    }
    if ((await queries()) - before < 2 * namespaces.length) throw new Error("some responses were cached");
  }
  await Promise.all([adapter.close(), prometheus.close()]);
  return { cold: summary(took.cold), direct: summary(took.direct) };
}

function queryOf(at: number): string {
  return encodeURIComponent(required(perPodsQueries[at]));
}

function required<T>(found: T | undefined): T {
  if (found === undefined) throw new Error("the fleet has fewer workloads");
  return found;
}

type Headers = Readonly<Record<string, string | string[]>>;

async function get(client: Client, path: string, headers: Headers): Promise<void> {
  const { statusCode, body } = await client.request({ method: "GET", path, headers });
  const text = await body.text();
  if (statusCode !== 200 || text.includes('"result":[]')) throw new Error(text);
}

/** In ms. */
async function timed(work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

function summary(took: readonly number[]): Latency {
  const sorted = took.toSorted((a, b) => a - b);
  const quantile = (fraction: number) => sorted[Math.floor(fraction * (sorted.length - 1))] ?? NaN;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), count: sorted.length };
}
