import { decodeEnvelope, decodeQuery, decodeSeriesList, decodeStrings, type Envelope } from "./decode.ts";
import { exchange, type FetchLike } from "./http.ts";
import { createNodeFetch, type TlsOptions } from "./node-fetch.ts";
import { errorFor } from "./response-error.ts";
import type { InstantResult, Labels } from "./sample.ts";
import { createSingleFlight } from "./single-flight.ts";

export interface PrometheusClientOptions {
  /** Base address; a path prefix and query parameters are kept, user and password become Basic credentials. */
  readonly url: string;
  /** Default: node-fetch with keep-alive agents. */
  readonly fetch?: FetchLike;
  /** Default GET. Long requests are sent by POST either way, where the endpoint takes it. */
  readonly verb?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Asked before each request, so that a rotated token is used at once. */
  readonly bearerToken?: () => string | undefined;
  /** Deadline of one request, from connecting to the last byte. Default 10 s. */
  readonly timeoutMs?: number;
  /** Limit of the decoded body. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  readonly tls?: TlsOptions;
}

export interface RequestLimits {
  /** Shortens (or, explicitly, lengthens) the client's deadline for this request. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface InstantQueryOptions extends RequestLimits {
  /** Evaluation time; without it Prometheus uses its own clock. */
  readonly atMs?: number | undefined;
}

export interface RangeQueryOptions extends RequestLimits {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

export interface MetadataOptions extends RequestLimits {
  readonly startMs: number;
  readonly endMs?: number | undefined;
}

/**
 * Reads from the Prometheus HTTP API. Every method rejects with PrometheusError, or with the signal's reason when
 * the caller aborted. Identical requests in flight are one request.
 */
export interface PrometheusClient {
  query(promql: string, options?: InstantQueryOptions): Promise<InstantResult>;
  queryRange(promql: string, options: RangeQueryOptions): Promise<InstantResult>;
  series(matches: readonly string[], options: MetadataOptions): Promise<readonly Labels[]>;
  labelNames(matches: readonly string[], options: MetadataOptions): Promise<readonly string[]>;
  labelValues(
    label: string,
    matches: readonly string[],
    options: MetadataOptions,
  ): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Parameter = readonly [name: string, value: string];

/** Proxies in front of Prometheus commonly refuse request lines of more than 8 kB. */
const LONGEST_GET = 4_096;

export function createPrometheusClient(options: PrometheusClientOptions): PrometheusClient {
  const base = parseBase(options.url);
  const own =
    options.fetch === undefined ? createNodeFetch(options.tls ? { tls: options.tls } : {}) : undefined;
  const fetch = options.fetch ?? own?.fetch;
  if (fetch === undefined) throw new TypeError("no fetch");
  const defaultTimeoutMs = options.timeoutMs ?? 10_000;
  const maxBytes = options.maxResponseBytes ?? 64 * 1024 * 1024;
  const flights = createSingleFlight<unknown>();

  const headers = (method: "GET" | "POST"): Record<string, string> => {
    const token = options.bearerToken?.();
    return {
      accept: "application/json",
      "user-agent": "plimsoll",
      // Compressing costs more than it saves on the loopback device.
      "accept-encoding": base.isLoopback ? "identity" : "gzip",
      ...(base.authorization === undefined ? {} : { authorization: base.authorization }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...lowerCaseKeys(options.headers ?? {}),
      ...(method === "POST" ? { "content-type": "application/x-www-form-urlencoded" } : {}),
    };
  };

  const send = async (
    path: string,
    parameters: readonly Parameter[],
    limits: SendLimits,
  ): Promise<Envelope> => {
    const encoded = new URLSearchParams(
      parameters.map(([name, value]): [string, string] => [name, value]),
    ).toString();
    const wantsPost = options.verb === "POST" || encoded.length > LONGEST_GET;
    const method = wantsPost && !limits.isGetOnly ? "POST" : "GET";
    const query = [base.search, method === "GET" ? encoded : ""].filter((part) => part !== "").join("&");
    const result = await exchange({
      fetch,
      url: `${base.prefix}${path}${query === "" ? "" : `?${query}`}`,
      method,
      headers: headers(method),
      body: method === "POST" ? encoded : undefined,
      timeoutMs: limits.timeoutMs,
      maxBytes,
      signal: limits.signal,
    });
    if (result.status < 200 || result.status > 299) throw errorFor(result);
    return decodeEnvelope(result.text);
  };

  const read = <T>(request: ReadRequest<T>): Promise<T> => {
    const timeoutMs = request.limits.timeoutMs ?? defaultTimeoutMs;
    const key = JSON.stringify([request.path, request.parameters]);
    const work = async (signal: AbortSignal): Promise<T> => {
      const timeout: readonly Parameter[] = request.isQuery ? [["timeout", `${Math.ceil(timeoutMs)}ms`]] : [];
      const isGetOnly = request.isGetOnly ?? false;
      return request.decode(
        await send(request.path, [...request.parameters, ...timeout], { timeoutMs, signal, isGetOnly }),
      );
    };
    return flights.run(key, work, request.limits.signal) as Promise<T>;
  };

  return {
    query: (promql, limits = {}) =>
      read({
        path: "/api/v1/query",
        parameters: [["query", promql], ...(limits.atMs === undefined ? [] : [seconds("time", limits.atMs)])],
        limits,
        decode: decodeQuery,
        isQuery: true,
      }),
    queryRange: (promql, limits) =>
      read({
        path: "/api/v1/query_range",
        parameters: [
          ["query", promql],
          seconds("start", limits.startMs),
          seconds("end", limits.endMs),
          seconds("step", limits.stepMs),
        ],
        limits,
        decode: decodeQuery,
        isQuery: true,
      }),
    series: (matches, limits) =>
      read({
        path: "/api/v1/series",
        parameters: selection(matches, limits),
        limits,
        decode: ({ data }) => decodeSeriesList(data),
      }),
    labelNames: (matches, limits) =>
      read({
        path: "/api/v1/labels",
        parameters: selection(matches, limits),
        limits,
        decode: ({ data }) => decodeStrings(data),
      }),
    labelValues: (label, matches, limits) =>
      read({
        path: `/api/v1/label/${encodeURIComponent(label)}/values`,
        parameters: selection(matches, limits),
        limits,
        decode: ({ data }) => decodeStrings(data),
        isGetOnly: true,
      }),
    async close() {
      own?.close();
    },
  };
}

interface SendLimits {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly isGetOnly: boolean;
}

interface ReadRequest<T> {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly limits: RequestLimits;
  readonly decode: (envelope: Envelope) => T;
  /** Evaluated by the query engine, which takes a timeout. */
  readonly isQuery?: boolean;
  readonly isGetOnly?: boolean;
}

function selection(matches: readonly string[], limits: MetadataOptions): readonly Parameter[] {
  return [
    ...matches.map((match): Parameter => ["match[]", match]),
    seconds("start", limits.startMs),
    ...(limits.endMs === undefined ? [] : [seconds("end", limits.endMs)]),
  ];
}

function seconds(name: string, ms: number): Parameter {
  return [name, (ms / 1000).toFixed(3)];
}

interface Base {
  readonly prefix: string;
  readonly search: string;
  readonly authorization: string | undefined;
  readonly isLoopback: boolean;
}

/** @throws TypeError when the text is no http or https URL. */
function parseBase(text: string): Base {
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new TypeError(`the Prometheus URL must be http or https: ${JSON.stringify(text)}`);
  }
  const user = decodeURIComponent(url.username);
  const password = decodeURIComponent(url.password);
  const hasCredentials = user !== "" || password !== "";
  return {
    prefix: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    search: url.search.slice(1),
    authorization: hasCredentials
      ? `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`
      : undefined,
    isLoopback: /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname),
  };
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
