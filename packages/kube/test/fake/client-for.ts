import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type KubeClient } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { onTestFinished } from "vitest";

/** A client of a server that asks for no credentials. */
export async function clientFor(url: string): Promise<KubeClient> {
  const kubeconfig = join(testFolder(), "config");
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      clusters: [{ name: "c", cluster: { server: url } }],
      users: [{ name: "u", user: {} }],
      contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
      "current-context": "c",
    }),
  );
  const client = await connect({ kubeconfig, userAgent: "test" });
  onTestFinished(() => client.close());
  return client;
}

/** A client that counts its requests without a response. */
export function counting(client: KubeClient): KubeClient & { readonly waiting: number } {
  let waiting = 0;
  const counted = async <R>(promise: Promise<R>): Promise<R> => {
    waiting += 1;
    try {
      return await promise;
    } finally {
      waiting -= 1;
    }
  };
  return {
    server: client.server,
    request: <T>(request: Parameters<KubeClient["request"]>[0]) => counted(client.request<T>(request)),
    stream: (request) => counted(client.stream(request)),
    close: () => client.close(),
    get waiting() {
      return waiting;
    },
  };
}
