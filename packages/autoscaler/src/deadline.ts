import type { KubeClient } from "@plimsoll/kube";

/** Under this name the API server notes what we write. */
export const fieldManager = "plimsoll-autoscaler";

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

/** The same client, that signs every write with our name. */
export function asFieldManager(client: KubeClient): KubeClient {
  return {
    ...client,
    request: (request) =>
      client.request(
        request.method === undefined || request.method === "GET" || request.method === "DELETE"
          ? request
          : { ...request, query: { fieldManager, ...request.query } },
      ),
  };
}
