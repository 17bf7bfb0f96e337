import type { Reply } from "../apis/reply.ts";
import type { Exchange } from "./exchange.ts";
import type { Representation } from "./negotiate.ts";
import { send, sendFailure, sendJson, sendObject, wantsIndent } from "./respond.ts";

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
      sendObject(exchange, reply.object, format);
      return;
    case "metrics":
      if (conversion !== undefined) {
        const apiVersion = `${conversion.group}/${conversion.version}`;
        sendObject(exchange, { ...reply.table(), apiVersion }, format);
      } else if (reply.json !== undefined && format === "json" && !wantsIndent(exchange)) {
        sendJson(exchange, reply.json());
      } else {
        sendObject(exchange, reply.object(), format);
      }
  }
}
