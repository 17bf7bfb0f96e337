import { badRequest } from "../api/failure.ts";
import type { Conversion } from "../api/negotiate.ts";
import type { Reply } from "../api/reply.ts";
import { includeObjectOf, partialMetadata, writeTable } from "../api/table.ts";
import type { ApiContext } from "./request-context.ts";
import { send, sendFailure, sendJson, sendJsonBody, sendObject, wantsIndent } from "./respond.ts";
import type { Outcome } from "./stage.ts";

/** Writes a reply in the representation that was negotiated. */
export function sendReply(context: ApiContext, reply: Outcome): void {
  if (reply === "sent") return;
  const { conversion, format } = context.representation;
  switch (reply.type) {
    case "failure":
      sendFailure(context, reply.failure);
      return;
    case "document":
      sendDocument(context, reply);
      return;
    case "handed-on":
      sendHandedOn(context, reply);
      return;
    case "object":
      if (reply.body !== undefined && isPlainJson(context)) sendJsonBody(context, reply.body());
      else sendObject(context, reply.object, format);
      return;
    case "metrics":
      if (conversion !== undefined) {
        sendConverted(context, reply, { conversion, format });
      } else if (!isPlainJson(context)) {
        sendObject(context, reply.object(), format);
      } else if (reply.body !== undefined) {
        sendJsonBody(context, reply.body());
      } else {
        sendJson(context, reply.json?.() ?? JSON.stringify(reply.object()));
      }
  }
}

type ReplyOf<T extends Reply["type"]> = Extract<Reply, { readonly type: T }>;

function sendDocument(context: ApiContext, reply: ReplyOf<"document">): void {
  const { group, version, kind } = reply.conversion;
  send(context, {
    httpCode: reply.isUnchanged ? 304 : 200,
    contentType: `application/json;g=${group};v=${version};as=${kind}`,
    body: reply.body,
    cacheControl: "public",
    headers: { ETag: reply.etag },
  });
}

function sendHandedOn(context: ApiContext, reply: ReplyOf<"handed-on">): void {
  // JSON is YAML too.
  const isYaml = context.representation.format === "yaml" && reply.contentType.startsWith("application/json");
  send(context, isYaml ? { ...reply, contentType: "application/yaml" } : reply);
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/response.go#doTransformObject */
function sendConverted(
  context: ApiContext,
  reply: ReplyOf<"metrics">,
  { conversion, format }: { readonly conversion: Conversion; readonly format: "json" | "yaml" },
): void {
  const { kind } = conversion;
  const apiVersion = `${conversion.group}/${conversion.version}`;
  if (kind === "Table") {
    const include = includeObjectOf(context.info.query);
    if (include === undefined) {
      const value = JSON.stringify(context.info.query.get("includeObject"));
      const problem = `includeObject: Invalid value: ${value}: must be 'Metadata', 'Object', 'None', or empty`;
      sendFailure(context, badRequest(`Unable to convert to Table as requested: ${problem}`));
    } else {
      sendObject(context, writeTable(reply.table(), apiVersion, include), format);
    }
    return;
  }
  const { metadata } = reply;
  if (metadata === undefined || metadata.isList !== (kind === "PartialObjectMetadataList")) {
    const what = `the requested object is ${metadata?.isList === true ? "" : "not "}a list`;
    const message = `you requested ${kind}, but ${what} (${String(metadata?.kind)})`;
    sendFailure(context, { reason: "NotAcceptable", message });
    return;
  }
  const items = metadata.items().map((item) => partialMetadata(item, apiVersion));
  const list = { kind, apiVersion, metadata: {}, items };
  sendObject(context, metadata.isList ? list : (items[0] ?? list), format);
}

function isPlainJson(context: ApiContext): boolean {
  return context.representation.format === "json" && !wantsIndent(context);
}
