// The connections of one backend, with the token that is sent over them. A new CA needs new ones.
import { Agent } from "node:https";
import { isIP, type LookupFunction } from "node:net";
import { atMostEvery } from "@plimsoll/component-base";
import type { BackendConfig } from "../config/federation-config.ts";
import { type Credentials, createCredentialFiles } from "./credentials.ts";

/** What a request is sent with. */
export interface Connected {
  readonly agent: Agent;
  readonly token: string;
}

/** Follows the files of a backend. */
export type Connections = ReturnType<typeof createConnections>;

const refusedMs = 1_000;
/** kube-apiserver's clients have the same. */
const idleConnections = 8;

/** Nothing is read before start. */
export function createConnections(
  config: BackendConfig,
  seams: Parameters<typeof createCredentialFiles>[1] & { readonly lookUp: LookupFunction },
) {
  let connected: (Connected & Pick<Credentials, "ca">) | undefined;
  /** Agents of former CAs, with the requests that were in flight then. */
  const retired = new Set<Agent>();
  let isStopped = false;

  /** A token changes every hour, and needs no other connections. */
  const connectWith = ({ token, ca }: Credentials): void => {
    if (isStopped) return;
    const last = connected;
    const isSame = last !== undefined && last.ca === ca;
    connected = { agent: isSame ? last.agent : createAgent(config, ca, seams.lookUp), token, ca };
    if (last === undefined || isSame) return;
    for (const agent of retired) if (Object.keys(agent.sockets).length === 0) retired.delete(agent);
    retire(last.agent);
    retired.add(last.agent);
  };
  const files = createCredentialFiles(config, seams, connectWith);

  return {
    /** Undefined before the start and after the stop. */
    current: (): Connected | undefined => connected,
    /** @throws Error when a file cannot be read. */
    start: async (): Promise<void> => connectWith(await files.start()),
    /** Reads the files again, at most once a second: the backend refused the token. Never rejects. */
    refresh: atMostEvery(seams.clock, refusedMs, files.read),
    /** Ends all connections, those of requests in flight too. */
    stop(): void {
      isStopped = true;
      files.stop();
      for (const agent of [connected?.agent, ...retired]) agent?.destroy();
      connected = undefined;
      retired.clear();
    },
  };
}

/** Closes idle connections at once, and those in use with their request. */
function retire(agent: Agent): void {
  Object.assign(agent, { keepAlive: false });
  for (const sockets of Object.values(agent.freeSockets))
    for (const socket of sockets ?? []) socket.destroy();
}

function createAgent(config: BackendConfig, ca: string | undefined, lookup: LookupFunction): Agent {
  return new Agent({
    keepAlive: true,
    maxSockets: config.concurrency + 2,
    maxFreeSockets: idleConnections,
    scheduling: "lifo",
    lookup,
    ALPNProtocols: ["http/1.1"],
    minVersion: "TLSv1.2",
    rejectUnauthorized: !config.insecureSkipTlsVerify,
    ...(isIP(config.host) === 0 ? { servername: config.host } : {}),
    ...(ca === undefined ? {} : { ca }),
  });
}
