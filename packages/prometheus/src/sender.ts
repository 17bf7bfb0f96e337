// Sends one request to the HTTP API, and hides its secrets in every error.
import { redact, redactUrl, registerHost, registerSecret, secretsOfHeader } from "@plimsoll/core/redact";
import { exchangeAuthorized, type RequestAuthorization } from "./authorization.ts";
import { type BaseAddress, secretName } from "./base-address.ts";
import type { ListReading, ResponseBudget, ResponseMemory } from "./body.ts";
import { cut, excerpt } from "./cut.ts";
import { decodeEnvelope, decodeFailure, type Envelope } from "./decode.ts";
import { PrometheusError, type PrometheusErrorKind } from "./errors.ts";
import {
  type ExchangeOptions,
  type ExchangeResult,
  exchange,
  type FetchLike,
  type RequestClock,
  stopwatch,
} from "./http.ts";

type Method = "GET" | "POST";
export type Parameter = readonly [name: string, value: string];

/** What all requests have in common. */
export interface SenderOptions {
  readonly base: BaseAddress;
  readonly fetch: FetchLike;
  readonly verb: Method | undefined;
  /** Of a request. @throws PrometheusError when there are none for its namespace */
  readonly headers: (namespace: string | undefined) => Readonly<Record<string, string>>;
  /** Those that are the same for each request. */
  readonly fixedHeaders: Readonly<Record<string, string>>;
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
  readonly budget: ResponseBudget | undefined;
  readonly list: ListReading<unknown> | undefined;
}

/** What is sent, and how its response is read. */
export interface Sending<T> extends SendLimits {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  /** @throws PrometheusError */
  readonly decode: (envelope: Envelope) => T;
}

/** @throws PrometheusError, or the reason of the signal */
export type Send = <T>(sending: Sending<T>) => Promise<T>;

/** Proxies in front of Prometheus commonly refuse request lines of more than 8 kB. */
const MAX_GET_LENGTH = 4_096;

export function createSender(options: SenderOptions): Send {
  const { base, fetch, maxBytes, responseMemory, clock, authorization } = options;
  registerHost(base.prefix);
  const credentials = [
    ...base.credentials,
    ...credentialsOf({ ...options.fixedHeaders, ...authorizationOf(base) }),
  ];
  registerSecret(...credentials);
  const headers = (method: Method, namespace: string | undefined): Record<string, string> => {
    const token = options.bearerToken?.();
    // For each request: tokens that rotate would take the places of those that stay.
    registerSecret(...credentials, ...(token === undefined ? [] : [token]));
    return {
      accept: "application/json",
      "user-agent": "plimsoll",
      // Compressing costs more than it saves on the loopback device.
      "accept-encoding": base.isLoopback ? "identity" : "gzip",
      ...authorizationOf(base),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...options.headers(namespace),
      ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    };
  };

  return async ({ path, parameters, decode, ...limits }) => {
    const encoded = new URLSearchParams(
      [...parameters, ...(options.parameters ?? [])].map(([name, value]): [string, string] => [name, value]),
    ).toString();
    // Not every verifier of signatures takes "+" for a blank.
    const inUrl = authorization === undefined ? encoded : encoded.replaceAll("+", "%20");
    const wantsPost = options.verb === "POST" || inUrl.length > MAX_GET_LENGTH;
    const method = wantsPost && !limits.isGetOnly ? "POST" : "GET";
    const query = [base.search, method === "GET" ? inUrl : ""].filter((part) => part !== "").join("&");
    const sent = headers(method, limits.namespace);
    const hide = (text: string): string => redact(text, [...secretsOf(sent), ...base.secrets]);
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
      const result = await followRedirects(request, (one) =>
        authorization === undefined ? exchange(one) : exchangeAuthorized(one, authorization),
      );
      if (result.status < 200 || result.status > 299) throw errorFor(result, hide);
      return decode(decodeEnvelope(result, hide));
    } catch (error) {
      throw error instanceof PrometheusError ? withoutSecrets(error, hide) : error;
    }
  };
}

const maxRedirects = 3;

/** All hops share the time of the request. */
async function followRedirects<R extends ExchangeOptions>(
  request: R,
  send: (request: R) => Promise<ExchangeResult>,
): Promise<ExchangeResult> {
  const { clock, timeoutMs } = request;
  const spentMs = stopwatch(clock);
  let { url } = request;
  let result = await send(request);
  for (let n = 0; n < maxRedirects; n += 1) {
    // By others a POST becomes a GET without its parameters.
    const keepsMethod = request.method === "GET" || result.status === 307 || result.status === 308;
    const target = keepsMethod ? redirectWithin(url, result) : undefined;
    if (target === undefined) break;
    url = target;
    const leftMs = Math.max(1, timeoutMs - spentMs());
    result = await send({ ...request, url, timeoutMs: leftMs });
  }
  return result;
}

/** The target of a redirect to the same server, or to it by https on its port or on 443: no other gets the credentials. */
function redirectWithin(url: string, { status, location }: ExchangeResult): string | undefined {
  if (status < 300 || status > 399 || location === undefined) return undefined;
  const from = new URL(url);
  const to = URL.parse(location, url);
  if (to === null) return undefined;
  // No other port: what listens there may be somebody else's. The default port is "".
  const isUpgrade =
    from.protocol === "http:" &&
    to.protocol === "https:" &&
    to.hostname === from.hostname &&
    (to.port === "" || to.port === from.port);
  return to.origin === from.origin || isUpgrade ? to.href : undefined;
}

/** Without its cause: that repeats the whole address. */
function withoutSecrets(error: PrometheusError, hide: (text: string) => string): PrometheusError {
  const { kind, status, retryAfterMs, isUnsent } = error;
  return new PrometheusError(kind, hide(error.message), { status, retryAfterMs, isUnsent });
}

function authorizationOf({ authorization }: BaseAddress): Readonly<Record<string, string>> {
  return authorization === undefined ? {} : { authorization };
}

/** What headers have and a message must not show. */
function secretsOf(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    publicHeaders.has(name.toLowerCase()) ? [] : secretsOfHeader(name, value),
  );
}

/** Of these what is a secret in any text: others may be ordinary words, and are hidden in errors of this server alone. */
function credentialsOf(headers: Readonly<Record<string, string>>): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    secretName.test(name) ? secretsOfHeader(name, value) : [],
  );
}

/** Names of tenants are ordinary words: hidden, they would take words out of every message. */
const publicHeaders: ReadonlySet<string> = new Set([
  "x-scope-orgid",
  "thanos-tenant",
  "accept",
  "user-agent",
  "accept-encoding",
  "content-type",
  // Of a signature of AWS.
  "x-amz-content-sha256",
  "x-amz-date",
]);

/** The typed error of a response whose status is not 2xx. */
function errorFor(result: ExchangeResult, hide: (text: string) => string): PrometheusError {
  const { status, retryAfterMs } = result;
  if (status >= 300 && status < 400) {
    const target = result.location === undefined ? "" : ` to ${cut(redactUrl(result.location), hide)}`;
    return new PrometheusError(
      "bad_response",
      `HTTP ${status}: a redirect${target} is not followed; use that address if it is correct`,
      {
        status,
      },
    );
  }
  const failure = decodeFailure(result.text, hide);
  const detail =
    failure === undefined ? excerpt(result.text, hide) : `${failure.errorType}: ${failure.error}`;
  const kind = kindOf(status, failure?.errorType);
  return new PrometheusError(kind, `HTTP ${status}: ${detail}`, { status, retryAfterMs });
}

function kindOf(status: number, errorType: string | undefined): PrometheusErrorKind {
  if (errorType === "timeout" || status === 408 || status === 504) return "timeout";
  if (status === 429) return "rate_limited";
  if (status === 401 || status === 403 || status === 407) return "unauthorized";
  // A server that ends cancels its queries.
  if (status >= 499 || errorType === "canceled") return "server_error";
  if (errorType === "execution" || (status === 422 && errorType !== "bad_data")) return "execution";
  // Without Prometheus's own error object it is another server's response: a wrong address, or a proxy's page.
  return errorType === undefined && status === 404 ? "bad_response" : "bad_data";
}
