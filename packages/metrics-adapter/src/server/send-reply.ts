import type { Reply } from "../apis/reply.ts";
import type { Exchange } from "./exchange.ts";
import type { Representation } from "./negotiate.ts";
import { send, sendFailure, sendJson, sendJsonBody, sendObject, wantsIndent } from "./respond.ts";

/** Turns a handler's answer into bytes of the representation that was agreed on. */
export function sendReply(exchange: Exchange, reply: Reply, representation: Representation): void {
  const { conversion, format } = representation;
  switch (reply.type) {
    case "failure":
      sendFailure(exchange, reply.failure);
      return;
    case "document": {
      const { group, version, kind } = reply.conversion;
      send(exchange, {
        httpCode: reply.isUnchanged ? 304 : 200,
        contentType: `application/json;g=${group};v=${version};as=${kind}`,
        body: reply.body,
        headers: { ETag: reply.etag, Vary: "Accept", "Cache-Control": "public" },
      });
      return;
    }
    case "object":
      if (reply.body !== undefined && isPlainJson(exchange, representation)) {
        sendJsonBody(exchange, reply.body());
      } else {
        sendObject(exchange, reply.object, format);
      }
      return;
    case "metrics":
      if (conversion !== undefined) {
        const apiVersion = `${conversion.group}/${conversion.version}`;
        sendObject(exchange, { ...reply.table(), apiVersion }, format);
      } else if (!isPlainJson(exchange, representation)) {
        sendObject(exchange, reply.object(), format);
      } else if (reply.body !== undefined) {
        sendJsonBody(exchange, reply.body());
      } else {
        sendJson(exchange, reply.json?.() ?? JSON.stringify(reply.object()));
      }
  }
}

function isPlainJson(exchange: Exchange, { format }: Representation): boolean {
  return format === "json" && !wantsIndent(exchange);
}
