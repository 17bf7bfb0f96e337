// Connections to the API server.
import { connect, type KubeClient } from "@plimsoll/kube";
import type { BuildInfo } from "../http/endpoints/version.ts";

/** One connection for each kubeconfig, however many flags name it. */
export function createClients(build: BuildInfo): {
  open(kubeconfig: string | undefined): Promise<KubeClient>;
  close(): Promise<void>;
} {
  const clients = new Map<string, Promise<KubeClient>>();
  return {
    open: (kubeconfig) => {
      const key = kubeconfig ?? "";
      const known = clients.get(key);
      const client =
        known ??
        connect({ userAgent: userAgentOf(build), ...(kubeconfig === undefined ? {} : { kubeconfig }) });
      clients.set(key, client);
      return client;
    },
    close: async () => {
      await Promise.allSettled([...clients.values()].map(async (client) => (await client).close()));
    },
  };
}

/** What other servers see of us. */
export function userAgentOf({ version }: BuildInfo): string {
  return `plimsoll-metrics-adapter/${version}`;
}
