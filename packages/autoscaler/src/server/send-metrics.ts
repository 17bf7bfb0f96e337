// Sends the metrics slice by slice, so that thousands of series neither block the event loop nor wait in memory.
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGzip, constants as zlib } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import type { Request, Response } from "express";
import { drained } from "../decisions/drained.ts";
import type { MetricsPage } from "../telemetry/metrics-page.ts";

/** Two replicas of Prometheus have two at a time; more than these are refused. */
const maxScrapes = 10;
/** A client that takes nothing for so long is cut off: Prometheus gives up after 10 s. */
const maxIdleMs = 30_000;

/** Resolves when the response has been sent, or its client is gone. */
export function createMetricsHandler(
  page: MetricsPage,
): (request: Request, response: Response) => Promise<void> {
  let scrapes = 0;
  return async (request, response) => {
    if (scrapes >= maxScrapes) {
      response.status(503).type("text/plain").send(`${maxScrapes} scrapes are under way: try again later\n`);
      return;
    }
    scrapes++;
    try {
      await send(page, request, response);
    } finally {
      scrapes--;
    }
  };
}

async function send(page: MetricsPage, request: Request, response: Response): Promise<void> {
  response.setHeader("Content-Type", page.contentType);
  response.vary("Accept-Encoding");
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  let out: Writable = response;
  if (request.acceptsEncodings("gzip", "identity") === "gzip") {
    response.setHeader("Content-Encoding", "gzip");
    out = createGzip({ level: zlib.Z_BEST_SPEED });
    out.pipe(response);
  }
  response.once("close", () => out.destroy());
  for await (const slice of page.slices()) {
    if (response.destroyed) return;
    if (slice !== "" && !out.write(slice)) await taken(out, response);
    await setImmediate();
  }
  if (response.destroyed) return;
  response.setTimeout(maxIdleMs, () => void response.destroy());
  out.end();
}

/** A process that is slow itself cuts no client off: the time runs while the client has something to take. */
async function taken(out: Writable, response: Response): Promise<void> {
  const cancel = systemClock.after(maxIdleMs, () => void response.destroy());
  try {
    await drained(out, response);
  } finally {
    cancel();
  }
}
