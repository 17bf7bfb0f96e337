// Ends a server without resetting its connections.
import type { Server as HttpServer, IncomingMessage, ServerResponse } from "node:http";
import { Server as HttpsServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import type { Clock } from "@plimsoll/component-base";
import { peerOf } from "@plimsoll/component-base/process";

/** When a server that closes ends what. */
export interface DrainTimes {
  /** How long requests that arrive on open connections still get a response, once no new ones are accepted. */
  readonly idleMs: number;
  /** After this, from the same moment, whatever is still open is cut off. */
  readonly graceMs: number;
}

/** Follows the connections of a server, so that it can be closed without resetting one that is in use. */
export type Drain = ReturnType<typeof createDrain>;

/** A peer has so long to close its side. */
const lingerMs = 1000;
/** New connections may keep coming: so many iterations of the event loop are waited for one without any. */
const maxIterations = 1000;

type State = ReturnType<typeof newState>;

function newState(server: HttpServer | HttpsServer) {
  return {
    server,
    /** All connections, also those that node's HTTP server does not know yet because TLS is not done. */
    raw: new Set<Socket>(),
    /** Those that requests come on: the same ones, or inside TLS. */
    usable: new Set<Socket>(),
    /** Responses under way on each: requests may come before the responses to others. */
    responding: new Map<Socket, Set<ServerResponse>>(),
    newest: new WeakMap<Socket, IncomingMessage>(),
    accepted: 0,
    isClosing: false,
    isIdleOver: false,
  };
}

/** To be made before the server listens, so that it knows of every connection. */
export function createDrain(server: HttpServer | HttpsServer, clock: Clock) {
  const state = newState(server);
  const { responding, newest } = state;
  followConnections(state);
  for (const event of ["request", "checkContinue", "checkExpectation"])
    server.prependListener(event, (request, response) => followRequest(state, request, response));
  return {
    /** Whether a connection waits for a response, or for the rest of a request that has one. */
    isResponding: (socket: Socket): boolean =>
      responding.has(socket) || newest.get(socket)?.complete === false,
    /** How many responses it waits for. */
    inFlight: (socket: Socket): number => responding.get(socket)?.size ?? 0,
    /**
     * Stops accepting, serves requests that arrive with `Connection: close`, then ends idle connections. Resolves when all
     * are closed.
     */
    async close(times: DrainTimes): Promise<void> {
      if (server.listening) await close(state, times, clock);
    },
  };
}

function followConnections(state: State): void {
  const { server, raw, usable } = state;
  const follow = (sockets: Set<Socket>, socket: Socket): void => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  };
  server.on("connection", (socket: Socket) => {
    state.accepted += 1;
    follow(raw, socket);
  });
  server.on(server instanceof HttpsServer ? "secureConnection" : "connection", (socket: Socket) => {
    follow(usable, socket);
    socket.once("close", () => setImmediate(endWaiting, state, socket));
  });
}

/** Node 22 ends only the response whose turn it was: all that counts requests would count the others forever. */
function endWaiting({ responding }: State, socket: Socket): void {
  for (const response of responding.get(socket) ?? []) {
    response.destroy();
    response.emit("close");
  }
}

function followRequest(state: State, request: IncomingMessage, response: ServerResponse): void {
  const { responding, newest } = state;
  const { socket } = request;
  newest.set(socket, request);
  const responses = responding.get(socket) ?? new Set();
  responding.set(socket, responses.add(response));
  if (state.isClosing) response.shouldKeepAlive = false;
  response.once("close", () => {
    responses.delete(response);
    if (responses.size > 0) return;
    responding.delete(socket);
    // Its headers may have promised more.
    if (state.isIdleOver) socket.end();
  });
}

async function close(state: State, { idleMs, graceMs }: DrainTimes, clock: Clock): Promise<void> {
  const { server, raw } = state;
  state.isClosing = true;
  await acceptWaiting(state);
  const closed = new Promise<void>((resolve) => {
    // The HTTP server's own would destroy idle connections at once.
    NetServer.prototype.close.call(server, () => resolve());
  });
  const cancel = [
    clock.after(idleMs, () => endIdle(state)),
    clock.after(idleMs + lingerMs, () => destroyIdle(state)),
    clock.after(graceMs, () => {
      for (const socket of raw) socket.destroy();
    }),
  ];
  await closed;
  for (const one of cancel) one();
  // Ends its bookkeeping; there is nothing else left to close.
  server.close();
}

/** Closing resets connections that wait to be accepted, and node accepts one in each iteration of the event loop. */
async function acceptWaiting(state: State): Promise<void> {
  for (let iteration = 0; iteration < maxIterations; iteration += 1) {
    const before = state.accepted;
    await new Promise((resolve) => setImmediate(resolve));
    if (state.accepted === before && iteration > 0) return;
  }
}

function endIdle(state: State): void {
  state.isIdleOver = true;
  for (const socket of state.usable) if (!state.responding.has(socket)) socket.end();
}

function destroyIdle({ responding, raw }: State): void {
  const busy = new Set([...responding.keys()].map(peerOf));
  for (const socket of raw) if (!busy.has(peerOf(socket))) socket.destroy();
}
