// Requests of users and of programs that are not simulated: they reach the API server at once and without loss.
import { type Cluster, RefusedError } from "../cluster/cluster.ts";
import type { ServerRequest } from "../network/network.ts";
import type { World } from "../run/world.ts";
import type { SetupObject } from "../scenario/scenario.ts";

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

/** As kubectl patch: fields that are null are removed. */
export function patchAsUser(cluster: Cluster, path: string, body: unknown): void {
  const contentType = "application/merge-patch+json";
  sendAsUser(cluster, { user: "user", method: "PATCH", path, contentType, body });
}

/** As kubectl apply, or as GitOps does it; one that is being deleted, for example, is refused. */
export function applyAsUser(
  { cluster, record }: Pick<World, "cluster" | "record">,
  manifest: SetupObject,
  user: string,
): void {
  try {
    cluster.apply(user, manifest);
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    record({ kind: "error", process: user, message: error.message, isUnhandled: false });
  }
}
