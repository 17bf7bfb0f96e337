// Chooses between protobuf and JSON, and reads what came.
import { ProtobufError, protobufMediaType, protobufOrJson } from "../../protobuf/index.ts";
import { ApiError, ConnectionError } from "../api-error.ts";
import type { KubeRequest } from "../client.ts";
import { parseJson } from "./body.ts";

type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Without parameters, in lower case; undefined when the response does not say it. */
export function mediaTypeOf(headers: Headers): string | undefined {
  const type = headers["content-type"];
  return typeof type === "string" ? type.split(";")[0]?.trim().toLowerCase() : undefined;
}

export function isProtobuf(headers: Headers): boolean {
  return mediaTypeOf(headers) === protobufMediaType;
}

/** What a request accepts: protobuf where it can be read, JSON always. */
export function acceptOf({ accept, readProtobuf, items }: KubeRequest): string {
  const readsProtobuf = readProtobuf !== undefined || items?.protobuf !== undefined;
  return accept ?? (readsProtobuf ? protobufOrJson : "application/json");
}

/** The value of a response that is a success. Throws ConnectionError. */
export function valueOf(
  bytes: Buffer,
  {
    headers,
    request,
    what,
  }: { readonly headers: Headers; readonly request: KubeRequest; readonly what: string },
): unknown {
  if (!isProtobuf(headers)) return parseJson(bytes.toString("utf8"), what);
  const { readProtobuf } = request;
  if (readProtobuf === undefined)
    throw new ConnectionError("bad_response", `${what}: the response is protobuf, which was not accepted`);
  try {
    return readProtobuf(bytes);
  } catch (error) {
    if (!(error instanceof ProtobufError)) throw error;
    throw new ConnectionError("bad_response", `${what}: ${error.message}`, error);
  }
}

/** The APIs whose servers refuse a request that accepts protobuf beside JSON, or send protobuf that cannot be read. */
export type JsonOnly = ReturnType<typeof createJsonOnly>;

/** Some servers compare the whole Accept header with "application/json". As many APIs are remembered as a cluster has. */
const maxApis = 1000;

export function createJsonOnly() {
  const apis = new Set<string>();
  return {
    /** The request, without protobuf for a server like this. */
    adjusted(request: KubeRequest): KubeRequest {
      if (!acceptsBoth(request) || !apis.has(apiOf(request))) return request;
      const { readProtobuf: _, accept: _accept, items, ...rest } = request;
      return items === undefined ? rest : { ...rest, items: { ...items, protobuf: undefined } };
    },
    /** Whether to repeat the request, adjusted. */
    learn(error: unknown, request: KubeRequest): boolean {
      if (!isForJson(error)) return false;
      if (!acceptsBoth(request) || apis.size >= maxApis) return false;
      apis.add(apiOf(request));
      return true;
    },
  };
}

function isForJson(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === 406;
  return error instanceof ConnectionError && error.cause instanceof ProtobufError;
}

function acceptsBoth(request: KubeRequest): boolean {
  return acceptOf(request) === protobufOrJson;
}

/** "/apis/metrics.k8s.io/v1beta1": all of it is served by one server. */
function apiOf({ path }: KubeRequest): string {
  return path.split("/").slice(0, 4).join("/");
}
