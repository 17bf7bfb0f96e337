// Requests of users and of programs that are not simulated: they reach the API server at once and without loss.
import type { Cluster } from "../cluster/cluster.ts";
import type { ServerRequest } from "../network/network.ts";

/** A request of a user. */
export interface UserRequest extends Pick<ServerRequest, "method" | "path"> {
  readonly user: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly contentType?: string;
}

/** Sends it; what the server refuses does not happen. */
export function sendAsUser({ server }: Cluster, request: UserRequest): void {
  const { body, contentType = "application/json", method, path, query, user } = request;
  void server({
    method,
    path,
    query: new URLSearchParams(query),
    headers: { "user-agent": user, ...(body === undefined ? {} : { "content-type": contentType }) },
    body: body === undefined ? undefined : JSON.stringify(body),
    caller: user,
  });
}
