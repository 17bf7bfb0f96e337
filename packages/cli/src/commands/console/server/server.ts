// The console's server: on this machine only, for browsers that send what our page sends.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { type Clock, messageOf } from "@plimsoll/component-base";
import { limitConnections, localLimits, serverOptions } from "@plimsoll/component-base/process";
import { createServeDecisions, createStreams, type Failure, maxBlockedMs } from "@plimsoll/decisions/serve";
import { CliError } from "../../../seams.ts";
import { createIdle } from "./idle.ts";
import { sendFailure } from "./respond.ts";
import { createRoutes, type Routes } from "./routes.ts";
import { createSession, type Session } from "./session.ts";

export interface ServerOptions extends Omit<Routes, "session" | "serve" | "idle"> {
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
/**
 * A browser opens six connections to one host: were each tab's stream one of them, the seventh tab would wait for ever.
 * Tabs without a stream read the summary every 15 s.
 */
const maxStreams = 4;
const slowText = `disconnected a page that read nothing from its stream for ${maxBlockedMs / 1000} s`;

/** @throws CliError where the port is taken. */
export async function startServer(options: ServerOptions): Promise<ConsoleServer> {
  const { clock, idleMs, onIdle, onSlow, failureOf } = options;
  const limits = localLimits.console;
  const server = createServer(serverOptions(limits));
  const connections = limitConnections(server, limits);
  // While its answer is made a socket is silent as well.
  const busy = new Set<Socket>();
  server.on("timeout", (socket: Socket) => {
    if (!busy.has(socket) || socket.writableLength > 0) socket.destroy();
  });
  const port = await listening(server, options.port);
  // A connection that cannot be accepted, because descriptors are short, ends nothing.
  server.on("error", () => undefined);
  const idle = createIdle(clock, idleMs, onIdle);
  const session = createSession(port);
  const streams = createStreams({
    clock,
    most: maxStreams,
    mostOfOne: maxStreams,
    onSlow: () => onSlow(slowText),
  });
  const handle = createRoutes({ ...options, session, idle, serve: createServeDecisions(streams) });
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
    if (session.isKnown(request)) connections.keep(socket);
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
      streams.endAll();
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** @throws CliError where the port is taken. */
async function listening(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen({ port, host: loopback }, resolve);
  }).catch((error: unknown) => {
    throw new CliError(`--port ${port}: ${messageOf(error)}`);
  });
  return (server.address() as AddressInfo).port;
}

/** "127.0.0.1:PORT": the one host that a request may name, so that no other name can be made to lead here. */
type OwnHost = string;

/** What is wrong with a request, or undefined. */
function refusalOf(request: IncomingMessage, host: OwnHost): Failure | undefined {
  const { method = "", url = "" } = request;
  if (valuesOf(request, "host").join() !== host || !url.startsWith("/"))
    return {
      code: 403,
      reason: "Forbidden",
      message: `this console only responds at http://${host}`,
    };
  const origins = valuesOf(request, "origin");
  if (origins.some((origin) => origin !== `http://${host}`))
    return { code: 403, reason: "Forbidden", message: "the request comes from a page of another origin" };
  const site = valuesOf(request, "sec-fetch-site").join();
  if (site !== "same-origin" && site !== "none")
    return {
      code: 403,
      reason: "Forbidden",
      message:
        "only the console's own page may send requests (Sec-Fetch-Site must be same-origin or none): type the address, or open it from the terminal",
    };
  if (method !== "GET" && method !== "HEAD")
    return { code: 405, reason: "MethodNotAllowed", message: "the console only reads: GET and HEAD" };
  return undefined;
}

/** All values of a header, because of the first of two a reader behind might take the second. */
function valuesOf({ rawHeaders }: IncomingMessage, name: string): readonly string[] {
  return rawHeaders.filter((_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name);
}
