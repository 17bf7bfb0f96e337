import type { KubeClient } from "@plimsoll/kube";

/**
 * The same client, whose writes are not sent once `mayWrite` says no. A write that waits for its turn, for credentials
 * or for a connection may come to be sent much later than it was asked for.
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
