// The client of Prometheus's HTTP API.
import type { RequestAuthorization } from "./authorization.ts";
import { parseBase } from "./base-address.ts";
import type { LeftOut, ListReading, ResponseBudget, ResponseMemory } from "./body.ts";
import { decodeQuery, decodeSeriesList, decodeStrings, type Envelope, lists } from "./decode.ts";
import { PrometheusError } from "./errors.ts";
import { createHeaders } from "./headers.ts";
import { type FetchLike, type RequestClock, runtimeClock } from "./http.ts";
import { type Linger, lingering } from "./linger.ts";
import { createNodeFetch, type TlsOptions } from "./node-fetch.ts";
import { type ProxyOptions, proxyEnvOf } from "./proxy.ts";
import type { InstantResult, Labels } from "./sample.ts";
import { createSender, type Parameter, type Send } from "./sender.ts";
import { createSingleFlight } from "./single-flight.ts";

/** Where Prometheus is, and how to read from it. Times are in milliseconds. */
export interface PrometheusClientOptions extends ProxyOptions {
  /** Base address; a path prefix and query parameters are kept, user and password become Basic credentials. */
  readonly url: string;
  /** Default: node-fetch with keep-alive agents. */
  readonly fetch?: FetchLike;
  /** Default GET. Long requests are sent by POST either way, where the endpoint takes it. */
  readonly verb?: "GET" | "POST";
  readonly headers?: Readonly<Record<string, string>>;
  /** Called before each request, so that a rotated token is used at once. */
  readonly bearerToken?: () => string | undefined;
  /** Headers whose values have `{namespace}`: that of each request takes its place. Nothing is sent for a request of none. */
  readonly tenantHeaders?: Readonly<Record<string, string>> | undefined;
  /** Sent with each request, such as what Thanos and VictoriaMetrics take beyond Prometheus. */
  readonly parameters?: readonly Parameter[] | undefined;
  /** Whether a result that lacks data counts as a whole one. Its warnings stay [false]. */
  readonly allowsPartial?: boolean | undefined;
  /** Adds a credential to each request, after the headers above. */
  readonly authorization?: RequestAuthorization | undefined;
  /** Deadline of one request, from connecting to the last byte. Default 10 s. */
  readonly timeoutMs?: number;
  /** Limit of what is kept of the decoded body. Default 64 MiB. */
  readonly maxResponseBytes?: number;
  /**
   * A larger series, label name or label value is left out of a response of more than 256 KiB; eight times
   * `maxResponseBytes` are read then. Not of queryRange, whose series have many points. Default: nothing is left out.
   */
  readonly maxItemBytes?: number | undefined;
  /** What large responses share; of too many at once the largest fails. Default: each has its limit alone. */
  readonly responseMemory?: ResponseMemory;
  readonly tls?: TlsOptions;
  /** Times requests. Default: the runtime's. */
  readonly clock?: RequestClock;
}

/** How long one request may take, and what aborts it. */
export interface RequestLimits {
  /** Shortens (or, explicitly, lengthens) the client's deadline for this request. */
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Whose data are read, where the client has `tenantHeaders`. */
  readonly namespace?: string | undefined;
  /** Of the memory that the response takes. Default: the client's own. */
  readonly budget?: ResponseBudget | undefined;
  /** Called when the response lacks items that are larger than `maxItemBytes`. */
  readonly onLeftOut?: ((leftOut: LeftOut) => void) | undefined;
}

/** Limits of an instant query, and its time. */
export interface InstantQueryOptions extends RequestLimits {
  /** Keeps the connection when the caller leaves; without it the connection is closed then. */
  readonly linger?: Linger | undefined;
  /** Evaluation time; without it Prometheus uses its own clock. */
  readonly atMs?: number | undefined;
}

/** Limits of a range query, and its range in milliseconds since 1970. */
export interface RangeQueryOptions extends RequestLimits {
  readonly startMs: number;
  readonly endMs: number;
  readonly stepMs: number;
}

/** Limits of a metadata request, and the range in which series must have samples, in milliseconds since 1970. */
export interface MetadataOptions extends RequestLimits {
  readonly startMs: number;
  readonly endMs?: number | undefined;
}

/**
 * Reads from the Prometheus HTTP API. Every method rejects with PrometheusError, or with the signal's reason when
 * the caller aborted. Identical requests in flight are one request.
 */
export interface PrometheusClient {
  /** @returns scalar or vector, as evaluated at one time */
  query(promql: string, options?: InstantQueryOptions): Promise<InstantResult>;
  /** @returns a matrix */
  queryRange(promql: string, options: RangeQueryOptions): Promise<InstantResult>;
  /** The label sets of the series that match any of the selectors. */
  series(matches: readonly string[], options: MetadataOptions): Promise<readonly Labels[]>;
  labelNames(matches: readonly string[], options: MetadataOptions): Promise<readonly string[]>;
  labelValues(
    label: string,
    matches: readonly string[],
    options: MetadataOptions,
  ): Promise<readonly string[]>;
  /** Ends the connections of its own. */
  close(): Promise<void>;
}

/** A client of one Prometheus. Nothing is sent before the first request. @throws TypeError when the URL cannot be used */
export function createPrometheusClient(options: PrometheusClientOptions): PrometheusClient {
  const base = parseBase(options.url);
  const connection =
    options.fetch === undefined
      ? createNodeFetch({
          tls: options.tls,
          proxyEnv: proxyEnvOf(options, { url: options.url, isLoopback: base.isLoopback }),
        })
      : undefined;
  const fetch = options.fetch ?? connection?.fetch;
  if (fetch === undefined) throw new TypeError("no fetch");
  const { verb, bearerToken, authorization, responseMemory, clock = runtimeClock } = options;
  const headers = createHeaders(options.headers, options.tenantHeaders);
  const maxBytes = options.maxResponseBytes ?? 64 * 1024 * 1024;
  const fixedHeaders = options.headers ?? {};
  const own = {
    headers: headers.of,
    fixedHeaders,
    bearerToken,
    authorization,
    parameters: options.parameters,
  };
  const send = createSender({ base, fetch, verb, ...own, maxBytes, responseMemory, clock });
  const { timeoutMs = 10_000, maxItemBytes } = options;
  const read = createReader(send, clock, { timeoutMs, maxItemBytes, ...headers });
  return {
    ...queryMethods(read, options.allowsPartial === true),
    ...metadataMethods(read),
    async close() {
      connection?.close();
    },
  };
}

type Read = <T>(request: ReadRequest<T>) => Promise<T>;

interface ReaderDefaults {
  readonly timeoutMs: number;
  readonly maxItemBytes: number | undefined;
  readonly isByNamespace: boolean;
}

/** Identical requests in flight are one request. */
function createReader(send: Send, clock: RequestClock, defaults: ReaderDefaults): Read {
  const { maxItemBytes, isByNamespace } = defaults;
  const flights = createSingleFlight<unknown>();
  return <T>(request: ReadRequest<T>): Promise<T> => {
    const { timeoutMs = defaults.timeoutMs, signal, linger, budget, onLeftOut } = request.limits;
    const namespace = isByNamespace ? request.limits.namespace : undefined;
    const list =
      maxItemBytes === undefined || request.list === undefined
        ? undefined
        : { ...request.list, maxItemBytes };
    // Not shared with one that lingers: that may run for as long as its connection is kept.
    const key = JSON.stringify([request.path, request.parameters, namespace, linger !== undefined]);
    const work = async (ending: AbortSignal): Promise<T> => {
      const timeout: readonly Parameter[] = request.isQuery ? [["timeout", `${Math.ceil(timeoutMs)}ms`]] : [];
      const isGetOnly = request.isGetOnly ?? false;
      const parameters = [...request.parameters, ...timeout];
      const { path } = request;
      const decode = (envelope: Envelope): T => {
        if (envelope.leftOut !== undefined) onLeftOut?.(envelope.leftOut);
        return readable(() => request.decode(envelope));
      };
      const sentLimits = { timeoutMs: linger?.maxMs ?? timeoutMs, signal: ending, isGetOnly, namespace };
      const limits = { ...sentLimits, budget, list };
      return await send({ path, parameters, decode, ...limits });
    };
    if (linger === undefined) return flights.run(key, work, signal) as Promise<T>;
    if (signal?.aborted === true) return Promise.reject(signal.reason);
    return lingering(flights.run(key, work) as Promise<T>, { linger, timeoutMs, signal, clock });
  };
}

function queryMethods(read: Read, allowsPartial: boolean): Pick<PrometheusClient, "query" | "queryRange"> {
  const decode = (envelope: Envelope): InstantResult =>
    allowsPartial ? { ...decodeQuery(envelope), allowsPartial } : decodeQuery(envelope);
  return {
    query: (promql, limits = {}) =>
      read({
        path: "/api/v1/query",
        parameters: [["query", promql], ...(limits.atMs === undefined ? [] : [seconds("time", limits.atMs)])],
        limits,
        decode,
        list: lists.query,
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
        decode,
        isQuery: true,
      }),
  };
}

function metadataMethods(read: Read): Pick<PrometheusClient, "series" | "labelNames" | "labelValues"> {
  return {
    series: (matches, limits) =>
      read({
        path: "/api/v1/series",
        ...selection(matches, limits),
        decode: decodeSeriesList,
        list: lists.series,
      }),
    labelNames: (matches, limits) =>
      read({ path: "/api/v1/labels", ...selection(matches, limits), ...strings }),
    labelValues: (label, matches, limits) => {
      const path = `/api/v1/label/${encodeURIComponent(label)}/values`;
      return read({ path, ...selection(matches, limits), ...strings, isGetOnly: true });
    },
  };
}

const strings = { decode: decodeStrings, list: lists.strings };

/** Whatever a response is made of, it ends as a value or as bad_response. */
function readable<T>(decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    if (error instanceof PrometheusError) throw error;
    throw new PrometheusError("bad_response", "the response cannot be read", { cause: error });
  }
}

interface ReadRequest<T> {
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly limits: InstantQueryOptions;
  readonly decode: (envelope: Envelope) => T;
  /** What of a large response is read item by item; undefined: it is read in one piece. */
  readonly list?: Omit<ListReading<unknown>, "maxItemBytes">;
  /** Evaluated by the query engine, which takes a timeout. */
  readonly isQuery?: boolean;
  readonly isGetOnly?: boolean;
}

function selection(matches: readonly string[], limits: MetadataOptions) {
  const parameters: readonly Parameter[] = [
    ...matches.map((match): Parameter => ["match[]", match]),
    seconds("start", limits.startMs),
    ...(limits.endMs === undefined ? [] : [seconds("end", limits.endMs)]),
  ];
  return { parameters, limits };
}

function seconds(name: string, ms: number): Parameter {
  return [name, (ms / 1000).toFixed(3)];
}
