// A baseline: reads and parses the usage of all pods once, namespace by namespace, and keeps nothing.
import { connect, type KubeClient } from "@plimsoll/kube";
import { serveParent } from "@plimsoll/testbed";

export interface UsageRead {
  readonly kubeconfig: string;
  readonly namespaces: readonly string[];
}

export interface UsageCost {
  readonly cpuSeconds: number;
  readonly pods: number;
}

const maxAttempts = 5;
let client: KubeClient | undefined;

serveParent(async ({ kubeconfig, namespaces }: UsageRead): Promise<UsageCost> => {
  client ??= await connect({ kubeconfig, userAgent: "floor" });
  const before = process.cpuUsage();
  let pods = 0;
  for (const namespace of namespaces) {
    const path = `/apis/metrics.k8s.io/v1beta1/namespaces/${namespace}/pods`;
    pods += (await list(client, path)).length;
  }
  const { user, system } = process.cpuUsage(before);
  return { cpuSeconds: (user + system) / 1e6, pods };
});

/** A machine that does much else may take longer for a connection than the client waits. */
async function list(from: KubeClient, path: string): Promise<readonly unknown[]> {
  for (let attempt = 1; ; attempt++)
    try {
      return (await from.request<{ readonly items: readonly unknown[] }>({ path })).items;
    } catch (error) {
      if (attempt === maxAttempts) throw error;
    }
}
