// Writes a response to its connection.
import type { ServerResponse } from "node:http";
import { stringify } from "yaml";
import type {
  ApiContext,
  ApiRequest,
  ApiResponse,
  ObjectResponse,
  StreamResponse,
} from "../rest/api-context.ts";
import { type Negotiated, negotiate } from "../rest/negotiate.ts";
import { servedObject } from "../rest/read-handlers.ts";
import { internalError, StatusError, statusBody } from "../rest/status-error.ts";
import { partialMetadata, renderTable } from "../rest/table.ts";
import { isRecord, type JsonRecord, recordAt } from "../storage/json-value.ts";
import { warningHeaders } from "./warnings.ts";

export interface RespondInput {
  readonly context: ApiContext;
  readonly request: ApiRequest;
  readonly response: ServerResponse;
}

export function respond(result: ApiResponse, input: RespondInput): void {
  switch (result.type) {
    case "object":
      respondObject(result, input);
      break;
    case "text":
      sendText(input.response, result.code, result);
      break;
    case "bytes":
      input.response.writeHead(result.code, {
        "content-type": result.contentType,
        "content-length": result.bytes.length,
      });
      input.response.end(result.bytes);
      break;
    case "stream":
      respondStream(result, input);
      break;
  }
}

/** Any failure of a request, as Status. A bug becomes 500 with its message. */
export function respondError(error: unknown, response: ServerResponse): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const status = error instanceof StatusError ? error : internalError(messageOf(error));
  const retry = status.details?.retryAfterSeconds;
  const headers = retry === undefined ? {} : { "retry-after": String(retry) };
  sendJson(response, { code: status.code, body: statusBody(status), headers });
}

export function sendJson(
  response: ServerResponse,
  options: {
    code: number;
    body: JsonRecord;
    headers?: Readonly<Record<string, string>>;
    contentType?: string;
  },
): void {
  const text = `${JSON.stringify(options.body)}\n`;
  const contentType = options.contentType ?? "application/json";
  sendText(response, options.code, {
    contentType,
    text,
    ...(options.headers === undefined ? {} : { headers: options.headers }),
  });
}

export function sendText(
  response: ServerResponse,
  code: number,
  options: { contentType: string; text: string; headers?: Readonly<Record<string, string>> },
): void {
  // Before a text, Node would write the headers in the encoding of the text.
  const bytes = Buffer.from(options.text);
  response.writeHead(code, {
    "content-type": options.contentType,
    "content-length": bytes.length,
    "cache-control": "no-cache, private",
    ...options.headers,
  });
  response.end(bytes);
}

function respondObject(result: ObjectResponse, input: RespondInput): void {
  const wanted = negotiate(input.request.headers["accept"]);
  const body = viewOf(result, wanted, input);
  for (const header of warningHeaders(result.warnings ?? [])) input.response.appendHeader("warning", header);
  if (wanted.mediaType === "application/json") {
    sendJson(input.response, { code: result.code, body });
    return;
  }
  sendText(input.response, result.code, { contentType: "application/yaml", text: stringify(body) });
}

function viewOf(result: ObjectResponse, wanted: Negotiated, input: RespondInput): JsonRecord {
  const { rows, object } = result;
  if (wanted.view === "object" || rows === undefined) return object;
  const { context, request } = input;
  const isList = Array.isArray(object["items"]);
  const metadata = recordAt(object, "metadata") ?? {};
  const definition = context.registry.byStorage(rows.storage);
  if (definition === undefined) return object;
  if (wanted.view === "Table") {
    return renderTable(rows.objects, {
      definition,
      nowMs: context.clock.nowMs(),
      version: wanted.viewVersion,
      include: request.query.get("includeObject"),
      listMetadata: isList ? metadata : { resourceVersion: metadata["resourceVersion"] },
    });
  }
  const partial = rows.objects.map((one) =>
    partialMetadata(servedObject(definition, one), wanted.viewVersion),
  );
  if (!isList) return partial[0] ?? object;
  return {
    kind: "PartialObjectMetadataList",
    apiVersion: `meta.k8s.io/${wanted.viewVersion}`,
    metadata,
    items: partial,
  };
}

// A client that does not read is cut off before it fills the memory.
const unsentLimitBytes = 64 * 1024 * 1024;

function respondStream(result: StreamResponse, { response }: RespondInput): void {
  const controller = new AbortController();
  response.writeHead(200, {
    "content-type": "application/json",
    "cache-control": "no-cache, private",
    "transfer-encoding": "chunked",
  });
  response.flushHeaders();
  response.once("close", () => controller.abort());
  result.run({
    signal: controller.signal,
    write(frame) {
      if (controller.signal.aborted) return;
      response.write(`${JSON.stringify(frame)}\n`);
      if (response.writableLength > unsentLimitBytes) response.destroy();
    },
    finish() {
      if (controller.signal.aborted) return;
      response.end();
      controller.abort();
    },
  });
}

function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message;
  return isRecord(error) ? JSON.stringify(error) : String(error);
}
