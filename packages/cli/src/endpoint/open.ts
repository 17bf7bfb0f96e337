// Opens the decisions endpoint by the way that the flags name, or by the first one that works.
import { messageOf } from "@plimsoll/component-base";
import { ApiError, PortForwardRefusedError } from "@plimsoll/kube";
import { isClusterError } from "../cluster/error-text.ts";
import { CliError } from "../seams.ts";
import { type Endpoint, endpointOf } from "./endpoint.ts";
import { endpointGroup, noWay, type WayName, type WayResult, wayNames } from "./way.ts";
import { openWay, type WayDeps } from "./ways.ts";

/** An endpoint, or why none answers. */
export type OpenedEndpoint =
  | { readonly ok: true; readonly endpoint: Endpoint }
  | { readonly ok: false; readonly reason: string };

/**
 * Its connections end with those of the cluster.
 * @throws CliError where a way was named and does not work.
 */
export async function openEndpoint(deps: WayDeps): Promise<OpenedEndpoint> {
  const { via, server, caFile } = deps.flags;
  if (via === "none") return { ok: false, reason: "--via none" };
  if (caFile !== undefined && server === undefined) throw new CliError("--ca-file needs --server");
  if (via === "server" && server === undefined) throw new CliError("--via server needs --server URL");
  if (via !== "auto") {
    const result = await tried(via, deps);
    if (result.ok) return opened(result, deps);
    throw new CliError(`--via ${via}: ${result.reason}`);
  }
  const reasons: string[] = [];
  for (const name of wayNames) {
    if (name === "server" && server === undefined) continue;
    const result = await tried(name, deps);
    if (result.ok) return opened(result, deps);
    reasons.push(result.reason);
  }
  return { ok: false, reason: [...new Set(reasons)].join("; ") };
}

function opened({ way }: Extract<WayResult, { ok: true }>, { cluster }: WayDeps): OpenedEndpoint {
  cluster.closeWith(way.close);
  return { ok: true, endpoint: endpointOf(way) };
}

/** A way that leads to an endpoint which takes the user. */
async function tried(name: WayName, deps: WayDeps): Promise<WayResult> {
  const result = await openWay(name, deps);
  if (!result.ok) return result;
  const problem = await probeEndpoint(endpointOf(result.way), deps);
  if (problem === undefined) return result;
  await result.way.close();
  return noWay(problem);
}

/** Reads one row: what is wrong with the endpoint, or undefined. */
export async function probeEndpoint(
  endpoint: Endpoint,
  { cluster, seams }: Pick<WayDeps, "cluster" | "seams">,
): Promise<string | undefined> {
  try {
    await endpoint.rows({ namespace: cluster.scope, limit: 1 });
    return undefined;
  } catch (error) {
    if (!isClusterError(error) || seams.signal.aborted) throw error;
    return problemOf(error, cluster.access.context.user);
  }
}

function problemOf(error: unknown, user: string): string | undefined {
  const message = messageOf(error);
  if (!(error instanceof ApiError) || error instanceof PortForwardRefusedError) return message;
  switch (error.code) {
    case 401:
      return `the autoscaler does not accept user "${user}": ${message}`;
    case 403:
      // Who may not list may still get: only the API server's own refusal closes the way.
      return message.includes(endpointGroup) ? message : undefined;
    case 404:
      return `it serves no decisions: ${message}`;
    default:
      return message;
  }
}
