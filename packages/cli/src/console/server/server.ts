// The console's server: on this machine only, for browsers that send what our page sends.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { Clock } from "@plimsoll/component-base";
import { messageOf } from "@plimsoll/component-base";
import { CliError } from "../../seams.ts";
import type { Failure } from "./failure.ts";
import { refusalOf } from "./guard.ts";
import { createIdle } from "./idle.ts";
import { sendFailure } from "./respond.ts";
import { createRoutes, type Routes } from "./routes.ts";
import { createSession, type Session } from "./session.ts";
import { createStreams } from "./streams.ts";

export interface ServerOptions extends Omit<Routes, "session" | "streams"> {
  /** 0: any that is free. */
  readonly port: number;
  readonly clock: Clock;
  /** 0: never. */
  readonly idleMs: number;
  readonly onIdle: () => void;
  /** A page was disconnected because it did not keep up. */
  readonly onSlow: (reason: string) => void;
  /** A failure of the data in words. */
  readonly failureOf: (error: unknown) => Failure;
}

export interface ConsoleServer {
  readonly port: number;
  readonly session: Session;
  stop(): Promise<void>;
}

const loopback = "127.0.0.1";
const maxConnections = 128;
/** A reader that takes nothing for so long is cut off; streams send something every 15 s. */
const silentMs = 60_000;

/** @throws CliError where the port is taken. */
export async function startServer(options: ServerOptions): Promise<ConsoleServer> {
  const { clock, idleMs, onIdle, onSlow, failureOf } = options;
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 10_000, requestTimeout: 30_000 });
  server.maxConnections = maxConnections;
  server.setTimeout(silentMs);
  // While its answer is made a socket is silent as well.
  const busy = new Set<Socket>();
  server.on("timeout", (socket: Socket) => {
    if (!busy.has(socket) || socket.writableLength > 0) socket.destroy();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port: options.port, host: loopback }, resolve);
  }).catch((error: unknown) => {
    throw new CliError(`--port ${options.port}: ${messageOf(error)}`);
  });
  const { port } = server.address() as AddressInfo;
  // A connection that cannot be accepted, because descriptors are short, ends nothing.
  server.on("error", () => undefined);
  const idle = createIdle(clock, idleMs, onIdle);
  const session = createSession(port);
  const streams = createStreams({ idle, clock, onSlow });
  const handle = createRoutes({ ...options, session, streams });
  const host = `${loopback}:${port}`;
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const refused = refusalOf(request, host);
    if (refused !== undefined) {
      const headers = refused.code === 405 ? { Allow: "GET, HEAD" } : {};
      sendFailure(request, response, refused, { ...headers, Connection: "close" });
      return;
    }
    idle.touch();
    const { socket } = request;
    busy.add(socket);
    try {
      await handle(request, response);
    } catch (error) {
      if (response.headersSent) response.destroy();
      else if (!response.destroyed) sendFailure(request, response, failureOf(error));
    } finally {
      busy.delete(socket);
    }
  };
  server.on("request", (request, response) => void answer(request, response));
  return {
    port,
    session,
    async stop() {
      idle.stop();
      streams.end();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}
