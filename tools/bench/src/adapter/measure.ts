// Measures one server under load.
import type { Helper } from "@plimsoll/testbed";
import { type AdapterProcess, get } from "./adapters.ts";
import type { DriverResult, DriverRun, Load, Target } from "./driver.ts";
import type { Pki } from "./pki.ts";
import { cpuSeconds, memory } from "./usage.ts";

export interface Bench {
  readonly driver: Helper;
  readonly pki: Pki;
  /** Queries that Prometheus has responded to so far. */
  queries(): Promise<number>;
}

export interface Measured extends Omit<DriverResult, "cpuSeconds"> {
  readonly rps: number;
  /** Of the server; the same figure as CPU seconds per 1,000 requests times 1,000. */
  readonly cpuMicros: number;
  readonly driverCpuMicros: number;
  readonly queriesPer1000: number;
  readonly residentMb: number;
}

export interface LoopDelay {
  readonly p99Ms: number;
  readonly maxMs: number;
}

/** Loads a server and reads what that cost the process. */
export async function measure(
  bench: Bench,
  server: { readonly pid: number; readonly port: number },
  load: Load,
): Promise<Measured> {
  const { cert, key } = bench.pki.frontProxy;
  const target: Target = { port: server.port, ca: bench.pki.ca, cert, key };
  const run: DriverRun = { target, rate: undefined, ...load };
  const queriesBefore = await bench.queries();
  const cpuBefore = cpuSeconds(server.pid);
  const result = await bench.driver.request<DriverResult>(run);
  const cpu = cpuSeconds(server.pid) - cpuBefore;
  const queries = (await bench.queries()) - queriesBefore;
  const { cpuSeconds: driverCpu, ...rest } = result;
  return {
    ...rest,
    rps: result.requests / result.seconds,
    cpuMicros: (cpu / result.requests) * 1e6,
    driverCpuMicros: (driverCpu / result.requests) * 1e6,
    queriesPer1000: (queries / result.requests) * 1000,
    residentMb: memory(server.pid).residentMb,
  };
}

/** How late the adapter's timers were since the last call. */
export async function loopDelay(bench: Bench, adapter: AdapterProcess): Promise<LoopDelay> {
  const { body } = await get(adapter.port, bench.pki, "/metrics");
  const gauge = (name: string) => {
    const seconds = Number(new RegExp(`^${name} (\\S+)$`, "m").exec(body)?.[1] ?? NaN);
    return Math.round(seconds * 100_000) / 100;
  };
  return {
    p99Ms: gauge("nodejs_eventloop_lag_p99_seconds"),
    maxMs: gauge("nodejs_eventloop_lag_max_seconds"),
  };
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const [low = NaN, high = NaN] = [sorted[sorted.length % 2 === 0 ? middle - 1 : middle], sorted[middle]];
  return (low + high) / 2;
}
