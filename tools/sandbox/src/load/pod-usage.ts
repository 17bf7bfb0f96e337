// The cpu time and the memory that the containers of a simulated pod use.
import { type Account, counterOf, type PodAccounts } from "./pod-accounts.ts";

export interface ContainerUsage {
  readonly labels: Readonly<Record<string, string>>;
  readonly cpuSeconds: number;
  readonly memoryBytes: number;
}

const idleCores = 0.001;
const idleMemoryBytes = 32 * 1024 * 1024;

/**
 * What each container of a pod used. The container that carries a cpu load uses exactly its share; every other
 * container idles.
 */
export function containerUsage(
  accounts: PodAccounts,
  nowMs: number,
  servingOf: (workload: string) => number,
): readonly ContainerUsage[] {
  const cpu = accounts.accounts.find((one) => one.demand.load.metric === "cpu");
  const memory = accounts.accounts.find((one) => one.demand.load.metric === "memory");
  const idleSeconds = ((nowMs - accounts.sinceMs) / 1000) * idleCores;
  const carries = (account: Account | undefined, name: string): account is Account =>
    account !== undefined && name === (account.demand.load.container ?? accounts.containers[0]?.name);
  return accounts.containers.map(({ name, labels }) => ({
    labels,
    cpuSeconds: carries(cpu, name) ? counterOf(cpu) : idleSeconds,
    memoryBytes:
      carries(memory, name) && accounts.pod.serving
        ? memory.demand.shareAt(nowMs, servingOf(accounts.pod.workload))
        : idleMemoryBytes,
  }));
}

export function cpuSecondsOf(usage: readonly ContainerUsage[]): number {
  return usage.reduce((total, one) => total + one.cpuSeconds, 0);
}
