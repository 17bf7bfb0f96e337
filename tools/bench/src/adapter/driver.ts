// The load: HTTPS with a client certificate over kept connections, in a process of its own.

import { serveParent } from "@plimsoll/testbed";
import { type Dispatcher, Pool } from "undici";
import { headersOfHpas } from "./front-proxy-headers.ts";

export interface Target {
  readonly port: number;
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

export interface DriverRun extends Load {
  readonly target: Target;
}

export interface Load {
  readonly paths: readonly string[];
  readonly connections: number;
  readonly durationMs: number;
  /** Requests a second on a fixed schedule, in order of the paths; absent: each connection sends the next request at once. */
  readonly rate?: number | undefined;
  /** Without a rate it ends after so many, if that is sooner. */
  readonly requests?: number;
  /** Whether each request differs from all before in something that does not change the response. */
  readonly isNew?: boolean;
  /** Whether the result has each latency. */
  readonly isWhole?: boolean;
}

export interface DriverResult {
  readonly requests: number;
  readonly failures: number;
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p90Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly cpuSeconds: number;
  /** From the least to the greatest; empty unless `isWhole`. */
  readonly latenciesMs: readonly number[];
}

const pools = new Map<string, Pool>();

function poolFor({ target, connections }: DriverRun): Pool {
  const key = `${target.port}/${connections}`;
  const known = pools.get(key);
  if (known !== undefined) return known;
  const { ca, cert, key: privateKey } = target;
  const pool = new Pool(`https://127.0.0.1:${target.port}`, {
    connections,
    pipelining: 1,
    // Some servers say how long they keep a connection, and some do not.
    keepAliveTimeout: 60_000,
    headersTimeout: 20_000,
    bodyTimeout: 20_000,
    connect: { ca, cert, key: privateKey, servername: "localhost" },
  });
  pools.set(key, pool);
  return pool;
}

let said = 0;

/** Resolves with whether the response was 200 and whole. */
function send(pool: Pool, path: string, done: (isGood: boolean) => void): void {
  let statusCode = 0;
  const handler: Dispatcher.DispatchHandler = {
    onRequestStart() {},
    onResponseStart(_controller, code) {
      statusCode = code;
    },
    onResponseData() {},
    onResponseEnd: () => done(statusCode === 200),
    onResponseError: () => done(false),
  };
  pool.dispatch({ method: "GET", path, headers: headersOfHpas }, handler);
}

async function run(options: DriverRun): Promise<DriverResult> {
  const pool = poolFor(options);
  const latencies: number[] = [];
  let failures = 0;
  const measured = (path: string, sinceMs: number): Promise<void> =>
    new Promise((resolve) => {
      const sent = options.isNew === true ? `${path}${path.includes("?") ? "&" : "?"}limit=${++said}` : path;
      send(pool, sent, (isGood) => {
        if (isGood) latencies.push(performance.now() - sinceMs);
        else failures++;
        resolve();
      });
    });
  const before = process.cpuUsage();
  const startedMs = performance.now();
  if (options.rate === undefined) await closedLoop(options, measured);
  else await openLoop(options, options.rate, measured);
  const seconds = (performance.now() - startedMs) / 1000;
  const { user, system } = process.cpuUsage(before);
  latencies.sort((a, b) => a - b);
  const quantile = (fraction: number) =>
    latencies[Math.min(latencies.length - 1, Math.floor(fraction * latencies.length))] ?? NaN;
  return {
    requests: latencies.length + failures,
    failures,
    seconds,
    p50Ms: quantile(0.5),
    p90Ms: quantile(0.9),
    p99Ms: quantile(0.99),
    maxMs: quantile(1),
    cpuSeconds: (user + system) / 1e6,
    latenciesMs: options.isWhole === true ? latencies : [],
  };
}

type Measured = (path: string, sinceMs: number) => Promise<void>;

/** On a busy machine a turn of 300 ms would have a few requests, of which each costs several times as much. */
const minRequests = 200;
const maxTurnMs = 20_000;

async function closedLoop(options: DriverRun, measured: Measured): Promise<void> {
  const { paths, connections, durationMs, requests = Infinity } = options;
  const startedMs = performance.now();
  const isOver = (sent: number): boolean => {
    const elapsedMs = performance.now() - startedMs;
    return sent >= requests || elapsedMs >= (sent < minRequests ? maxTurnMs : durationMs);
  };
  let next = 0;
  const loop = async (): Promise<void> => {
    while (!isOver(next)) {
      await measured(paths[next++ % paths.length] ?? "/", performance.now());
    }
  };
  await Promise.all(Array.from({ length: connections }, loop));
}

/** Latency counts from when a request was due, so that a server that stalls is charged for all that had to wait. */
async function openLoop({ paths, durationMs }: DriverRun, rate: number, measured: Measured): Promise<void> {
  const startedMs = performance.now();
  const total = Math.round((rate * durationMs) / 1000);
  const responses: Promise<void>[] = [];
  while (responses.length < total) {
    const elapsedMs = performance.now() - startedMs;
    const due = Math.min(total, Math.floor((elapsedMs * rate) / 1000) + 1);
    for (let index = responses.length; index < due; index++) {
      responses.push(measured(paths[index % paths.length] ?? "/", startedMs + (index * 1000) / rate));
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(responses);
}

serveParent(run);
