// Sends the metrics slice by slice, so that thousands of series neither block the event loop nor wait in memory.
import type { Writable } from "node:stream";
import { setImmediate } from "node:timers/promises";
import { createGzip, constants as zlib } from "node:zlib";
import { type Clock, steadyNowMs, systemClock } from "@plimsoll/component-base";
import type { Request, Response } from "express";
import { drained } from "../decisions/drained.ts";
import type { MetricsPage } from "../telemetry/metrics-page.ts";

/** Two replicas of Prometheus have two at a time; more than these are refused. */
const maxScrapes = 10;
/** So many characters are written in one go. */
const partLength = 131_072;
/** After so long everything else has its turn: a busy process has long turns, and a scrape is to need few of them. */
const maxHoldMs = 5;
/** A client that takes nothing in two of these, one after the other, is cut off: Prometheus gives up after 10 s. */
const idleMs = 15_000;

type SteadyClock = Pick<Clock, "nowMs" | "steadyMs">;

/** Resolves when the response has been sent, or its client is gone. */
export function createMetricsHandler(
  page: MetricsPage,
  clock: SteadyClock,
): (request: Request, response: Response) => Promise<void> {
  let scrapes = 0;
  return async (request, response) => {
    // A client that left while it was authorized is never seen to leave.
    if (response.destroyed) return;
    if (scrapes >= maxScrapes) {
      response.status(503).type("text/plain").send(`${maxScrapes} scrapes are running: try again later\n`);
      return;
    }
    scrapes++;
    try {
      await send(page, request, { response, clock });
    } finally {
      scrapes--;
    }
  };
}

interface Scrape {
  readonly response: Response;
  /** The response, or what packs it. */
  readonly out: Writable;
  readonly clock: SteadyClock;
}

async function send(
  page: MetricsPage,
  request: Request,
  { response, clock }: Pick<Scrape, "response" | "clock">,
): Promise<void> {
  response.setHeader("Content-Type", page.contentType);
  response.vary("Accept-Encoding");
  if (request.method === "HEAD") {
    response.end();
    return;
  }
  const out = packed(request, response);
  response.once("close", () => out.destroy());
  try {
    await write(page, { response, out, clock });
  } catch (error) {
    // What is sent in its place is not packed.
    if (!response.headersSent) response.removeHeader("Content-Encoding");
    if (out !== response) out.destroy();
    throw error;
  }
}

function packed(request: Request, response: Response): Writable {
  if (request.acceptsEncodings("gzip", "identity") !== "gzip") return response;
  response.setHeader("Content-Encoding", "gzip");
  const gzip = createGzip({ level: zlib.Z_BEST_SPEED });
  gzip.pipe(response);
  return gzip;
}

async function write(page: MetricsPage, { response, out, clock }: Scrape): Promise<void> {
  let part = "";
  let sinceMs = steadyNowMs(clock);
  for await (const slice of page.slices()) {
    part += slice;
    const isDue = steadyNowMs(clock) - sinceMs >= maxHoldMs;
    if (part.length < partLength && !isDue) continue;
    if (part !== "" && !out.write(part)) await taken(out, response);
    part = "";
    if (isDue) await setImmediate();
    if (response.destroyed) return;
    sinceMs = steadyNowMs(clock);
  }
  if (response.destroyed) return;
  response.setTimeout(2 * idleMs, () => void response.destroy());
  out.end(part);
}

/** Waits until the client takes more. A process that is slow itself cuts none off: it looks twice, with input and output in between. */
async function taken(out: Writable, response: Response): Promise<void> {
  let bytes: number | undefined;
  const look = (): void => {
    const { bytesWritten } = response.socket ?? {};
    if (bytes === bytesWritten) response.destroy();
    bytes = bytesWritten;
    cancel = systemClock.after(idleMs, look);
  };
  let cancel = systemClock.after(idleMs, look);
  try {
    await drained(out, response);
  } finally {
    cancel();
  }
}
