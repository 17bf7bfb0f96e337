// Simulates the load of pods and the metrics that they export.
import type { Clock } from "@plimsoll/component-base";
import type { ObjectStore } from "../storage/object-store.ts";
import type { Demand } from "./demand.ts";
import { createDemands, type Demands } from "./demands.ts";
import { createFamilyCollector, type Family, type FamilyCollector } from "./family.ts";
import { containerCpu, containerMemory, queueDepth, rateFamilies } from "./metric-names.ts";
import { createNodeUsage, type NodeUsage } from "./node-usage.ts";
import { addAccount, counterOf, openAccounts, type PodAccounts, servingChanged } from "./pod-accounts.ts";
import { createPodTracker, type TrackedPod } from "./pod-tracker.ts";
import { type ContainerUsage, containerUsage } from "./pod-usage.ts";
import { createSeriesFaults, type SeriesFault } from "./series-fault.ts";
import { hasPods, type WorkloadLoad, workloadKey } from "./workload-load.ts";

export interface LoadModelOptions {
  readonly clock: Clock;
  readonly store: Pick<ObjectStore, "get" | "list" | "subscribe">;
  readonly loads?: readonly WorkloadLoad[];
}

/** How much traffic each simulated pod sees, and what it reports about that. */
export interface LoadModel {
  /** Follows the pods from here on and plays the loads of the options. */
  start(): void;
  stop(): void;
  /** Plays loads from now on; one with the same object and metric as a former one takes its place. */
  play(loads: readonly WorkloadLoad[]): void;
  /**
   * Holds the loads of an object ("router" or "default/router") at a total from now on, only those of one metric
   * when it is given. Throws RangeError when there is none.
   */
  set(name: string, value: number, metric?: string): void;
  /** The total demand on an object at this moment; undefined when it has no such load. */
  total(name: string, metric?: string): number | undefined;
  /** Every series at this moment, faults included. */
  collect(): readonly Family[];
  /** The page of metrics of each pod, where pods share one address: what one Ready pod has served since the start. */
  page(): readonly Family[];
  /** Falsifies the series that match until the returned function is called. */
  fault(fault: SeriesFault): () => void;
}

export function createLoadModel(options: LoadModelOptions): LoadModel {
  const { clock, store } = options;
  const accounts = new Map<string, PodAccounts>();
  const nodes = createNodeUsage(clock.nowMs());
  const servingOf = (workload: string): number => tracker.servingOf(workload);
  const demands = createDemands(clock, servingOf);
  const faults = createSeriesFaults();
  let isStarted = false;

  const usageOf = (pod: PodAccounts): readonly ContainerUsage[] =>
    containerUsage(pod, clock.nowMs(), servingOf);
  const tracker = createPodTracker(store, {
    before: demands.advanceOf,
    joined: (pod) => void accounts.set(pod.uid, accountsOf(pod, demands, clock.nowMs())),
    servingChanged(pod) {
      const found = accounts.get(pod.uid);
      if (found !== undefined) servingChanged(found);
    },
    left(pod) {
      const found = accounts.get(pod.uid);
      if (found !== undefined) nodes.podGone(pod.node, usageOf(found));
      accounts.delete(pod.uid);
    },
  });

  const play = (loads: readonly WorkloadLoad[]): void => {
    for (const load of loads) {
      const created = demands.follow(load);
      if (created === undefined || !hasPods(load.kind)) continue;
      for (const pod of tracker.runningOf(workloadKey(load))) {
        const opened = accounts.get(pod.uid);
        if (opened !== undefined) addAccount(opened, created);
      }
    }
  };
  const collectTrue = (): readonly Family[] => {
    demands.advanceAll();
    return families({ store, nodes, nowMs: clock.nowMs(), servingOf }, demands.all(), [...accounts.values()]);
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      tracker.start();
      play(options.loads ?? []);
    },
    stop() {
      isStarted = false;
      tracker.stop();
    },
    play,
    set: demands.set,
    total: demands.total,
    page: () => pageOf(demands),
    collect: () => faults.apply(collectTrue()),
    fault: (fault) => faults.begin(fault, collectTrue()),
  };
}

/** A pod has a share of each demand on its workload. */
function accountsOf(pod: TrackedPod, demands: Demands, nowMs: number): PodAccounts {
  const opened = openAccounts(pod, nowMs);
  for (const demand of demands.dividedBy(pod.workload)) {
    if (hasPods(demand.load.kind)) addAccount(opened, demand);
  }
  return opened;
}

interface World {
  readonly store: LoadModelOptions["store"];
  readonly nodes: NodeUsage;
  readonly nowMs: number;
  readonly servingOf: (workload: string) => number;
}

/** Every series of the demands, the pods and the nodes. */
function families(
  { store, nodes, nowMs, servingOf }: World,
  demands: Iterable<Demand>,
  pods: readonly PodAccounts[],
): readonly Family[] {
  const out = createFamilyCollector();
  for (const demand of demands) {
    const serving = demand.dividedBy === undefined ? 0 : servingOf(demand.dividedBy);
    if (!hasPods(demand.load.kind)) reportTotal(out, demand, { nowMs, serving, store });
  }
  const used: { node: string; usage: readonly ContainerUsage[] }[] = [];
  for (const pod of pods) {
    reportRates(out, pod, { nowMs, serving: servingOf(pod.pod.workload) });
    const usage = containerUsage(pod, nowMs, servingOf);
    for (const one of usage) {
      out.add(containerCpu, one.labels, one.cpuSeconds);
      out.add(containerMemory, one.labels, one.memoryBytes);
    }
    used.push({ node: pod.pod.node, usage });
  }
  const names = store.list("nodes").map((node) => node.metadata.name);
  nodes.report(names, used, { out, nowMs });
  return out.families();
}

function pageOf(demands: Demands): readonly Family[] {
  const out = createFamilyCollector();
  demands.advanceAll();
  for (const { load, shareArea } of demands.all()) {
    if (load.kind !== "Deployment" || load.metric === "cpu" || load.metric === "memory") continue;
    out.add(rateFamilies(load.metric).total, { deployment: load.name }, shareArea);
  }
  return out.families();
}

interface Moment {
  readonly nowMs: number;
  readonly serving: number;
}

function reportRates(
  out: FamilyCollector,
  { pod, labels, accounts }: PodAccounts,
  { nowMs, serving }: Moment,
): void {
  for (const account of accounts) {
    const { metric } = account.demand.load;
    if (metric === "cpu" || metric === "memory") continue;
    const families = rateFamilies(metric);
    out.add(families.total, labels, counterOf(account));
    out.add(families.perSecond, labels, pod.serving ? account.demand.shareAt(nowMs, serving) : 0);
  }
}

function reportTotal(
  out: FamilyCollector,
  demand: Demand,
  at: Moment & { readonly store: Pick<ObjectStore, "get"> },
): void {
  const { load } = demand;
  const value = demand.shareAt(at.nowMs, at.serving);
  if (load.metric === "queue") {
    out.add(queueDepth, { namespace: load.namespace, queue: load.name, ...load.labels }, value);
    return;
  }
  const families = rateFamilies(load.metric);
  const labels = { namespace: load.namespace, [load.kind.toLowerCase()]: load.name };
  const service = load.kind === "Ingress" ? backendService(at.store, load) : undefined;
  out.add(
    families.total,
    { ...labels, ...(service === undefined ? {} : { service }), ...load.labels },
    demand.shareArea,
  );
  out.add(families.perSecond, { ...labels, ...load.labels }, value);
}

/** The first Service that an Ingress points at; its own name when it is not stored. */
function backendService(store: Pick<ObjectStore, "get">, load: WorkloadLoad): string {
  const ingress = store.get("ingresses.networking.k8s.io", load.namespace, load.name);
  const spec = ingress?.spec as
    | {
        readonly rules?: readonly {
          readonly http?: { readonly paths?: readonly { readonly backend?: Backend }[] };
        }[];
        readonly defaultBackend?: Backend;
      }
    | undefined;
  const backends = (spec?.rules ?? []).flatMap((rule) => rule.http?.paths ?? []).map((path) => path.backend);
  return (
    [...backends, spec?.defaultBackend].find((one) => one?.service?.name !== undefined)?.service?.name ??
    load.name
  );
}

interface Backend {
  readonly service?: { readonly name?: string };
}
