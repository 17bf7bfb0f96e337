import { gzip } from "node:zlib";
import { stringify as stringifyYaml } from "yaml";
import type { ProviderFailure } from "../provider/provider.ts";
import type { Exchange } from "./exchange.ts";
import type { Failure } from "./failure.ts";
import { isTrue } from "./request-info.ts";
import { toStatus } from "./status.ts";

export interface Payload {
  readonly httpCode: number;
  readonly contentType: string;
  readonly body: string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Smaller answers are not worth the CPU of either side. */
const gzipAboveBytes = 128 * 1024;
/** Text up to here goes out together with its headers, in one record. */
const oneWriteLength = 16 * 1024;

/** Writes the answer, once; a caller that has gone away is not an error. */
export function send(exchange: Exchange, payload: Payload): void {
  if (typeof payload.body === "string" && payload.body.length <= oneWriteLength) {
    write(exchange, payload, payload.body);
    return;
  }
  const body = typeof payload.body === "string" ? Buffer.from(payload.body) : payload.body;
  if (body.length <= gzipAboveBytes || !acceptsGzip(exchange)) {
    write(exchange, payload, body);
    return;
  }
  gzip(body, { level: 1 }, (error, compressed) => {
    if (error === null) {
      write(
        exchange,
        { ...payload, headers: { ...payload.headers, "Content-Encoding": "gzip" } },
        compressed,
      );
    } else {
      write(exchange, payload, body);
    }
  });
}

function write(exchange: Exchange, payload: Payload, body: string | Buffer): void {
  const { response } = exchange;
  if (response.headersSent || response.destroyed) {
    return;
  }
  response.writeHead(payload.httpCode, {
    "Audit-Id": exchange.auditId,
    "Cache-Control": "no-cache, private",
    "Content-Type": payload.contentType,
    "X-Content-Type-Options": "nosniff",
    ...payload.headers,
    ...(payload.httpCode === 304 ? {} : { "Content-Length": String(Buffer.byteLength(body)) }),
  });
  response.end(payload.httpCode === 304 ? undefined : body);
}

function acceptsGzip(exchange: Exchange): boolean {
  const accepted = exchange.request.headers["accept-encoding"];
  return typeof accepted === "string" && /(^|[\s,])gzip(?!\s*;\s*q=0(\.0*)?\s*(,|$))/i.test(accepted);
}

export function sendObject(
  exchange: Exchange,
  object: object,
  format: "json" | "yaml",
  httpCode: number = 200,
): void {
  if (format === "yaml") {
    const body = stringifyYaml(object, { aliasDuplicateObjects: false });
    send(exchange, { httpCode, contentType: "application/yaml", body });
    return;
  }
  sendJson(exchange, JSON.stringify(object, undefined, wantsIndent(exchange) ? 2 : undefined), httpCode);
}

/** Of text that is one JSON document already. */
export function sendJson(exchange: Exchange, text: string, httpCode: number = 200): void {
  sendJsonBody(exchange, `${text}\n`, httpCode);
}

/** Of a JSON document with its line feed. */
export function sendJsonBody(exchange: Exchange, body: string | Buffer, httpCode: number = 200): void {
  send(exchange, { httpCode, contentType: "application/json", body });
}

/** A JSON document in the form in which it is sent again at the least cost. */
export function jsonBody(text: string): string | Buffer {
  const body = `${text}\n`;
  return body.length <= oneWriteLength ? body : Buffer.from(body);
}

export function sendText(exchange: Exchange, httpCode: number, body: string): void {
  send(exchange, { httpCode, contentType: "text/plain; charset=utf-8", body });
}

export function sendFailure(exchange: Exchange, problem: Failure | ProviderFailure): void {
  const { httpCode, status, retryAfterSeconds } = toStatus(problem);
  if ("closesConnection" in problem) {
    exchange.response.shouldKeepAlive = false;
  }
  send(exchange, {
    httpCode,
    contentType: "application/json",
    body: `${JSON.stringify(status, undefined, wantsIndent(exchange) ? 2 : undefined)}\n`,
    headers: {
      // On a 5xx client-go would wait and try again up to ten times within one evaluation of an autoscaler.
      ...(httpCode === 429 && retryAfterSeconds !== undefined
        ? { "Retry-After": String(Math.ceil(retryAfterSeconds)) }
        : {}),
      ...(httpCode === 405 ? { Allow: "GET" } : {}),
    },
  });
}

/** @upstream staging/src/k8s.io/apiserver/pkg/endpoints/handlers/negotiation/negotiate.go#isPrettyPrint */
export function wantsIndent(exchange: Exchange): boolean {
  const pretty = exchange.info?.query.get("pretty");
  if (pretty !== null && pretty !== undefined) {
    return isTrue(pretty);
  }
  const agent = exchange.request.headers["user-agent"] ?? "";
  return agent.startsWith("curl") || agent.startsWith("Wget") || agent.startsWith("Mozilla/5.0");
}
