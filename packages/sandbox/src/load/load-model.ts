import type { Clock } from "@plimsoll/kube";
import type { ObjectStore } from "../storage/object-store.ts";
import { createDemand, type Demand } from "./demand.ts";
import { createFamilyCollector, type Family, type FamilyCollector } from "./family.ts";
import { containerCpu, containerMemory, queueDepth, rateFamilies } from "./metric-names.ts";
import { createNodeUsage } from "./node-usage.ts";
import { addAccount, counterOf, openAccounts, type PodAccounts, servingChanged } from "./pod-accounts.ts";
import { createPodTracker } from "./pod-tracker.ts";
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
  /** Falsifies the series that match until the returned function is called. */
  fault(fault: SeriesFault): () => void;
}

export function createLoadModel(o: LoadModelOptions): LoadModel {
  const demands = new Map<string, Demand>();
  const divided = new Map<string, Set<Demand>>();
  const accounts = new Map<string, PodAccounts>();
  const faults = createSeriesFaults();
  const nodes = createNodeUsage(o.clock.nowMs());
  let isStarted = false;

  const servingOf = (workload: string | undefined): number =>
    workload === undefined ? 0 : tracker.servingOf(workload);
  const advance = (demand: Demand): void => demand.advance(o.clock.nowMs(), servingOf(demand.dividedBy));
  const usageOf = (pod: PodAccounts): readonly ContainerUsage[] =>
    containerUsage(pod, o.clock.nowMs(), tracker.servingOf);

  const tracker = createPodTracker(o.store, {
    before(workload) {
      for (const demand of divided.get(workload) ?? []) advance(demand);
    },
    joined(pod) {
      const opened = openAccounts(pod, o.clock.nowMs());
      for (const demand of divided.get(pod.workload) ?? []) {
        if (hasPods(demand.load.kind)) addAccount(opened, demand);
      }
      accounts.set(pod.uid, opened);
    },
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

  const divide = (demand: Demand): void => {
    const workload = demand.dividedBy;
    if (workload === undefined) return;
    const found = divided.get(workload);
    if (found === undefined) divided.set(workload, new Set([demand]));
    else found.add(demand);
  };
  const playOne = (load: WorkloadLoad): void => {
    const nowMs = o.clock.nowMs();
    const key = `${workloadKey(load)}/${load.metric}`;
    const before = demands.get(key);
    if (before !== undefined) {
      advance(before);
      if (before.dividedBy !== undefined) divided.get(before.dividedBy)?.delete(before);
      before.follow(load, nowMs);
      divide(before);
      return;
    }
    const demand = createDemand(load, nowMs);
    demands.set(key, demand);
    divide(demand);
    if (!hasPods(load.kind)) return;
    for (const pod of tracker.runningOf(workloadKey(load))) {
      const opened = accounts.get(pod.uid);
      if (opened !== undefined) addAccount(opened, demand);
    }
  };
  const play = (loads: readonly WorkloadLoad[]): void => {
    for (const load of loads) playOne(load);
  };
  const find = (name: string, metric?: string): readonly Demand[] =>
    [...demands.values()].filter(
      ({ load }) =>
        (load.name === name || `${load.namespace}/${load.name}` === name) &&
        (metric === undefined || load.metric === metric),
    );

  const collectTrue = (): readonly Family[] => {
    const nowMs = o.clock.nowMs();
    for (const demand of demands.values()) advance(demand);
    const out = createFamilyCollector();
    for (const demand of demands.values()) {
      if (!hasPods(demand.load.kind))
        reportTotal(out, demand, { nowMs, serving: servingOf(demand.dividedBy), store: o.store });
    }
    const used: { node: string; usage: readonly ContainerUsage[] }[] = [];
    for (const pod of accounts.values()) {
      reportRates(out, pod, { nowMs, serving: tracker.servingOf(pod.pod.workload) });
      const usage = usageOf(pod);
      for (const one of usage) {
        out.add(containerCpu, one.labels, one.cpuSeconds);
        out.add(containerMemory, one.labels, one.memoryBytes);
      }
      used.push({ node: pod.pod.node, usage });
    }
    const names = o.store.list("nodes").map((node) => node.metadata.name);
    nodes.report(names, used, { out, nowMs });
    return out.families();
  };

  return {
    start() {
      if (isStarted) return;
      isStarted = true;
      tracker.start();
      play(o.loads ?? []);
    },
    stop() {
      isStarted = false;
      tracker.stop();
    },
    play,
    set(name, value, metric) {
      const found = find(name, metric);
      if (found.length === 0) throw new RangeError(`there is no ${metric ?? "load"} on ${name}`);
      for (const demand of found) {
        advance(demand);
        demand.hold(value, o.clock.nowMs());
      }
    },
    total: (name, metric) => find(name, metric)[0]?.totalAt(o.clock.nowMs()),
    collect: () => faults.apply(collectTrue()),
    fault: (fault) => faults.begin(fault, collectTrue()),
  };
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
  o: Moment & { readonly store: Pick<ObjectStore, "get"> },
): void {
  const { load } = demand;
  const value = demand.shareAt(o.nowMs, o.serving);
  if (load.metric === "queue") {
    out.add(queueDepth, { namespace: load.namespace, queue: load.name, ...load.labels }, value);
    return;
  }
  const families = rateFamilies(load.metric);
  const labels = { namespace: load.namespace, [load.kind.toLowerCase()]: load.name };
  const service = load.kind === "Ingress" ? backendService(o.store, load) : undefined;
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
