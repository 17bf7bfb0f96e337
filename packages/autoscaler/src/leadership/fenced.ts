// An API client that sends no write once the process lost its lease.
import type { KubeClient } from "@plimsoll/kube";

/**
 * The same client, whose writes are not sent once `mayWrite` returns false. A write that waits in a queue, for credentials
 * or for a connection may be sent much later than it was requested.
 */
export function fenced(client: KubeClient, mayWrite: () => boolean): KubeClient {
  return {
    ...client,
    request: (request) =>
      client.request(
        request.method === undefined || request.method === "GET"
          ? request
          : { ...request, maySend: mayWrite },
      ),
  };
}
