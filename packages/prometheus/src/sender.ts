// Sends one request to the HTTP API, and hides its secrets in every error.
import { redact } from "@plimsoll/core/redact";
import { exchangeAuthorized, type RequestAuthorization } from "./authorization.ts";
import type { BaseAddress } from "./base-address.ts";
import { decodeEnvelope, type Envelope } from "./decode.ts";
import { PrometheusError } from "./errors.ts";
import {
  type ExchangeOptions,
  exchange,
  type FetchLike,
  type RequestClock,
  type ResponseMemory,
} from "./http.ts";
import { errorFor } from "./response-error.ts";

type Method = "GET" | "POST";
export type Parameter = readonly [name: string, value: string];

/** What all requests have in common. */
export interface SenderOptions {
  readonly base: BaseAddress;
  readonly fetch: FetchLike;
  readonly verb: Method | undefined;
  /** Of a request. @throws PrometheusError when there are none for its namespace */
  readonly headers: (namespace: string | undefined) => Readonly<Record<string, string>>;
  readonly bearerToken: (() => string | undefined) | undefined;
  readonly authorization: RequestAuthorization | undefined;
  /** Of each request, after its own. */
  readonly parameters: readonly Parameter[] | undefined;
  readonly maxBytes: number;
  readonly responseMemory: ResponseMemory | undefined;
  readonly clock: RequestClock;
}

/** The limits of one request. */
export interface SendLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly isGetOnly: boolean;
  readonly namespace: string | undefined;
}

/** @throws PrometheusError, or the reason of the signal */
export type Send = (path: string, parameters: readonly Parameter[], limits: SendLimits) => Promise<Envelope>;

/** Proxies in front of Prometheus commonly refuse request lines of more than 8 kB. */
const MAX_GET_LENGTH = 4_096;

export function createSender(options: SenderOptions): Send {
  const { base, fetch, maxBytes, responseMemory, clock, authorization } = options;
  const headers = (method: Method, namespace: string | undefined): Record<string, string> => {
    const token = options.bearerToken?.();
    return {
      accept: "application/json",
      "user-agent": "plimsoll",
      // Compressing costs more than it saves on the loopback device.
      "accept-encoding": base.isLoopback ? "identity" : "gzip",
      ...(base.authorization === undefined ? {} : { authorization: base.authorization }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers(namespace),
      ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    };
  };

  return async (path, parameters, limits) => {
    const encoded = new URLSearchParams(
      [...parameters, ...(options.parameters ?? [])].map(([name, value]): [string, string] => [name, value]),
    ).toString();
    // Not every verifier of signatures takes "+" for a blank.
    const inUrl = authorization === undefined ? encoded : encoded.replaceAll("+", "%20");
    const wantsPost = options.verb === "POST" || inUrl.length > MAX_GET_LENGTH;
    const method = wantsPost && !limits.isGetOnly ? "POST" : "GET";
    const query = [base.search, method === "GET" ? inUrl : ""].filter((part) => part !== "").join("&");
    const sent = headers(method, limits.namespace);
    const hide = (text: string): string => redact(text, secretsOf(base, sent));
    try {
      const request: ExchangeOptions & SendLimits = {
        ...limits,
        fetch,
        url: `${base.prefix}${path}${query === "" ? "" : `?${query}`}`,
        method,
        headers: sent,
        body: method === "POST" ? encoded : undefined,
        maxBytes,
        clock,
        responseMemory,
      };
      const result = await (authorization === undefined
        ? exchange(request)
        : exchangeAuthorized(request, authorization));
      if (result.status < 200 || result.status > 299) throw errorFor(result, hide);
      return decodeEnvelope(result.text, hide);
    } catch (error) {
      throw error instanceof PrometheusError ? withoutSecrets(error, hide) : error;
    }
  };
}

/** Without its cause: that repeats the whole address. */
function withoutSecrets(error: PrometheusError, hide: (text: string) => string): PrometheusError {
  const { kind, status, retryAfterMs } = error;
  return new PrometheusError(kind, hide(error.message), { status, retryAfterMs });
}

/** What a request has and a message must not show. */
function secretsOf(base: BaseAddress, headers: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(headers)
    .filter(([name]) => !publicHeaders.has(name))
    .flatMap(([, value]) => [value, ...value.split(/\s+/)]);
  return [...values, ...base.secrets];
}

/** Names of tenants are ordinary words: hidden, they would take words out of every message. */
const publicHeaders: ReadonlySet<string> = new Set([
  "x-scope-orgid",
  "thanos-tenant",
  "accept",
  "user-agent",
  "accept-encoding",
  "content-type",
]);
