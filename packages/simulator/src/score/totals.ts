import type { WorkloadScores } from "./scores.ts";

/** The workloads of a run together: amounts are added, of peaks and of latency the highest counts. */
export function totalScores(scores: readonly WorkloadScores[]): WorkloadScores {
  const sum = (amount: (one: WorkloadScores) => number) =>
    scores.reduce((total, one) => total + amount(one), 0);
  const max = (amount: (one: WorkloadScores) => number) => Math.max(0, ...scores.map(amount));
  const latencies = scores.flatMap(({ latencyMs }) => latencyMs ?? []);
  return {
    offered: sum(({ offered }) => offered),
    served: sum(({ served }) => served),
    lost: sum(({ lost }) => lost),
    backlog: sum(({ backlog }) => backlog),
    backlogMax: max(({ backlogMax }) => backlogMax),
    podHours: sum(({ podHours }) => podHours),
    readyPodHours: sum(({ readyPodHours }) => readyPodHours),
    idealPodHours: sum(({ idealPodHours }) => idealPodHours),
    shortPodSeconds: sum(({ shortPodSeconds }) => shortPodSeconds),
    hotSeconds: sum(({ hotSeconds }) => hotSeconds),
    atMaxSeconds: sum(({ atMaxSeconds }) => atMaxSeconds),
    pendingPodSeconds: sum(({ pendingPodSeconds }) => pendingPodSeconds),
    transientSeconds: sum(({ transientSeconds }) => transientSeconds),
    events: sum(({ events }) => events),
    reversals: sum(({ reversals }) => reversals),
    podsStarted: sum(({ podsStarted }) => podsStarted),
    crashes: sum(({ crashes }) => crashes),
    replicasMax: max(({ replicasMax }) => replicasMax),
    latencyMs: latencies.length < scores.length ? undefined : Math.max(...latencies),
  };
}
