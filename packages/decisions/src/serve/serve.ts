// The one server of decisions: whatever a reader has, at the addresses of the decision API.
import { createHmac, randomBytes } from "node:crypto";
import type { SummaryPage, SummaryRow } from "../documents.ts";
import type { DecisionReader } from "../reader.ts";
import type { Asked } from "./address.ts";
import { RequestError } from "./failure.ts";
import { type Exchange, sendJson, sendText } from "./send.ts";
import type { StreamReader, Streams } from "./streams.ts";
import { decisionText } from "./text.ts";

/** Sends what an address asks for. Rejects with what the reader throws, before a header is sent. */
export type ServeDecisions = (
  asked: Asked,
  reader: DecisionReader,
  exchange: Exchange & { readonly caller: StreamReader },
) => Promise<void>;

export function createServeDecisions(streams: Streams): ServeDecisions {
  const tagOf = createPageTags();
  return async (asked, reader, exchange) => {
    const { request, response, caller } = exchange;
    switch (asked.part) {
      case "summary": {
        const page = await reader.rows(asked.query);
        const tag = tagOf(page);
        response.setHeader("ETag", tag);
        if (request.headers["if-none-match"] !== tag) return sendJson(exchange, page);
        response.writeHead(304).end();
        return;
      }
      case "stream": {
        if (reader.subscribe === undefined)
          throw RequestError.notFound("decisions are recomputed: there is no stream");
        const { subscribe } = reader;
        const header = request.headers["last-event-id"];
        const lastEventId = typeof header === "string" && header !== "" ? header.slice(0, 1_000) : undefined;
        return streams.send(exchange, caller, (signal) => subscribe({ ...asked.query, lastEventId, signal }));
      }
      case "shadow":
        return sendJson(exchange, await reader.shadow());
      case "decisions": {
        const { object, query, format } = asked;
        const list = await reader.decisions(object, query);
        if (format === "json") return sendJson(exchange, list);
        const type = `text/${format === "text" ? "plain" : "markdown"}`;
        return sendText(exchange, type, decisionText(list.items, format));
      }
      case "record":
        return sendText(exchange, "application/json", `${await reader.record(asked.object, asked.query)}\n`);
    }
  };
}

/**
 * The ETag of a page: of what is in it, and of nothing else, so that it says nothing of objects that are not. Rows are
 * not read: each decision makes another one.
 */
function createPageTags(): (page: SummaryPage) => string {
  let key: Buffer | undefined;
  const serials = new WeakMap<SummaryRow, number>();
  let last = 0;

  function serialOf(row: SummaryRow): number {
    const known = serials.get(row) ?? ++last;
    serials.set(row, known);
    return known;
  }

  return ({ items, total, counts, notes, continue: next }) => {
    const text = JSON.stringify([items.map(serialOf), total, counts, notes, next]);
    return `W/"${createHmac("sha256", (key ??= randomBytes(32)))
      .update(text)
      .digest("base64url")}"`;
  };
}
