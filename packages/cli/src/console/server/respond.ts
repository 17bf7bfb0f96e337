// Writes responses: documents with a tag, compressed where that is worth it; failures in the server's words.
import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { promisify } from "node:util";
import { gzip } from "node:zlib";
import { securityHeaders } from "@plimsoll/component-base/page";
import type { Failure } from "./failure.ts";

const compress = promisify(gzip);
const minCompressed = 1_024;

/** What is sent. */
export interface Body {
  readonly type: string;
  readonly bytes: Buffer;
  /** Of Cache-Control. */
  readonly cache: string;
  /** Made once where the same bytes are sent again. */
  readonly compressed?: Buffer;
  readonly tag?: string;
}

export function bodyOfJson(document: unknown): Body {
  const bytes = Buffer.from(JSON.stringify(document));
  const tag = `"${createHash("sha256").update(bytes).digest("base64url").slice(0, 22)}"`;
  // Nothing of the cluster stays on a disk.
  return { type: "application/json", bytes, cache: "no-store", tag };
}

export async function sendBody(
  request: IncomingMessage,
  response: ServerResponse,
  body: Body,
): Promise<void> {
  const { type, bytes, cache, tag } = body;
  response.setHeaders(
    new Map(Object.entries({ ...securityHeaders, "Cache-Control": cache, Vary: "Accept-Encoding" })),
  );
  if (tag !== undefined) response.setHeader("ETag", tag);
  if (tag !== undefined && request.headers["if-none-match"] === tag) {
    response.writeHead(304).end();
    return;
  }
  const isCompressed = bytes.length >= minCompressed && acceptsGzip(request);
  const sent = isCompressed ? (body.compressed ?? (await compress(bytes))) : bytes;
  if (isCompressed) response.setHeader("Content-Encoding", "gzip");
  response.writeHead(200, { "Content-Type": type, "Content-Length": sent.length });
  response.end(request.method === "HEAD" ? undefined : sent);
}

export function sendFailure(
  request: IncomingMessage,
  response: ServerResponse,
  failed: Failure,
  headers: Readonly<Record<string, string>> = {},
): void {
  const bytes = Buffer.from(JSON.stringify(failed));
  response.writeHead(failed.code, {
    ...securityHeaders,
    "Cache-Control": "no-store",
    "Content-Type": "application/json",
    "Content-Length": bytes.length,
    ...headers,
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

function acceptsGzip({ headers }: IncomingMessage): boolean {
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers["accept-encoding"] ?? "");
}
