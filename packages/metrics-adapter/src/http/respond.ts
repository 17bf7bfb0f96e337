// Writes responses: objects, texts and failures.
import { ServerResponse } from "node:http";
import { pipeline, Readable } from "node:stream";
import { gzip } from "node:zlib";
import { stringify as stringifyYaml } from "yaml";
import type { Failure } from "../api/failure.ts";
import { negotiate } from "../api/negotiate.ts";
import { isTrue } from "../api/request-info.ts";
import { toStatus } from "../api/status.ts";
import type { ProviderFailure } from "../backends/prometheus/providers/outcome.ts";
import { maxOneWriteLength } from "./json-body.ts";
import type { ApiContext } from "./request-context.ts";

export interface Payload {
  readonly httpCode: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  /** Default: that it is not kept anywhere. */
  readonly cacheControl?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Smaller responses are not worth the CPU of either side. */
const gzipAboveBytes = 128 * 1024;
const partBytes = 256 * 1024;
/** Writing block YAML takes many times as long as JSON, which is YAML too. */
const maxYamlLength = 16 * 1024;

/** Writes the response, once; a caller that has gone away is not an error. */
export function send(context: ApiContext, payload: Payload): void {
  if (typeof payload.body === "string" && payload.body.length <= maxOneWriteLength) {
    write(context, payload, payload.body);
    return;
  }
  const body = typeof payload.body === "string" ? Buffer.from(payload.body) : payload.body;
  if (body.length <= gzipAboveBytes || !acceptsGzip(context)) return write(context, payload, body);
  gzip(body, { level: 1 }, (error, compressed) => {
    if (error === null) {
      write(context, { ...payload, headers: { ...payload.headers, "Content-Encoding": "gzip" } }, compressed);
    } else {
      write(context, payload, body);
    }
  });
}

function write(context: ApiContext, payload: Payload, body: string | Buffer): void {
  const { response } = context;
  if (response.headersSent || response.destroyed) return;
  const isEmpty = payload.httpCode === 304;
  const headers = [
    "Audit-Id",
    context.auditId,
    "Cache-Control",
    payload.cacheControl ?? "no-cache, private",
    "Content-Type",
    payload.contentType,
    "Vary",
    "Accept, Accept-Encoding",
    "X-Content-Type-Options",
    "nosniff",
  ];
  if (payload.headers !== undefined) headers.push(...Object.entries(payload.headers).flat());
  if (!isEmpty) headers.push("Content-Length", String(Buffer.byteLength(body)));
  response.writeHead(payload.httpCode, headers);
  if (!isEmpty && body.length > partBytes && Buffer.isBuffer(body) && response instanceof ServerResponse)
    pipeline(Readable.from(partsOf(body), { highWaterMark: 1 }), response, () => undefined);
  else response.end(isEmpty ? undefined : body);
}

/** In one piece a large body would be encrypted in one go, and be in memory twice. */
function* partsOf(body: Buffer): Generator<Buffer> {
  for (let at = 0; at < body.length; at += partBytes) yield body.subarray(at, at + partBytes);
}

function acceptsGzip(context: ApiContext): boolean {
  const accepted = context.request.headers["accept-encoding"];
  return typeof accepted === "string" && /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);
}

export function sendObject(
  context: ApiContext,
  object: object,
  format: "json" | "yaml",
  httpCode: number = 200,
): void {
  if (format === "yaml") {
    const json = `${JSON.stringify(object)}\n`;
    const body = json.length > maxYamlLength ? json : stringifyYaml(object, { aliasDuplicateObjects: false });
    send(context, { httpCode, contentType: "application/yaml", body });
    return;
  }
  sendJson(context, JSON.stringify(object, undefined, wantsIndent(context) ? 2 : undefined), httpCode);
}

/** @param text One JSON document. */
export function sendJson(context: ApiContext, text: string, httpCode: number = 200): void {
  sendJsonBody(context, `${text}\n`, httpCode);
}

/** @param body A JSON document with its line feed. */
export function sendJsonBody(context: ApiContext, body: string | Buffer, httpCode: number = 200): void {
  send(context, { httpCode, contentType: "application/json", body });
}

export function sendText(context: ApiContext, httpCode: number, body: string): void {
  send(context, { httpCode, contentType: "text/plain; charset=utf-8", body });
}

export function sendFailure(context: ApiContext, problem: Failure | ProviderFailure): void {
  const { httpCode, status, headers } = toStatus(problem);
  if ("closesConnection" in problem) context.response.shouldKeepAlive = false;
  const isYaml = prefersYaml(context);
  send(context, {
    httpCode,
    contentType: isYaml ? "application/yaml" : "application/json",
    body: isYaml
      ? stringifyYaml(status)
      : `${JSON.stringify(status, undefined, wantsIndent(context) ? 2 : undefined)}\n`,
    headers: { ...headers, ...(httpCode === 405 ? { Allow: "GET" } : {}) },
  });
}

function prefersYaml({ request }: ApiContext): boolean {
  const { accept } = request.headers;
  return accept?.includes("yaml") === true && negotiate(accept, [])?.format === "yaml";
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go#isPrettyPrint */
export function wantsIndent(context: ApiContext): boolean {
  const pretty = context.info.query.get("pretty");
  if (pretty !== null) return isTrue(pretty);
  const agent = context.request.headers["user-agent"] ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
