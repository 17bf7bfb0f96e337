// Sends documents: a part at a time, so that thousands of objects do not block the event loop, compressed on request.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { setImmediate } from "node:timers/promises";
import { createGzip, constants as zlib } from "node:zlib";

/** A request and its response. Headers that the response has already stay as they are. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Shorter ones are sent as they are. */
const minGzipItems = 20;
const itemsPerPart = 100;

/** A document, whose list `items` may be long. */
export async function sendJson(exchange: Exchange, document: object): Promise<void> {
  const { items, ...rest } = document as { readonly items?: unknown };
  if (!Array.isArray(items)) {
    sendText(exchange, "application/json", `${JSON.stringify(document)}\n`);
    return;
  }
  const { request, response } = exchange;
  setHeaders(response, "application/json");
  response.setHeader("Vary", "Accept-Encoding");
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const source = Readable.from(partsOf(items, rest));
  const isCompressed = items.length >= minGzipItems && acceptsGzip(request);
  if (isCompressed) response.setHeader("Content-Encoding", "gzip");
  const sent = isCompressed
    ? pipeline(source, createGzip({ level: zlib.Z_BEST_SPEED }), response)
    : pipeline(source, response);
  // The headers are out: a reader that leaves is told nothing more.
  await sent.catch(() => response.destroy());
}

export function sendText({ request, response }: Exchange, type: string, text: string): void {
  setHeaders(response, type);
  response.setHeader("Content-Length", Buffer.byteLength(text));
  response.end(request.method === "HEAD" ? undefined : text);
}

/** A file of the page, compressed where that is accepted. */
export function sendFile(
  { request, response }: Exchange,
  file: {
    readonly type: string;
    readonly cache: string;
    readonly bytes: Buffer;
    readonly compressed: Buffer;
  },
): void {
  const isCompressed = acceptsGzip(request);
  const sent = isCompressed ? file.compressed : file.bytes;
  response.writeHead(200, {
    "Content-Type": file.type,
    "Cache-Control": file.cache,
    Vary: "Accept-Encoding",
    "Content-Length": sent.length,
    ...(isCompressed ? { "Content-Encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : sent);
}

export function setHeaders(response: ServerResponse, type: string, cache = "no-cache, private"): void {
  response.setHeader("Content-Type", `${type}; charset=utf-8`);
  if (!response.hasHeader("Cache-Control")) response.setHeader("Cache-Control", cache);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers["accept-encoding"] ?? "");
}

async function* partsOf(items: readonly unknown[], rest: object): AsyncGenerator<string> {
  yield '{"items":[';
  for (let at = 0; at < items.length; at += itemsPerPart) {
    const part = items.slice(at, at + itemsPerPart).map((item) => JSON.stringify(item));
    yield `${at === 0 ? "" : ","}${part.join(",")}`;
    await setImmediate();
  }
  const end = JSON.stringify(rest).slice(1, -1);
  yield `]${end === "" ? "" : `,${end}`}}\n`;
}
