// The three ways to the decisions endpoint.
import { messageOf } from "@plimsoll/component-base";
import { printable } from "@plimsoll/component-base/text";
import { endpointIdentity, type KubeClient, openPinnedClient, openServerClient } from "@plimsoll/kube";
import type { Cluster } from "../cluster/cluster.ts";
import { isClusterError } from "../cluster/error-text.ts";
import { type ClusterFlags, durationFlag } from "../cluster/flags.ts";
import { withSettings } from "../cluster/request-log.ts";
import { readInput } from "../input/read-input.ts";
import { CliError, type CliSeams, clockOf } from "../seams.ts";
import { type Announcement, isSameAnnouncement } from "./announcement.ts";
import { findAnnouncement, trustedNamespaces } from "./find-announcement.ts";
import { movingClient } from "./moving-client.ts";
import { endpointGroup, groupPaths, noWay, ownPaths, type WayName, type WayResult } from "./way.ts";

export interface WayDeps {
  readonly cluster: Cluster;
  readonly flags: ClusterFlags;
  readonly seams: CliSeams;
}

/** Opens a way, without a request to the endpoint yet. @throws CliError for flags that cannot be. */
export async function openWay(name: WayName, deps: WayDeps): Promise<WayResult> {
  try {
    return await openers[name](deps);
  } catch (error) {
    if (!isClusterError(error) || deps.seams.signal.aborted) throw error;
    return noWay(messageOf(error));
  }
}

const openers: Readonly<Record<WayName, (deps: WayDeps) => Promise<WayResult>>> = {
  apiservice: byApiService,
  "port-forward": byPortForward,
  server: byServer,
};

/** kube-apiserver authenticates the user, --as included, and passes the name on. */
async function byApiService({ cluster: { mapper, client } }: WayDeps): Promise<WayResult> {
  const versions = await mapper.groupVersions(endpointGroup);
  if (!versions.includes("v1")) return noWay(`no APIService v1.${endpointGroup}`);
  return {
    ok: true,
    way: { name: "apiservice", client, ...groupPaths, close: () => Promise.resolve() },
  };
}

async function byPortForward(deps: WayDeps): Promise<WayResult> {
  const { cluster, flags } = deps;
  const refused = await identityProblem(deps);
  if (refused !== undefined) return noWay(refused);
  const namespaces = flags.endpointNamespace === undefined ? trustedNamespaces : [flags.endpointNamespace];
  const found = await findAnnouncement(cluster, namespaces);
  if (!found.ok) return noWay(found.reason);
  const options = endpointOptions(deps);
  const open = async (at: Announcement): Promise<KubeClient> =>
    settled(await openPinnedClient(cluster.access, at, options), deps);
  const { announcement } = found;
  const client = movingClient(
    { at: announcement, client: await open(announcement) },
    {
      async locate() {
        const next = await findAnnouncement(cluster, namespaces);
        if (next.ok) return next.announcement;
        throw new Error(next.reason);
      },
      open,
      isSame: isSameAnnouncement,
    },
  );
  return { ok: true, way: { name: "port-forward", client, ...ownPaths, close: () => client.close() } };
}

async function byServer(deps: WayDeps): Promise<WayResult> {
  const { cluster, flags, seams } = deps;
  const { server, caFile } = flags;
  if (server === undefined) return noWay("no --server");
  checkServer(server);
  const refused = await identityProblem(deps);
  if (refused !== undefined) return noWay(refused);
  const ca = caFile === undefined ? undefined : await readInput(caFile, seams);
  if (ca?.includes("-----BEGIN CERTIFICATE-----") === false)
    throw new CliError(`--ca-file ${caFile ?? ""} has no certificate in PEM`);
  const opened = await openServerClient(cluster.access, { url: server, ca }, endpointOptions(deps));
  const client = settled(opened, deps);
  return { ok: true, way: { name: "server", client, ...ownPaths, close: () => client.close() } };
}

function checkServer(server: string): void {
  const url = URL.parse(server);
  if (url?.protocol !== "https:")
    throw new CliError("--server must be an https URL: credentials are sent to it");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new CliError("--server must be an https URL without a user, query or fragment");
}

/** Why these ways cannot prove who the user is; undefined when they can. */
async function identityProblem(deps: WayDeps): Promise<string | undefined> {
  const { cluster } = deps;
  if (cluster.as !== undefined) return "--as works through the APIService only";
  const sendsToken = mayToken(deps);
  if ((await readIdentity(deps, sendsToken)) !== "none") return undefined;
  const hasToken = !sendsToken && (await readIdentity(deps, true)) === "token";
  return hasToken
    ? "the user has no client certificate, and sending the token is off"
    : `user "${cluster.access.context.user}" has neither a client certificate nor a token`;
}

async function readIdentity({ cluster }: WayDeps, sendsToken: boolean) {
  try {
    return await endpointIdentity(cluster.access, { sendsToken });
  } catch {
    // The cluster's own client says what is wrong with a plugin or a file.
    return "none";
  }
}

/** By --send-token, else by PLIMSOLL_SEND_TOKEN. @throws CliError */
function mayToken({ flags, seams }: WayDeps): boolean {
  const variable = seams.env?.["PLIMSOLL_SEND_TOKEN"] ?? "";
  if (variable !== "" && variable !== "auto" && variable !== "never")
    throw new CliError("PLIMSOLL_SEND_TOKEN must be auto or never");
  return flags.sendToken !== "never" && variable !== "never";
}

function endpointOptions(deps: WayDeps) {
  const { seams } = deps;
  return {
    sendsToken: mayToken(deps),
    userAgent: `plimsoll/${seams.version}`,
    clock: clockOf(seams),
  };
}

/** With the timeout, the interrupt and the record of requests that all commands have. */
function settled(client: KubeClient, { flags, seams }: WayDeps): KubeClient {
  return withSettings(client, {
    timeoutMs: durationFlag("--request-timeout", flags.requestTimeout, 1),
    signal: seams.signal,
    nowMs: seams.nowMs,
    log: flags.verbose === true ? (line) => seams.writeError(`${printable(line)}\n`) : undefined,
  });
}
