// The cluster of a command: its client, its kinds, the namespace and the version.
import { messageOf, race } from "@plimsoll/component-base";
import { printable } from "@plimsoll/component-base/text";
import {
  ApiError,
  type ClusterAccess,
  createRestMapper,
  type KubeClient,
  openConnection,
  type RestMapper,
} from "@plimsoll/kube";
import { CliError, type CliSeams, clockOf, type ExitCode } from "../seams.ts";
import { clusterErrorText, isClusterError } from "./error-text.ts";
import { type ConnectionFlags, durationFlag } from "./flags.ts";
import { withSettings } from "./request-log.ts";

/** The version of the API server. */
export interface ServerVersion {
  /** Such as "v1.37.1"; "" where it may not be read. */
  readonly text: string;
  /** Of 1.x; undefined where it is unknown. */
  readonly minor: number | undefined;
}

/** One cluster, as one user. */
export interface Cluster {
  /** With the timeout of --request-timeout; with -v each request is on record. */
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  /** What the client is made from, for connections that are no requests of the API. */
  readonly access: ClusterAccess;
  readonly namespace: string;
  /** Undefined: all of them. */
  readonly scope: string | undefined;
  readonly selector: string | undefined;
  readonly version: ServerVersion;
  /** Whom requests are made as, with --as. */
  readonly as: string | undefined;
  /** Writes a line to the standard error, once, and keeps it for documents. */
  readonly note: (text: string) => void;
  readonly notes: readonly string[];
  /** Called when the command ends: for connections beside those of the client. */
  readonly closeWith: (close: () => Promise<void>) => void;
  /** An error in words for whoever typed the command. */
  readonly errorText: (error: unknown) => string;
}

/** Rules of older releases are unknown exactly. */
const oldestMinor = 30;

/** Opens the cluster that the flags name, and closes it after the command. @throws CliError */
export async function withCluster(
  flags: ConnectionFlags,
  seams: CliSeams,
  run: (cluster: Cluster) => Promise<ExitCode>,
): Promise<ExitCode> {
  const opened = await openCluster(flags, seams);
  try {
    return await run(opened.cluster);
  } catch (error) {
    if (!isClusterError(error) || seams.signal.aborted) throw error;
    throw new CliError(opened.cluster.errorText(error));
  } finally {
    await opened.close();
  }
}

/** @throws CliError */
export async function openCluster(
  flags: ConnectionFlags,
  seams: CliSeams,
): Promise<{ readonly cluster: Cluster; readonly close: () => Promise<void> }> {
  const timeoutMs = durationFlag("--request-timeout", flags.requestTimeout, 1);
  const { client: base, access } = await connectionOf(flags, seams);
  const client = withSettings(base, {
    timeoutMs,
    signal: seams.signal,
    nowMs: seams.nowMs,
    log: flags.verbose === true ? (line) => seams.writeError(`${printable(line)}\n`) : undefined,
  });
  const mapper = createRestMapper({ client });
  const errorText = (error: unknown) =>
    clusterErrorText(error, { server: client.server, context: access.context, as: flags.as });
  try {
    const [version] = await Promise.all([readServerVersion(client), mapper.refresh()]);
    await checkVersions(mapper, version);
    const namespace = flags.namespace ?? access.context.namespace ?? "default";
    const notes: string[] = [];
    const note = (text: string): void => {
      if (notes.includes(text)) return;
      notes.push(text);
      seams.writeError(`note: ${printable(text)}\n`);
    };
    if (version.minor !== undefined && version.minor < oldestMinor)
      note(`the server is ${version.text}: using the rules of 1.32 for releases before 1.${oldestMinor}`);
    const closing: (() => Promise<void>)[] = [];
    const cluster: Cluster = {
      client,
      mapper,
      access,
      namespace,
      scope: flags.allNamespaces === true ? undefined : namespace,
      selector: flags.selector,
      version,
      as: flags.as,
      note,
      notes,
      closeWith: (close) => void closing.push(close),
      errorText,
    };
    const close = async (): Promise<void> => {
      const closed = Promise.all([...closing.map((one) => one()), client.close()]);
      await (seams.signal.aborted ? race<unknown>([closed, Promise.resolve()]) : closed);
    };
    return { cluster, close };
  } catch (error) {
    const closed = client.close();
    await (seams.signal.aborted ? race<unknown>([closed, Promise.resolve()]) : closed);
    if (!isClusterError(error) || seams.signal.aborted) throw error;
    throw new CliError(errorText(error));
  }
}

async function connectionOf(flags: ConnectionFlags, seams: CliSeams) {
  const { kubeconfig, context, cluster, user, as, asGroup = [] } = flags;
  if (as === undefined && asGroup.length > 0) throw new CliError("--as-group needs --as");
  const { connect = openConnection } = seams;
  try {
    return await connect({
      kubeconfig,
      context,
      cluster,
      user,
      impersonate: as === undefined ? undefined : { user: as, groups: asGroup },
      userAgent: `plimsoll/${seams.version}`,
      clock: clockOf(seams),
    });
  } catch (error) {
    if (!isClusterError(error)) throw error;
    throw new CliError(messageOf(error));
  }
}

async function checkVersions(mapper: RestMapper, version: ServerVersion): Promise<void> {
  const served = await mapper.groupVersions("autoscaling");
  if (served.includes("v2")) return;
  const found = served.length === 0 ? "no version of it" : served.join(", ");
  throw new CliError(
    `the server (${version.text || "of unknown version"}) does not serve autoscaling/v2, but ${found}`,
  );
}

/** Managed clusters may not show it: then nothing is known. */
async function readServerVersion(client: KubeClient): Promise<ServerVersion> {
  try {
    const { gitVersion } = await client.request<{ readonly gitVersion?: unknown }>({ path: "/version" });
    const text = typeof gitVersion === "string" ? gitVersion : "";
    const minor = /^v1\.(\d+)/.exec(text)?.[1];
    return { text, minor: minor === undefined ? undefined : Number(minor) };
  } catch (error) {
    // 401 does not depend on the version.
    if (error instanceof ApiError && error.code !== 401) return { text: "", minor: undefined };
    throw error;
  }
}
