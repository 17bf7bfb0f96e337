// A simulated Prometheus: it scrapes the simulated pods and responds to the queries of the adapter.
import type { FetchLike } from "@plimsoll/prometheus";
import type { Cluster } from "../cluster/cluster.ts";
import { createLoadedPods } from "../load/loaded-pods.ts";
import { createLoads, type Loads } from "../load/loads.ts";
import type { SimulatedProcess } from "../process/simulated-process.ts";
import type { Random } from "../random/random.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { VirtualTime } from "../time/virtual-time.ts";
import { createEvaluationLog, type EvaluatedValue } from "./evaluation-log.ts";
import { createPrometheusFaults, type PrometheusFault } from "./faults.ts";
import { createFetch } from "./fetch.ts";
import { createHttpApi } from "./http-api.ts";
import { createScraper, type PodPage, type Scraper } from "./scraper.ts";
import { createSeriesTable } from "./series-table.ts";
import type { Target } from "./target.ts";

export interface SimulatedPrometheus {
  /** How a process reaches its HTTP API. Every value that it gets is remembered. */
  fetchOf(process: SimulatedProcess): FetchLike;
  /** The values that processes got of one series; see identityOf. */
  valuesOf(identity: string): readonly EvaluatedValue[];
  /** The page of a pod, which adapters read for live metrics, by its uid; else why it gives none, or "silent". */
  readPage(uid: string): PodPage | string;
  /** Puts a fault in place. Returns what removes it. */
  add(fault: PrometheusFault): () => void;
  /** The counters of these targets begin at 0 once more. */
  resetCounters(isWanted: (target: Target) => boolean): void;
  /** Sets its wall clock forward or back, which dates samples and queries. */
  stepClock(byMs: number): void;
}

export interface SimulatedPrometheusOptions {
  readonly time: VirtualTime;
  /** Of the whole run. */
  readonly random: Random;
  readonly cluster: Pick<Cluster, "store" | "subscribe" | "onRestore">;
  readonly loads: Loads;
}

/** The Prometheus of a run, with the loads of its scenario. */
export function createPrometheus({
  scenario,
  time,
  random,
  cluster,
}: Omit<SimulatedPrometheusOptions, "loads"> & { readonly scenario: Scenario }): SimulatedPrometheus {
  const loads = createLoads({ random, startMs: scenario.startMs, set: scenario.setup.loads });
  return createSimulatedPrometheus({ time, random, cluster, loads });
}

/** Nothing runs by itself: scrapes that are due are done before anything depends on them, in the order of their times. */
export function createSimulatedPrometheus(options: SimulatedPrometheusOptions): SimulatedPrometheus {
  const { time, loads } = options;
  const random = options.random.stream("prometheus");
  const table = createSeriesTable();
  const faults = createPrometheusFaults();
  const log = createEvaluationLog();
  let aheadMs = 0;
  let numbers = 0;
  const servingOf = (namespace: string, workload: string): number => pods.servingOf(namespace, workload);
  const scraper = createScraper({
    table,
    random,
    unitsOf: loads.unitsOf,
    shareOf: (namespace, workload, nowMs) =>
      loads.unitsOf(namespace, workload, nowMs) / Math.max(1, servingOf(namespace, workload)),
    nextNumber: () => {
      numbers += 1;
      return numbers;
    },
    aheadMs: () => aheadMs,
    fates: faults,
  });
  const catchUp = (): void => scraper.catchUp(time.nowMs);
  const pods = followPods(options, scraper);
  const api = createHttpApi({ table, leftOut: faults.leftOut });
  const fetchOptions = {
    time,
    random,
    fateOf: faults.fateOf,
    aheadMs: () => aheadMs,
    respond: (url: string, body: string | undefined, evaluation: EvaluatedValue["evaluation"]): string => {
      catchUp();
      const response = api.respond(url, body, evaluation.datedMs);
      log.record(evaluation, response.rows);
      return response.body;
    },
  };
  return {
    fetchOf: (process) => createFetch(fetchOptions, process),
    valuesOf: log.valuesOf,
    readPage: pods.readPage,
    add(fault) {
      catchUp();
      const remove = faults.add(fault);
      return () => {
        catchUp();
        remove();
      };
    },
    resetCounters(isWanted) {
      catchUp();
      scraper.resetCounters(isWanted);
    },
    stepClock(byMs) {
      catchUp();
      aheadMs += byMs;
    },
  };
}

function followPods({ cluster, random, time }: SimulatedPrometheusOptions, scraper: Scraper) {
  const pods = createLoadedPods(cluster.store, {
    before: () => scraper.catchUp(time.nowMs),
    podAdded: (pod) => scraper.addPod(pod, time.nowMs),
    podRestarted: scraper.restartPod,
    podGone: (pod) => scraper.removePod(pod, time.nowMs),
    workloadAdded: (workload) => scraper.addWorkload(workload, time.nowMs),
    workloadGone: (workload) => scraper.removeWorkload(workload, time.nowMs),
  });
  cluster.subscribe(({ event }) => pods.observe(event));
  cluster.onRestore(pods.resync);
  pods.resync();
  return {
    servingOf: pods.servingOf,
    readPage(uid: string): PodPage | string {
      scraper.catchUp(time.nowMs);
      const pod = pods.of(uid);
      // Of what is not ready some hangs.
      const isHanging = pod?.isServing === false && random.stream(`hangs/${uid}`).chance(0.5);
      return isHanging ? "silent" : scraper.read(pod, time.nowMs);
    },
  };
}
