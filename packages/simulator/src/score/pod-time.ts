// Pods over time: how long there were how many.
import type { Pods } from "../plant/pods.ts";
import type { WorkloadScores } from "./scores.ts";

/** Integrals over the time since the start. */
export interface PodTime {
  begin(atMs: number): void;
  /** Before the pods or the desired replicas change. */
  advance(atMs: number, desired: number): void;
  read(): Pick<WorkloadScores, "podHours" | "readyPodHours" | "atMaxSeconds" | "pendingPodSeconds">;
}

/** Counts pods; at the maximum while so many are desired as the bounds allow. */
export function createPodTime(pods: Pods, loop: { readonly maxReplicas: number } | undefined): PodTime {
  let lastMs = Infinity;
  let [all, ready, waiting, atMax] = [0, 0, 0, 0];
  return {
    begin(atMs) {
      lastMs = atMs;
    },
    advance(atMs, desired) {
      const seconds = (atMs - lastMs) / 1000;
      if (!(seconds > 0)) return;
      lastMs = atMs;
      all += pods.all.length * seconds;
      ready += pods.ready * seconds;
      waiting += pods.waiting * seconds;
      if (loop !== undefined && desired >= loop.maxReplicas) atMax += seconds;
    },
    read: () => ({
      podHours: all / 3600,
      readyPodHours: ready / 3600,
      atMaxSeconds: atMax,
      pendingPodSeconds: waiting,
    }),
  };
}
