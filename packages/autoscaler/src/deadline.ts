import type { KubeClient } from "@plimsoll/kube";

/** The same client with a shorter patience for single answers; streams are left alone. */
export function withDeadline(client: KubeClient, timeoutMs: number): KubeClient {
  return {
    server: client.server,
    request: (request) => client.request({ timeoutMs, ...request }),
    stream: (request) => client.stream(request),
    close: () => client.close(),
  };
}
