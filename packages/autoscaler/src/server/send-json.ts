// Sends long JSON: a part at a time, so that thousands of objects do not block the event loop, compressed on request.
import type { Writable } from "node:stream";
import { createGzip, constants as zlib } from "node:zlib";
import type { Request, Response } from "express";
import { drained } from "../decisions/drained.ts";

/** Shorter bodies are sent as they are. */
const minGzipItems = 20;
const itemsPerPart = 100;

/** A document with the list `items` and further fields behind it. */
export async function sendList(
  request: Request,
  response: Response,
  document: { readonly items: readonly unknown[]; readonly [field: string]: unknown },
): Promise<void> {
  const { items, ...rest } = document;
  response.type("application/json");
  response.vary("Accept-Encoding");
  response.setHeader("Cache-Control", "no-cache, private");
  const isCompressed = items.length >= minGzipItems && request.acceptsEncodings("gzip") === "gzip";
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  let out: Writable = response;
  if (isCompressed) {
    response.setHeader("Content-Encoding", "gzip");
    out = createGzip({ level: zlib.Z_BEST_SPEED });
    out.pipe(response);
  }
  response.once("close", () => out.destroy());
  await write(out, '{"items":[', response);
  for (let at = 0; at < items.length && !response.destroyed; at += itemsPerPart) {
    const part = items.slice(at, at + itemsPerPart).map((item) => JSON.stringify(item));
    await write(out, `${at === 0 ? "" : ","}${part.join(",")}`, response);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const end = JSON.stringify(rest).slice(1, -1);
  if (!response.destroyed) out.end(`]${end === "" ? "" : `,${end}`}}\n`);
}

async function write(out: Writable, text: string, response: Response): Promise<void> {
  if (response.destroyed || out.write(text)) return;
  await drained(out, response);
}
