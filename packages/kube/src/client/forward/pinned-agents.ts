// Connections over TLS that are pinned to one certificate: nothing is sent before the server has shown it.
import { createHash } from "node:crypto";
import type { Duplex } from "node:stream";
import { connect, type TLSSocket } from "node:tls";
import { type Clock, DeadlineError, withDeadline } from "@plimsoll/component-base";
import { Agent } from "undici";
import { ConnectionError } from "../api-error.ts";
import type { TlsMaterial } from "../credentials.ts";
import type { Agents } from "../http/agents.ts";
import { toConnectionError } from "../http/connection-failure.ts";

export interface PinnedAgentsOptions {
  /** A connection to the server, without TLS. */
  readonly open: (signal: AbortSignal) => Promise<Duplex>;
  /** Of the certificate's DER form, in hexadecimal digits. */
  readonly sha256: string;
  readonly clock: Clock;
  /** Of one connection, until the certificate is known. */
  readonly timeoutMs: number;
  /** How errors name the connection. */
  readonly what: string;
}

/** The server showed another certificate than the pinned one. */
export class PinnedCertificateError extends ConnectionError {
  constructor(what: string) {
    super("other", `${what}: its certificate differs from the one in its lease; nothing was sent`);
    this.name = "PinnedCertificateError";
  }
}

export function createPinnedAgents(options: PinnedAgentsOptions): Agents {
  const agents = new Map<string, Agent>();
  /** Whether the pinned certificate was seen, so that a client certificate may be shown. */
  let isKnown = false;

  async function socketFor({ cert, key }: TlsMaterial): Promise<TLSSocket> {
    const { clock, timeoutMs, what } = options;
    try {
      return await withDeadline(clock, timeoutMs, async (signal) => {
        if (cert === undefined || key === undefined) return await pinned(options, signal, {});
        // TLS sends a client's certificate before its program has seen the server's: hence once without.
        if (!isKnown) (await pinned(options, signal, {})).destroy();
        isKnown = true;
        return await pinned(options, signal, { cert, key });
      });
    } catch (error) {
      if (error instanceof PinnedCertificateError) isKnown = false;
      if (error instanceof DeadlineError) throw new ConnectionError("timeout", `${what}: ${error.message}`);
      throw error;
    }
  }

  return {
    for(tls) {
      const id = JSON.stringify([tls.cert, tls.key]);
      const known = agents.get(id);
      if (known !== undefined) return known;
      const agent = new Agent({
        keepAliveTimeout: 30_000,
        headersTimeout: 0,
        bodyTimeout: 0,
        allowH2: false,
        connect: (_, done) => {
          socketFor(tls).then(
            (socket) => done(null, socket),
            (error: unknown) => done(toError(error), null),
          );
        },
      });
      agents.set(id, agent);
      return agent;
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error(String(error));
}

/** Resolves when the server has shown the pinned certificate. */
async function pinned(
  { open, sha256, what }: PinnedAgentsOptions,
  signal: AbortSignal,
  identity: Pick<TlsMaterial, "cert" | "key">,
): Promise<TLSSocket> {
  const raw = await open(signal);
  if (raw.destroyed) throw toConnectionError(raw.errored ?? new Error("the connection was closed"), what);
  // The pin replaces the check against an authority: the certificate may be self-signed, for any name.
  const socket = connect({ socket: raw, rejectUnauthorized: false, minVersion: "TLSv1.2", ...identity });
  const destroy = (): void => void socket.destroy();
  signal.addEventListener("abort", destroy, { once: true });
  // What the connection below ends with is what this one ends with.
  raw.once("error", (error) => socket.destroy(error));
  raw.once("close", destroy);
  try {
    await secured(socket, what);
    const shown = socket.getPeerCertificate().raw as Buffer | undefined;
    if (shown === undefined || createHash("sha256").update(shown).digest("hex") !== sha256)
      throw new PinnedCertificateError(what);
    return socket;
  } catch (error) {
    socket.destroy();
    raw.destroy();
    throw toConnectionError(error, what);
  } finally {
    signal.removeEventListener("abort", destroy);
  }
}

function secured(socket: TLSSocket, what: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once("secureConnect", resolve);
    // Also later: an error event without a listener would end the process.
    socket.on("error", reject);
    socket.once("close", () => reject(new ConnectionError("reset", `${what}: the connection was closed`)));
  });
}
