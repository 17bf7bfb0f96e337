// All simulated loads.
import type { Clock } from "@plimsoll/component-base";
import { createDemand, type Demand } from "./demand.ts";
import { type WorkloadLoad, workloadKey } from "./workload-load.ts";

/** The demands that are played, each brought up to now before anything that it depends on changes. */
export interface Demands {
  /** Takes the place of a demand on the same object and metric; the new one when there was none. */
  follow(load: WorkloadLoad): Demand | undefined;
  all(): Iterable<Demand>;
  dividedBy(workload: string): Iterable<Demand>;
  advanceOf(workload: string): void;
  advanceAll(): void;
  /** @throws RangeError when there is none. */
  set(name: string, value: number, metric?: string): void;
  total(name: string, metric?: string): number | undefined;
}

export function createDemands(clock: Clock, servingOf: (workload: string) => number): Demands {
  const demands = new Map<string, Demand>();
  const divided = new Map<string, Set<Demand>>();

  const advance = (demand: Demand): void => {
    const { dividedBy } = demand;
    demand.advance(clock.nowMs(), dividedBy === undefined ? 0 : servingOf(dividedBy));
  };
  const divide = (demand: Demand): void => {
    const workload = demand.dividedBy;
    if (workload === undefined) return;
    const found = divided.get(workload);
    if (found === undefined) divided.set(workload, new Set([demand]));
    else found.add(demand);
  };
  const find = (name: string, metric?: string): readonly Demand[] =>
    [...demands.values()].filter(
      ({ load }) =>
        (load.name === name || `${load.namespace}/${load.name}` === name) &&
        (metric === undefined || load.metric === metric),
    );

  return {
    follow(load) {
      const key = `${workloadKey(load)}/${load.metric}`;
      const before = demands.get(key);
      if (before === undefined) {
        const demand = createDemand(load, clock.nowMs());
        demands.set(key, demand);
        divide(demand);
        return demand;
      }
      advance(before);
      if (before.dividedBy !== undefined) divided.get(before.dividedBy)?.delete(before);
      before.follow(load, clock.nowMs());
      divide(before);
      return undefined;
    },
    all: () => demands.values(),
    dividedBy: (workload) => divided.get(workload) ?? [],
    advanceOf(workload) {
      for (const demand of divided.get(workload) ?? []) advance(demand);
    },
    advanceAll() {
      for (const demand of demands.values()) advance(demand);
    },
    set(name, value, metric) {
      const found = find(name, metric);
      if (found.length === 0) throw new RangeError(`there is no ${metric ?? "load"} on ${name}`);
      for (const demand of found) {
        advance(demand);
        demand.hold(value, clock.nowMs());
      }
    },
    total: (name, metric) => find(name, metric)[0]?.totalAt(clock.nowMs()),
  };
}
