// The mixed load of 1,000 and more autoscalers, as requests a second.
import type { AdapterProcess } from "./adapters.ts";
import { mixedPaths, namespaces, workloads } from "./fleet.ts";
import { type Bench, type LoopDelay, loopDelay, type Measured, measure } from "./measure.ts";

export interface MixedResult {
  readonly rate: number;
  readonly measured: Measured;
  readonly loop: LoopDelay;
}

/** 1,000 autoscalers in 50 namespaces, at rates that a period of 15 s gives for 1,000, 3,000 … of them. */
export async function measureMixed(
  bench: Bench,
  adapter: AdapterProcess,
  options: { readonly rates: readonly number[]; readonly stepMs: number },
): Promise<readonly MixedResult[]> {
  const load = { paths: mixedPaths, connections: 64 };
  // Every client queries once first: the access reviews are kube-apiserver's cost, and are cached for minutes.
  await measure(bench, adapter, { ...load, rate: 250, durationMs: (mixedPaths.length / 250) * 1000 });
  const results: MixedResult[] = [];
  for (const rate of options.rates) {
    await loopDelay(bench, adapter);
    const measured = await measure(bench, adapter, { ...load, rate, durationMs: options.stepMs });
    results.push({ rate, measured, loop: await loopDelay(bench, adapter) });
    if (measured.p50Ms > 1000) break;
  }
  return results;
}

export interface SyncResult {
  readonly queries: number;
  /** One query for each rule and namespace: what batching can bring it down to. */
  readonly minQueries: number;
  readonly measured: Measured;
  /** Of a period of 15 s over which the same requests are spread, as controllers do. */
  readonly periodQueries: number;
}

/** All 1,000 query once within as much time as one response may be old, starting from empty caches. */
export async function measureSync(
  bench: Bench,
  adapter: AdapterProcess,
  maxAgeMs: number,
): Promise<SyncResult> {
  await new Promise((resolve) => setTimeout(resolve, maxAgeMs + 500));
  const durationMs = Math.max(500, maxAgeMs * 0.8);
  const measured = await measure(bench, adapter, {
    paths: mixedPaths,
    connections: 64,
    rate: (workloads.length * 1000) / durationMs,
    durationMs,
  });
  await new Promise((resolve) => setTimeout(resolve, maxAgeMs + 500));
  const period = { paths: mixedPaths, connections: 64, rate: workloads.length / 15, durationMs: 15_000 };
  // Pods, Object, External, and cpu and memory apart.
  const rules = 5;
  return {
    queries: queriesOf(measured),
    minQueries: rules * namespaces.length,
    measured,
    periodQueries: queriesOf(await measure(bench, adapter, period)),
  };
}

function queriesOf(measured: Measured): number {
  return Math.round((measured.queriesPer1000 * measured.requests) / 1000);
}
