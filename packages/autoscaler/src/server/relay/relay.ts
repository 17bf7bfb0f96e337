// Relays GETs to the processes that decide: to the holder of the lease, or to all that own shards.
import type { IncomingMessage } from "node:http";
import { createInterface } from "node:readline";
import { messageOf } from "@plimsoll/component-base";
import { publicText } from "@plimsoll/core/redact";
import type { Resource } from "@plimsoll/decisions";
import { type Failure, RequestError, type Streams } from "@plimsoll/decisions/serve";
import { sendStatus } from "@plimsoll/kube/serving";
import type { Request, Response } from "express";
import { type Announcement, placeOf } from "../../leadership/announcement.ts";
import type { Holders } from "../../leadership/coordination.ts";
import type { PeerClient } from "./peer-client.ts";
import type { RelayToken } from "./relay-token.ts";

/** Marks a request of another process of this deployment, which is not relayed again. */
export const relayHeader = "x-plimsoll-relay";
/** The resources that the caller of a relayed request may list. */
export const resourcesHeader = "x-plimsoll-resources";

export interface RelayDeps {
  readonly holders: () => Holders;
  readonly peers: PeerClient;
  readonly token: Pick<RelayToken, "forPod">;
}

/** A request whose caller may have the response. */
export interface RelayedRequest {
  readonly request: Request;
  readonly response: Response;
  /** Undefined: the path names the object. */
  readonly resources: ReadonlySet<Resource> | undefined;
  /** In place of that of the request. */
  readonly path?: string;
}

/** Where the response to a request is. */
export type Route =
  | { readonly to: "self" }
  | { readonly to: "one"; readonly peer: Announcement }
  /** This process owns a part, and so do the others. */
  | { readonly to: "all"; readonly peers: readonly Announcement[] }
  | { readonly to: "none"; readonly failure: Failure };

/** `isRelayed`: one hop is enough. */
export function routeOf({ isSelf, others, silent, vacant }: Holders, isRelayed: boolean): Route {
  if (isRelayed) {
    return isSelf
      ? { to: "self" }
      : {
          to: "none",
          failure: unavailable("this process no longer holds the lease; retry"),
        };
  }
  if (vacant !== undefined)
    return { to: "none", failure: unavailable(`no process holds the lease ${vacant}`) };
  const [unknown] = silent;
  if (unknown !== undefined)
    return {
      to: "none",
      failure: unavailable(`${unknown} is the leader, but has no address in its lease`),
    };
  const [first] = others;
  if (first === undefined) return { to: "self" };
  return isSelf ? { to: "all", peers: others } : { to: "one", peer: first };
}

export function unavailable(message: string): Failure {
  return { code: 503, reason: "ServiceUnavailable", message: publicText(message) };
}

/** Who waits for slow readers. */
export type Readers = Pick<Streams, "drained" | "end">;

export type Relay = ReturnType<typeof createRelay>;

export interface PeerResponse {
  readonly peer: Announcement;
  readonly message: IncomingMessage;
}

const passedHeaders = ["accept", "if-none-match", "last-event-id", "accept-encoding"] as const;
const returnedHeaders = [
  "content-type",
  "content-encoding",
  "content-length",
  "etag",
  "vary",
  "cache-control",
  "retry-after",
] as const;

export function createRelay(deps: RelayDeps) {
  async function open(
    peers: readonly Announcement[],
    relayed: RelayedRequest,
  ): Promise<readonly PeerResponse[]> {
    const options = { ...deps, isWhole: false, signal: closing(relayed.response) };
    const results = await Promise.allSettled(
      peers.map(async (peer) => {
        try {
          return { peer, message: await send(peer, relayed, options) };
        } catch (error) {
          throw new RequestError(unreachable(peer, error));
        }
      }),
    );
    const responses = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
    const failed = results.find((result) => result.status === "rejected");
    if (failed === undefined) return responses;
    for (const { message } of responses) message.destroy();
    throw failed.reason;
  }

  return {
    route: (isRelayed: boolean): Route => routeOf(deps.holders(), isRelayed),
    /** Sends the response of one process as it is; of a stream, to a reader that keeps up. */
    async pipe(peer: Announcement, relayed: RelayedRequest, readers?: Readers): Promise<void> {
      const { request, response } = relayed;
      try {
        const message = await send(peer, relayed, { ...deps, isWhole: true, signal: closing(response) });
        passHead(message, response);
        if (request.method !== "HEAD") return pass(message, response, readers);
        message.destroy();
        response.end();
      } catch (error) {
        if (!response.headersSent) sendStatus(response, unreachable(peer, error));
        else response.destroy();
      }
    },
    /** The responses of all. @throws RequestError where one cannot be reached */
    open,
    /** The documents of all. @throws RequestError where one has none */
    async documents(peers: readonly Announcement[], relayed: RelayedRequest): Promise<readonly unknown[]> {
      const responses = await open(peers, relayed);
      try {
        return await Promise.all(responses.map(documentOf));
      } catch (error) {
        for (const { message } of responses) message.destroy();
        throw new RequestError(unavailable(messageOf(error)));
      }
    },
  };
}

async function send(
  peer: Announcement,
  relayed: RelayedRequest,
  { isWhole, signal, peers, token }: RelayDeps & { readonly isWhole: boolean; readonly signal: AbortSignal },
): Promise<IncomingMessage> {
  const { request, resources, path = request.originalUrl } = relayed;
  const headers: Record<string, string> = {
    authorization: `Bearer ${await token.forPod(placeOf(peer).host)}`,
    [relayHeader]: "1",
    ...(resources === undefined ? {} : { [resourcesHeader]: [...resources].join(",") }),
  };
  for (const name of passedHeaders) {
    const value = request.headers[name];
    // What is merged here is read here: not compressed, and not "unchanged".
    if (typeof value === "string" && (isWhole || name === "accept")) headers[name] = value;
  }
  const message = await peers.get(peer, { path, headers, signal });
  if (message.statusCode !== 401) return message;
  message.destroy();
  throw new Error("it does not take this process's token");
}

/** Aborts when the caller has the response, or is gone. */
function closing(response: Response): AbortSignal {
  const ended = new AbortController();
  if (response.destroyed) ended.abort();
  else response.once("close", () => ended.abort());
  return ended.signal;
}

function passHead(message: IncomingMessage, response: Response): void {
  response.status(message.statusCode ?? 502);
  for (const name of returnedHeaders) {
    const value = message.headers[name];
    if (value !== undefined) response.setHeader(name, value);
  }
}

function pass(message: IncomingMessage, response: Response, readers: Readers | undefined): void {
  response.flushHeaders();
  message.once("error", () => response.destroy());
  message.once("aborted", () => response.destroy());
  // A stream may be ended here while more of it comes.
  response.on("error", () => message.destroy());
  message.pipe(response, { end: readers === undefined });
  if (readers === undefined) return;
  // The pipe pauses it while the reader is behind.
  message.on("pause", () => void readers.drained(response));
  message.once("end", () => readers.end(response));
}

function unreachable({ pod }: Announcement, error: unknown): Failure {
  return unavailable(`${pod}, which decides, cannot be reached: ${messageOf(error)}`);
}

const maxBodyBytes = 64 * 1024 * 1024;

/** The document of a response with code 200. @throws Error for another code, or when it is too long or no JSON. */
export async function documentOf({ peer, message }: PeerResponse): Promise<unknown> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of message as AsyncIterable<Buffer>) {
    bytes += part.length;
    if (bytes > maxBodyBytes) throw new Error(`the response of ${peer.pod} is too long`);
    parts.push(part);
  }
  if (message.statusCode !== 200) throw new Error(`${peer.pod} responds with ${String(message.statusCode)}`);
  return JSON.parse(Buffer.concat(parts).toString()) as unknown;
}

/** Passes whole events on, without ids: those of several processes do not resume one stream. It ends with the first of them. */
export function mergedStream(others: readonly PeerResponse[], response: Response, readers: Readers): void {
  for (const { message } of others) {
    const lines = createInterface({ input: message, crlfDelay: Number.POSITIVE_INFINITY });
    let event: string[] = [];
    lines.on("line", (line) => {
      if (line !== "") {
        if (!line.startsWith("id:") && !line.startsWith("retry:")) event.push(line);
        return;
      }
      // The lines of a part that came before it was ended still follow.
      if (response.writableEnded) return;
      if (event.length > 0 && !response.write(`${event.join("\n")}\n\n`)) {
        lines.pause();
        void readers.drained(response).then(() => lines.resume());
      }
      event = [];
    });
    const end = (): void => readers.end(response);
    message.once("close", end);
    message.once("error", end);
  }
}
