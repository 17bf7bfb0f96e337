// A real adapter in a simulated process: its engine and its stages, without a connection.
import {
  type Clock,
  createCacheMeter,
  createEntryMeter,
  type Logger,
  messageOf,
} from "@plimsoll/component-base";
import { type AdapterOptions, parseOptions } from "@plimsoll/metrics-adapter";
import {
  createEngine,
  createLive,
  createLocalServer,
  createMetricRules,
  type LocalServer,
} from "@plimsoll/metrics-adapter/testing";
import { createPrometheusClient } from "@plimsoll/prometheus";
import type { ServerRequest, ServerResponse } from "../network/network.ts";
import type { RunningProgram } from "../process/processes.ts";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { World } from "../run/world.ts";
import { createPageFetcher } from "./page-fetcher.ts";
import { adapterRules } from "./rules.ts";

/** What a running adapter serves. */
export interface RunningAdapter extends RunningProgram {
  readonly process: SimulatedProcess;
  /** Responds when the process does: never, while it is paused or once it is killed. */
  serve(request: ServerRequest): Promise<ServerResponse>;
}

type AdapterWorld = Pick<
  World,
  "cluster" | "meters" | "network" | "prometheus" | "random" | "record" | "scenario" | "time"
>;

type Backends = Pick<Parameters<typeof createEngine>[0], "createLive" | "createMetricRules">;

const flags = [
  "--config=storm.yaml",
  "--prometheus-url=http://prometheus:9090",
  "--metrics-relist-interval=1m",
  "--metrics-max-age=5m",
];

/** As from the command line, with the defaults of all other flags. */
export const adapterOptions: AdapterOptions = readOptions(flags);

/** Of adapters that serve MetricRules and live metrics. */
const { metricRules: rulesOptions, live: options } = readOptions([
  ...flags,
  "--metric-rules",
  "--live-metrics",
]);

export function startAdapter(world: AdapterWorld, process: SimulatedProcess): RunningAdapter {
  const seams = createSeams(world, process);
  const { clock, log, random } = seams;
  const { queryTimeoutMs, url, verb } = adapterOptions.prometheus;
  const meter = createCacheMeter(clock);
  const entryMeter = createEntryMeter();
  world.meters.set(process.name, entryMeter);
  process.onKill(() => world.meters.delete(process.name));
  const client = createPrometheusClient({ url, verb, clock, fetch: world.prometheus.fetchOf(process) });
  const engine = createEngine({
    ...adapterOptions,
    ...backendsOf(world, process),
    rules: adapterRules(),
    source: { client, resultMaxAgeMs: adapterOptions.resultMaxAgeMs, queryTimeoutMs },
    kube: world.network.clientOf(process, world.cluster.server),
    clock,
    log,
    meter,
    entryMeter,
    random,
  });
  let ids = 0;
  const server = createLocalServer({
    engine,
    clock,
    log,
    meter,
    maxRequestsInFlight: adapterOptions.serving.maxRequestsInFlight,
    newId: () => {
      ids += 1;
      return `${process.name}/${process.run}/${ids}`;
    },
  });
  void engine.start();
  return {
    process,
    serve: (request) => serve(world, { process, server, setBackMs: seams.setBackMs }, request),
    stop: () => engine.stop(),
  };
}

function backendsOf(world: AdapterWorld, process: SimulatedProcess): Backends {
  if (world.scenario.setup.metricRules !== true || rulesOptions === undefined || options === undefined)
    return {};
  const settings = { options, ca: undefined, userAgent: process.name, readText };
  const fetcher = createPageFetcher(world, process);
  return {
    createMetricRules: (made) => createMetricRules({ ...made, ...rulesOptions }),
    createLive: (made) => createLive(settings, { ...made, fetcher }),
  };
}

function readText(file: string): Promise<never> {
  return Promise.reject(new Error(`there is no file ${file}`));
}

interface Served {
  readonly process: SimulatedProcess;
  readonly server: LocalServer;
  readonly setBackMs: () => number;
}

function serve(
  world: AdapterWorld,
  { process, server, setBackMs }: Served,
  { method, path, query, headers }: ServerRequest,
): Promise<ServerResponse> {
  const url = query.size === 0 ? path : `${path}?${query.toString()}`;
  return new Promise((resolve) => {
    const work = async (): Promise<void> => {
      const receivedAtMs = world.time.nowMs;
      const receivedByClockMs = process.clock.nowMs();
      const { code, body, headers: sent } = await server({ method, url, headers });
      // What a process computed is not sent any more once it is killed, nor while it is paused.
      process.deliver(() => {
        const clocks = { receivedAtMs, receivedByClockMs, setBackMs: setBackMs() };
        const { name, run } = process;
        world.record({ kind: "adapter-served", process: name, run, url, code, body, ...clocks });
        const retryAfter = sent["Retry-After"];
        resolve({
          code,
          body,
          ...(retryAfter === undefined ? {} : { headers: { "retry-after": retryAfter } }),
        });
      });
    };
    process.deliver(() => void work());
  });
}

function createSeams({ random, record, time }: AdapterWorld, { name, run, clock }: SimulatedProcess) {
  const spread = createSpread(clock, () => time.nowMs);
  const ignored = (): void => {};
  const log: Logger = {
    debug: ignored,
    info: ignored,
    warn: ignored,
    error: (fields, text) => {
      const cause = "err" in fields ? `: ${messageOf(fields.err)}` : "";
      record({ kind: "error", process: name, message: `${text}${cause}`, isUnhandled: false });
    },
  };
  const own = random.stream(`adapter/${name}/${run}`);
  return { clock: spread.clock, setBackMs: spread.setBackMs, log, random: () => own.next() };
}

/** The same clock, and how far it went back and forth as the adapter saw it. */
function createSpread(
  clock: Clock,
  timeMs: () => number,
): { readonly clock: Clock; readonly setBackMs: () => number } {
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  return {
    clock: {
      ...clock,
      nowMs() {
        const nowMs = clock.nowMs();
        const ahead = nowMs - timeMs();
        if (ahead < min) min = ahead;
        if (ahead > max) max = ahead;
        return nowMs;
      },
      afterIdle: (delayMs, run) => void clock.after(delayMs, run),
    },
    setBackMs: () => Math.max(0, max - min),
  };
}

function readOptions(args: readonly string[]): AdapterOptions {
  const parsed = parseOptions(args, "0.0.0");
  if (parsed.type === "options") return parsed.options;
  throw new Error(JSON.stringify(parsed));
}
