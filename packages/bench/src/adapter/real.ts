// What the adapter costs a real Prometheus: a synchronization of 1,000 autoscalers, and a relist.
import { type AdapterProcess, type AdapterSettings, get, startOurs } from "./adapters.ts";
import { namespaces, podsPaths, workloads } from "./fleet.ts";
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
  readonly directBatch: Latency;
}

interface Latency {
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly count: number;
}

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
    const timed = async (work: () => Promise<unknown>): Promise<number> => {
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
        ours: await timed(ours),
        batch: await timed(() => inTurn(batchQueries, send)),
        perPods: await timed(() => inTurn(perPodsQueries, send)),
      };
      if (round < 0) continue;
      for (const kind of ["ours", "batch", "perPods"] as const) taken[kind].push(took[kind]);
    }
    const cold = await coldLatency(bench, adapter);
    return {
      sync: {
        oursSeconds: median(taken.ours),
        batchSeconds: median(taken.batch),
        perPodsSeconds: median(taken.perPods),
      },
      syncQueries,
      cold,
      direct: await latencies(perPodsQueries.slice(0, 200), send),
      directBatch: await latencies(
        [...batchQueries, ...batchQueries, ...batchQueries, ...batchQueries],
        send,
      ),
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

/** The first request of each namespace after everything in the caches has become too old, some rounds of it. */
async function coldLatency(bench: Bench, adapter: AdapterProcess): Promise<Latency> {
  const took: number[] = [];
  for (let round = 0; round < 4; round++) {
    await new Promise((resolve) => setTimeout(resolve, 5500));
    for (const namespace of namespaces) {
      const path = podsPaths.filter((candidate) => candidate.includes(`/${namespace}/`))[round] ?? "";
      const { cert, key } = bench.pki.frontProxy;
      const result = await bench.driver.request<{ maxMs: number; failures: number }>({
        target: { port: adapter.port, ca: bench.pki.ca, cert, key },
        paths: [path],
        connections: 1,
        durationMs: 1,
        rate: 1000,
      });
      if (result.failures > 0) throw new Error((await get(adapter.port, bench.pki, path)).body);
      took.push(result.maxMs);
    }
  }
  return summary(took);
}

async function latencies(
  queries: readonly string[],
  send: (promql: string) => Promise<void>,
): Promise<Latency> {
  const took: number[] = [];
  for (const promql of queries) {
    const startedMs = performance.now();
    await send(promql);
    took.push(performance.now() - startedMs);
  }
  return summary(took);
}

function summary(took: readonly number[]): Latency {
  const sorted = took.toSorted((a, b) => a - b);
  const quantile = (fraction: number) => sorted[Math.floor(fraction * (sorted.length - 1))] ?? NaN;
  return { p50Ms: quantile(0.5), p99Ms: quantile(0.99), count: sorted.length };
}
