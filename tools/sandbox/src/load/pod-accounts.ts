// Counters of each pod's part of a load.
import type { Demand } from "./demand.ts";
import type { TrackedPod } from "./pod-tracker.ts";

/** The part of one demand that one pod has served. */
export interface Account {
  readonly demand: Demand;
  /** Until the pod last stopped serving. */
  settled: number;
  /** The demand's shareArea when the pod began to serve; undefined while it does not. */
  openedAt: number | undefined;
}

/** The counters of one Running pod. */
export interface PodAccounts {
  readonly pod: TrackedPod;
  readonly sinceMs: number;
  readonly labels: Readonly<Record<string, string>>;
  readonly containers: readonly {
    readonly name: string;
    readonly labels: Readonly<Record<string, string>>;
  }[];
  readonly accounts: Account[];
}

export function openAccounts(pod: TrackedPod, nowMs: number): PodAccounts {
  const labels = { namespace: pod.namespace, pod: pod.name };
  const containers = pod.containers.map((name) => ({ name, labels: { ...labels, container: name } }));
  return { pod, sinceMs: nowMs, labels, containers, accounts: [] };
}

/** Both of these read shareArea, so the demand must have been advanced to now. */
export function addAccount(to: PodAccounts, demand: Demand): void {
  to.accounts.push({ demand, settled: 0, openedAt: to.pod.serving ? demand.shareArea : undefined });
}

export function servingChanged({ pod, accounts }: PodAccounts): void {
  for (const account of accounts) {
    if (pod.serving) {
      account.openedAt ??= account.demand.shareArea;
    } else {
      account.settled = counterOf(account);
      account.openedAt = undefined;
    }
  }
}

export function counterOf({ demand, settled, openedAt }: Account): number {
  return openedAt === undefined ? settled : settled + demand.shareArea - openedAt;
}
