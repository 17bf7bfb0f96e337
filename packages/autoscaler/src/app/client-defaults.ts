// Defaults for the requests of an API client: timeout and field manager.
import type { KubeClient } from "@plimsoll/kube";
import { fieldManager } from "../objects/field-managers.ts";

/** The same client with a shorter timeout, and a common abort signal, for single responses; streams are unchanged. */
export function withTimeout(client: KubeClient, timeoutMs: number, signal?: AbortSignal): KubeClient {
  const common = { timeoutMs, ...(signal === undefined ? {} : { signal }) };
  return {
    server: client.server,
    request: (request) => client.request({ ...common, ...request }),
    stream: (request) => client.stream(request),
    close: () => client.close(),
  };
}

/** The same client, whose writes carry a field manager unless the request names one. */
export function asFieldManager(client: KubeClient, manager = fieldManager): KubeClient {
  return {
    ...client,
    request: (request) =>
      client.request(
        request.method === undefined || request.method === "GET" || request.method === "DELETE"
          ? request
          : { ...request, query: { fieldManager: manager, ...request.query } },
      ),
  };
}
