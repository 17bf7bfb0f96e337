// Turns a result into what is sent, whatever the transport.
import { messageOf } from "@plimsoll/component-base";
import { stringify } from "yaml";
import { internalError, StatusError, statusBody } from "../errors/status-error.ts";
import type { ApiContext, ApiRequest, ApiResponse, ObjectResponse, StreamSink } from "../rest/api-context.ts";
import { type Negotiated, negotiate } from "../rest/negotiate.ts";
import { servedObject } from "../rest/read-handlers.ts";
import { partialMetadata, renderTable } from "../rest/table.ts";
import { isRecord, type JsonRecord, recordAt } from "../storage/json-value.ts";

/** A response with all of its body, or one whose body comes in parts until it is finished or aborted. */
export type RenderedResponse = RenderedBody | RenderedStream;

export interface RenderedBody {
  readonly code: number;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly body: string | Buffer;
}

export interface RenderedStream {
  readonly code: 200;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly run: (sink: StreamSink) => void;
}

interface RenderInput {
  readonly context: ApiContext;
  readonly request: ApiRequest;
}

const noCache = { "cache-control": "no-cache, private" };

export function renderResponse(result: ApiResponse, input: RenderInput): RenderedResponse {
  switch (result.type) {
    case "object":
      return renderObject(result, input);
    case "text":
      return {
        code: result.code,
        headers: { "content-type": result.contentType, ...noCache, ...result.headers },
        body: result.text,
      };
    case "bytes":
      return { code: result.code, headers: { "content-type": result.contentType }, body: result.bytes };
    case "stream":
      return { code: 200, headers: { "content-type": "application/json", ...noCache }, run: result.run };
    default:
      return result satisfies never;
  }
}

/** Any failure of a request, as Status. A bug becomes 500 with its message. */
export function renderError(error: unknown): RenderedBody {
  const status = error instanceof StatusError ? error : internalError(textOf(error));
  const retry = status.details?.retryAfterSeconds;
  const headers = retry === undefined ? {} : { "retry-after": String(retry) };
  return {
    code: status.code,
    headers: { "content-type": "application/json", ...noCache, ...headers },
    body: `${JSON.stringify(statusBody(status))}\n`,
  };
}

function renderObject(result: ObjectResponse, input: RenderInput): RenderedBody {
  const wanted = negotiate(input.request.headers["accept"]);
  const warnings = warningHeaders(result.warnings ?? []);
  const headers = { ...noCache, ...(warnings.length === 0 ? {} : { warning: warnings }) };
  const { code, rows, object, text } = result;
  const isObject = wanted.view === "object" || rows === undefined;
  if (wanted.mediaType === "application/json") {
    const json =
      isObject && text !== undefined
        ? text()
        : JSON.stringify(isObject ? object : viewOf(result, wanted, input));
    return { code, headers: { "content-type": "application/json", ...headers }, body: `${json}\n` };
  }
  const body = stringify(isObject ? object : viewOf(result, wanted, input));
  return { code, headers: { "content-type": "application/yaml", ...headers }, body };
}

function viewOf(result: ObjectResponse, wanted: Negotiated, input: RenderInput): JsonRecord {
  const { rows, object } = result;
  const { context, request } = input;
  const isList = Array.isArray(object["items"]);
  const metadata = recordAt(object, "metadata") ?? {};
  const definition = rows === undefined ? undefined : context.registry.byStorage(rows.storage);
  if (rows === undefined || definition === undefined) return object;
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

function textOf(error: unknown): string {
  return isRecord(error) && !(error instanceof Error) ? JSON.stringify(error) : messageOf(error);
}

/** Clients give up on a response whose headers are long. */
const maxLetters = 4 * 1024;
const maxLettersOfOne = 256;

/**
 * Values of Warning headers, in UTF-8. When they are too long together, each is cut, and the last ones are left out.
 * @upstream staging/src/k8s.io/apiserver/pkg/endpoints/filters/warning.go#AddWarning
 */
function warningHeaders(warnings: readonly string[]): readonly string[] {
  const isTooLong = warnings.reduce((sum, { length }) => sum + length, 0) > maxLetters;
  const headers: string[] = [];
  let written = 0;
  for (const warning of warnings) {
    if (isTooLong && written >= maxLetters) break;
    const text = isTooLong ? warning.slice(0, maxLettersOfOne) : warning;
    written += text.length;
    headers.push(`299 - "${inHeader(text)}"`);
  }
  return headers;
}

/** A header has no control characters, and Node writes its letters as bytes. */
function inHeader(text: string): string {
  const quoted = text.replaceAll(/\p{Cc}/gu, "").replaceAll(/["\\]/g, String.raw`\$&`);
  return Buffer.from(quoted, "utf8").toString("latin1");
}
