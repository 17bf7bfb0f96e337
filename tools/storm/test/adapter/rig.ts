// A cluster, a Prometheus and adapters, without autoscalers, and a client of the metrics APIs.
import type { KubeClient } from "@plimsoll/kube";
import { metricRuleCrd } from "@plimsoll/metrics-adapter/testing";
import { createAdapters } from "../../src/adapter/adapter-service.ts";
import { createCluster } from "../../src/cluster/cluster.ts";
import type { Load } from "../../src/load/loads.ts";
import { createNetwork } from "../../src/network/network.ts";
import { createProcesses } from "../../src/process/processes.ts";
import { createPrometheus } from "../../src/prometheus/simulated-prometheus.ts";
import { createRandom } from "../../src/random/random.ts";
import type { Observation, World } from "../../src/run/world.ts";
import { processNames, type Scenario, type SetupObject } from "../../src/scenario/scenario.ts";
import { createVirtualTime } from "../../src/time/virtual-time.ts";

export const startMs = Date.UTC(2026, 5, 1, 12);

export interface Rig {
  readonly world: World;
  readonly client: KubeClient;
  readonly observations: Observation[];
  /** What the simulation itself fails at. */
  readonly problems: unknown[];
  /** Lets time pass. */
  run(forMs: number): Promise<void>;
  deploy(namespace: string, name: string, replicas: number): void;
  /** The response of a metrics API after the time that it takes, at most a minute. */
  get<T>(path: string, query?: Readonly<Record<string, string>>): Promise<T>;
}

export interface RigOptions {
  readonly adapters?: number;
  readonly seed?: number;
  readonly loads?: readonly Load[];
  /** MetricRules among them are served. */
  readonly objects?: readonly SetupObject[];
}

export function createRig({ adapters = 1, seed = 1, loads = [], objects = [] }: RigOptions = {}): Rig {
  const time = createVirtualTime(startMs);
  const random = createRandom(seed);
  const observations: Observation[] = [];
  const problems: unknown[] = [];
  const cluster = createCluster({ time, random, definitions: [metricRuleCrd] });
  const metricRules = objects.length > 0;
  const setup = { autoscalers: 0, adapters, coordination: "alone", metricRules, objects, loads } as const;
  for (const object of objects) cluster.apply("user", object);
  const scenario: Scenario = { seed, startMs, stormMs: 0, quietMs: 0, setup, events: [] };
  const prometheus = createPrometheus({ scenario, time, random, cluster });
  const network = createNetwork({
    time,
    random: random.stream("network"),
    onServerError: (error) => problems.push(error),
  });
  const record = (observation: Observation): void => void observations.push(observation);
  const ground = { scenario, time, random, cluster, prometheus, network, record };
  const maps = { autoscalers: new Map(), configs: new Map(), coordinations: new Map(), meters: new Map() };
  const others: World = {
    ...ground,
    ...maps,
    processes: { names: [], get: () => undefined, start() {}, stop() {}, keepDown: () => () => {} },
  };
  const processes = createProcesses({
    time,
    programs: new Map([
      ...createAdapters(others, processNames(setup)),
      ["client", () => ({ stop: () => Promise.resolve() })],
    ]),
    onChange: (process, change) => record({ kind: "process", process, change }),
    onCrash: (_name, error) => problems.push(error),
  });
  const world: World = { ...ground, ...maps, processes };
  for (const name of processes.names) processes.start(name);
  const process = processes.get("client");
  if (process === undefined) throw new Error("there is no client");
  const client = network.clientOf(process, cluster.server);
  const run = (forMs: number): Promise<void> => time.runUntil(time.nowMs + forMs);
  return {
    world,
    client,
    observations,
    problems,
    run,
    deploy(namespace, name, replicas) {
      cluster.apply("user", { apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
      cluster.apply("user", deployment(namespace, name, replicas));
    },
    async get<T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<T> {
      let isOver = false;
      const response = client.request<T>({ path, query, timeoutMs: 60_000 }).finally(() => {
        isOver = true;
        time.halt();
      });
      response.catch(() => {});
      await time.runUntil(time.nowMs + 70_000);
      if (!isOver) throw new Error(`no response for ${path}`);
      return response;
    },
  };
}

function deployment(namespace: string, name: string, replicas: number) {
  const labels = { app: name };
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { namespace, name },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: "main", image: "main" }] } },
    },
  };
}
