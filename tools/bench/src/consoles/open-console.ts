// A page that is open on an autoscaler, without a browser: it reads the summary as the page does, then the stream.
import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { Agent, request } from "node:https";

export interface ConsoleOptions {
  readonly port: number;
  readonly ca: string;
  readonly token: string;
}

/** What came over the stream since it was opened. */
export interface OpenConsole {
  readonly received: () => { readonly bytes: number; readonly batches: number };
  /** Why the stream ended, once it did. */
  readonly ended: () => string | undefined;
  close(): void;
}

/** As the page asks for them. */
const limits = { first: 500, later: 2_500 };

/** Resolves when the stream is open. @throws where a read fails */
export async function openConsole(options: ConsoleOptions): Promise<OpenConsole> {
  // A browser has a connection of its own, which it uses again.
  const agent = new Agent({ ca: options.ca, keepAlive: true, maxSockets: 6 });
  const lastEventId = await readSummary(options, agent);
  const headers = { accept: "text/event-stream", "last-event-id": lastEventId };
  const stream = await get({ ...options, agent, path: "/apis/decisions/v1/stream", headers });
  let [bytes, batches] = [0, 0];
  let ended: string | undefined;
  stream.on("data", (chunk: Buffer) => {
    bytes += chunk.length;
    if (chunk.includes("event: rows")) batches++;
  });
  stream.on("error", (error) => (ended ??= error.message));
  stream.on("end", () => (ended ??= "the server ended it"));
  return {
    received: () => ({ bytes, batches }),
    ended: () => ended,
    close() {
      stream.destroy();
      agent.destroy();
    },
  };
}

interface Page {
  readonly continue?: string;
  readonly lastEventId?: string;
}

/** All pages; the id of the event that came before the first of them. */
async function readSummary(options: ConsoleOptions, agent: Agent): Promise<string> {
  let next: string | undefined;
  let eventId: string | undefined;
  do {
    const limit = next === undefined ? limits.first : limits.later;
    const query = new URLSearchParams({
      limit: String(limit),
      ...(next === undefined ? {} : { continue: next }),
    });
    const path = `/apis/decisions/v1/summary?${query.toString()}`;
    // Its body is read as it comes: what unpacks it is the reader's own work.
    const response = await get({ ...options, agent, path, headers: {} });
    const page = JSON.parse(Buffer.concat(await response.toArray()).toString()) as Page;
    eventId ??= page.lastEventId ?? "";
    next = page.continue;
  } while (next !== undefined);
  return eventId;
}

interface Get extends ConsoleOptions {
  readonly agent: Agent;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function get({ port, agent, path, headers, token }: Get): Promise<IncomingMessage> {
  const sent = request({
    host: "127.0.0.1",
    port,
    agent,
    path,
    headers: { ...headers, authorization: `Bearer ${token}` },
  });
  sent.end();
  const [response] = (await once(sent, "response")) as [IncomingMessage];
  const { statusCode = 0 } = response;
  if (statusCode === 200) return response;
  const text = Buffer.concat(await response.toArray()).toString();
  throw new Error(`${path} failed with ${statusCode}: ${text}`);
}
