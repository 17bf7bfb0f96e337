// Responds to invalid HTTP requests, so that the caller sees why they are refused.
import type { Server } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "@plimsoll/component-base";
import type { Drain } from "./drain.ts";
import { type StatusFailure, statusResponse } from "./secure-server/status.ts";

/** What the server allows, and whom refusals are reported to. */
export interface RefusalOptions {
  readonly drain: Pick<Drain, "isResponding">;
  readonly clock: Clock;
  /** What the server allows for a target and its headers. */
  readonly headerBytes: number;
  /** Called for each connection that ends because of this. */
  readonly onError?: (error: NodeJS.ErrnoException, socket: Socket) => void;
}

/** A client that continues to send has this long to read the response: closing at once would reset the connection before. */
const lingerMs = 1000;

/** Sends a Status for what node cannot read as a request or gives to no request handler, and ends the connection. */
export function refuseUnreadable(server: Server, options: RefusalOptions): void {
  const { drain, clock, headerBytes } = options;
  const refused = new WeakSet<Socket>();

  const refuse = (socket: Socket, refusal: StatusFailure): void => {
    refused.add(socket);
    const cancel = clock.after(lingerMs, () => socket.destroy());
    socket.once("close", cancel);
    socket.once("end", () => socket.destroy());
    socket.end(textOf(refusal));
    // The rest of what was refused; it is read and goes nowhere.
    socket.resume();
  };

  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    if (refused.has(socket)) return;
    options.onError?.(error, socket);
    const refusal = refusalOf(error.code ?? "", headerBytes);
    // None beside another response, and none where TLS itself failed.
    if (refusal === undefined || drain.isResponding(socket) || !socket.writable) socket.destroy();
    else refuse(socket, refusal);
  });
  server.on("connect", (_request, socket: Socket) => {
    socket.on("error", () => socket.destroy());
    if (drain.isResponding(socket)) socket.destroy();
    else refuse(socket, badRequest("this server opens no tunnels"));
  });
}

function textOf(refusal: StatusFailure): string {
  const { headers, body } = statusResponse(refusal);
  const lines = Object.entries({ ...headers, Connection: "close" }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  return [`HTTP/1.1 ${String(refusal.code)} ${refusal.reason}`, ...lines, "", body].join("\r\n");
}

function refusalOf(code: string, headerBytes: number): StatusFailure | undefined {
  if (code === "HPE_HEADER_OVERFLOW") {
    const message = `the request's target and headers are larger than ${String(headerBytes)} bytes: send shorter ones`;
    return { code: 431, reason: "RequestHeaderFieldsTooLarge", message };
  }
  if (code === "ERR_HTTP_REQUEST_TIMEOUT")
    return { code: 408, reason: "RequestTimeout", message: "the request did not arrive in time" };
  return code.startsWith("HPE_") ? badRequest("the request is not valid HTTP/1.1") : undefined;
}

function badRequest(message: string): StatusFailure {
  return { code: 400, reason: "BadRequest", message };
}
