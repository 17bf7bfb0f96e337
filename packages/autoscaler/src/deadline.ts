import type { KubeClient } from "@plimsoll/kube";

/** The same client with a shorter patience, and a common end, for single answers; streams are left alone. */
export function withDeadline(client: KubeClient, timeoutMs: number, signal?: AbortSignal): KubeClient {
  const common = { timeoutMs, ...(signal === undefined ? {} : { signal }) };
  return {
    server: client.server,
    request: (request) => client.request({ ...common, ...request }),
    stream: (request) => client.stream(request),
    close: () => client.close(),
  };
}
