// Decodes responses of the Prometheus HTTP API.
import { cut, cutList, excerpt } from "./cut.ts";
import { PrometheusError } from "./errors.ts";
import type { InstantResult, Labels, MatrixSeries, QueryResult, VectorSample } from "./sample.ts";

/** The outer object of every successful response of the HTTP API. */
export interface Envelope {
  readonly data: unknown;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

/** The outer object of a failure: errorType is Prometheus's own word ("bad_data", "timeout", "execution"…). */
export interface FailureEnvelope {
  readonly errorType: string;
  readonly error: string;
}

/** @throws PrometheusError bad_response when the text is not a success response of the API. */
export function decodeEnvelope(text: string, hide: (text: string) => string): Envelope {
  const body = parseObject(text);
  if (body === undefined || body["status"] !== "success" || !("data" in body)) {
    throw bad(`not a success response of the Prometheus API: ${excerpt(text, hide)}`);
  }
  // VictoriaMetrics' clusters say it with a field of their own.
  const partial = body["isPartial"] === true ? ["the response is partial"] : [];
  const warnings = [...partial, ...strings(body["warnings"])];
  // Hints about the query must not push out a warning that data are missing.
  const isHint = (warning: string): boolean => warning.startsWith("PromQL");
  const sorted = [...warnings.filter((one) => !isHint(one)), ...warnings.filter(isHint)];
  return {
    data: body["data"],
    warnings: cutList(sorted, hide),
    infos: cutList(strings(body["infos"]), hide),
  };
}

/**
 * The failure that a response describes, or undefined when it is not a response of the Prometheus API.
 * @param text May end early: Prometheus puts the type of the error before its text.
 */
export function decodeFailure(text: string, hide: (text: string) => string): FailureEnvelope | undefined {
  const body = parseObject(text);
  if (body === undefined) return decodeBrokenFailure(text, hide);
  if (body["status"] !== "error") return undefined;
  return { errorType: cut(textOf(body["errorType"]), hide), error: cut(textOf(body["error"]), hide) };
}

const BROKEN_FAILURE =
  /^\s*\{\s*"status"\s*:\s*"error"\s*,\s*"errorType"\s*:\s*"(\w{1,64})"\s*,\s*"error"\s*:\s*"/;

function decodeBrokenFailure(text: string, hide: (text: string) => string): FailureEnvelope | undefined {
  const found = BROKEN_FAILURE.exec(text);
  if (found === null) return undefined;
  const [start, errorType = ""] = found;
  return { errorType, error: cut(text.slice(start.length), hide) };
}

/** @throws PrometheusError bad_response when data is not a query result. */
export function decodeQuery(envelope: Envelope): InstantResult {
  return { ...decodeResult(envelope.data), warnings: envelope.warnings, infos: envelope.infos };
}

function decodeResult(data: unknown): QueryResult {
  if (!isObject(data)) throw bad("the response has no query result");
  const result = data["result"];
  switch (data["resultType"]) {
    case "vector":
      return { type: "vector", samples: list(result).map(decodeSample) };
    case "matrix":
      return { type: "matrix", series: list(result).map(decodeSeries) };
    case "scalar": {
      const [atMs, value] = decodePoint(result);
      return { type: "scalar", atMs, value };
    }
    case "string": {
      const [at, text] = list(result);
      if (typeof at !== "number" || typeof text !== "string") throw bad("malformed string result");
      return { type: "string", atMs: Math.round(at * 1000), text };
    }
    default:
      throw bad(`unknown result type ${excerpt(textOf(data["resultType"]))}`);
  }
}

function decodeSample(raw: unknown): VectorSample {
  if (!isObject(raw)) throw bad("malformed sample");
  // A native histogram has no single number to give; as NaN it counts as missing wherever numbers do.
  if (raw["value"] === undefined && Array.isArray(raw["histogram"])) {
    const at: unknown = raw["histogram"][0];
    if (typeof at !== "number") throw bad("malformed histogram sample");
    return { labels: decodeLabels(raw["metric"]), atMs: Math.round(at * 1000), value: Number.NaN };
  }
  const [atMs, value] = decodePoint(raw["value"]);
  return { labels: decodeLabels(raw["metric"]), atMs, value };
}

function decodeSeries(raw: unknown): MatrixSeries {
  if (!isObject(raw)) throw bad("malformed series");
  const values = raw["values"] === undefined ? [] : list(raw["values"]);
  return { labels: decodeLabels(raw["metric"]), points: values.map(decodePoint) };
}

function decodePoint(raw: unknown): readonly [atMs: number, value: number] {
  if (!Array.isArray(raw) || raw.length !== 2) throw bad("malformed sample value");
  const [at, text]: readonly unknown[] = raw;
  if (typeof at !== "number" || typeof text !== "string") throw bad("malformed sample value");
  return [Math.round(at * 1000), decodeValue(text)];
}

const SPECIAL_VALUES: ReadonlyMap<string, number> = new Map([
  ["NaN", Number.NaN],
  ["+Inf", Number.POSITIVE_INFINITY],
  ["Inf", Number.POSITIVE_INFINITY],
  ["-Inf", Number.NEGATIVE_INFINITY],
]);

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a sample value as Prometheus writes it: decimal, exponent, NaN, +Inf or -Inf. */
export function decodeValue(text: string): number {
  const special = SPECIAL_VALUES.get(text);
  if (special !== undefined) return special;
  // Number("") and Number("0x10") are numbers; neither is a sample.
  if (!DECIMAL.test(text)) throw bad(`malformed sample value ${excerpt(text)}`);
  return Number(text);
}

/** @throws PrometheusError bad_response unless every value is a string. */
function decodeLabels(raw: unknown): Labels {
  if (!isObject(raw)) throw bad("malformed label set");
  for (const name of Object.keys(raw)) {
    if (typeof raw[name] !== "string") throw bad(`label ${excerpt(name)} has no text value`);
  }
  return raw as Labels;
}

/** @throws PrometheusError bad_response unless data is a list of strings. */
export function decodeStrings({ data }: Envelope): readonly string[] {
  const items = list(data);
  if (!items.every((item) => typeof item === "string")) throw bad("expected a list of strings");
  return items;
}

/** @throws PrometheusError bad_response unless data is a list of label sets. */
export function decodeSeriesList({ data }: Envelope): readonly Labels[] {
  return list(data).map(decodeLabels);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function list(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw bad("expected a list");
  return value;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === "string" ? one : "a warning that is not text"))
    : [];
}

function bad(message: string): PrometheusError {
  return new PrometheusError("bad_response", message);
}
