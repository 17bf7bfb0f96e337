// Decodes responses of the Prometheus HTTP API.
import { isFields, textOf } from "@plimsoll/core/internal/values";
import type { Body, LeftOut, ListReading } from "./body.ts";
import { cut, cutList, excerpt, startOf } from "./cut.ts";
import { PrometheusError } from "./errors.ts";
import type { InstantResult, Labels, MatrixSeries, QueryResult, VectorSample } from "./sample.ts";

/** The outer object of every successful response of the HTTP API. */
export interface Envelope {
  readonly data: unknown;
  /** Of a large response, decoded one by one; the list in `data` is empty then. */
  readonly items?: readonly unknown[] | undefined;
  readonly leftOut?: LeftOut | undefined;
  readonly warnings: readonly string[];
  readonly infos: readonly string[];
}

/** The outer object of a failure: errorType is Prometheus's own word ("bad_data", "timeout", "execution"…). */
export interface FailureEnvelope {
  readonly errorType: string;
  readonly error: string;
}

/** @throws PrometheusError bad_response when the text is not a success response of the API. */
export function decodeEnvelope({ text, items, leftOut }: Body, hide: (text: string) => string): Envelope {
  const body = parseObject(text);
  if (body === undefined || body["status"] !== "success" || !("data" in body))
    throw bad(`not a success response of the Prometheus API: ${excerpt(text, hide)}`);
  // VictoriaMetrics' clusters say it with a field of their own.
  const partial = body["isPartial"] === true ? ["the response is partial"] : [];
  const warnings = [...partial, ...strings(body["warnings"])];
  // Hints about the query must not push out a warning that data are missing.
  const isHint = (warning: string): boolean => warning.startsWith("PromQL");
  const sorted = [...warnings.filter((one) => !isHint(one)), ...warnings.filter(isHint)];
  return {
    data: body["data"],
    items,
    leftOut: leftOut === undefined ? undefined : { ...leftOut, start: excerpt(leftOut.start, hide) },
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
  const { warnings, infos, leftOut } = envelope;
  const result = { ...decodeResult(envelope), warnings, infos };
  return leftOut === undefined ? result : { ...result, leftOut: leftOut.items };
}

function decodeResult({ data, items }: Envelope): QueryResult {
  if (!isFields(data)) throw bad("the response has no query result");
  const result = data["result"];
  switch (data["resultType"]) {
    case "vector":
      return { type: "vector", samples: items?.map(toSample) ?? list(result).map(decodeSample) };
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
      throw bad(`unknown result type ${inQuotes(textOf(data["resultType"]))}`);
  }
}

/** How large responses are read. */
export const lists = {
  query: { path: ["data", "result"], decode: decodeInstant },
  series: { path: ["data"], decode: decodeLabels },
  strings: { path: ["data"], decode: decodeString },
} satisfies Readonly<Record<string, Omit<ListReading<unknown>, "maxItemBytes">>>;

/** A point of a series takes ten times its bytes in memory, so the ranges of a large response are not read. */
function decodeInstant(raw: unknown): VectorSample {
  if (isFields(raw) && raw["values"] !== undefined)
    throw new PrometheusError(
      "execution",
      "the query returns a range of samples, and too many of them: use a function such as rate or last_over_time",
    );
  return decodeSample(raw);
}

function toSample(item: unknown): VectorSample {
  if (!isFields(item) || !("value" in item)) throw bad("malformed sample");
  return item as unknown as VectorSample;
}

function decodeSample(raw: unknown): VectorSample {
  if (!isFields(raw)) throw bad("malformed sample");
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
  if (!isFields(raw)) throw bad("malformed series");
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
  ["nan", Number.NaN],
  ["+inf", Number.POSITIVE_INFINITY],
  ["inf", Number.POSITIVE_INFINITY],
  ["-inf", Number.NEGATIVE_INFINITY],
]);

const DECIMAL = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;

/** Reads a sample value as Prometheus writes it: decimal, exponent, NaN, +Inf or -Inf. Others write inf. */
export function decodeValue(text: string): number {
  const special = SPECIAL_VALUES.get(text.toLowerCase());
  if (special !== undefined) return special;
  // Number("") and Number("0x10") are numbers; neither is a sample.
  if (!DECIMAL.test(text)) throw bad(`malformed sample value ${inQuotes(text)}`);
  return Number(text);
}

/** In UTF-16 code units. Names of Kubernetes have 253 at most; a selector's values 63. */
const MAX_LABEL_LENGTH = 1_024;

/** @throws PrometheusError bad_response unless every value is a string. */
function decodeLabels(raw: unknown): Labels {
  if (!isFields(raw)) throw bad("malformed label set");
  let isShort = true;
  for (const name of Object.keys(raw)) {
    const value = raw[name];
    if (typeof value !== "string") throw bad(`label ${inQuotes(name)} has no text value`);
    if (value.length > MAX_LABEL_LENGTH || name.length > MAX_LABEL_LENGTH) isShort = false;
  }
  const labels = raw as Labels;
  return isShort ? labels : shortened(labels);
}

/** What a tenant exposes is kept in caches and results: long values are cut, and labels with a long name left out. */
function shortened(labels: Labels): Labels {
  return Object.fromEntries(
    Object.entries(labels)
      .filter(([name]) => name.length <= MAX_LABEL_LENGTH)
      .map(([name, value]) => [name, startOf(value, MAX_LABEL_LENGTH)]),
  );
}

function decodeString(item: unknown): string {
  if (typeof item !== "string") throw bad("expected a list of strings");
  return item;
}

/** Names and values that are no longer than a label may be. @throws PrometheusError bad_response unless data is a list of strings. */
export function decodeStrings({ data, items }: Envelope): readonly string[] {
  return (items ?? list(data)).map(decodeString).filter((item) => item.length <= MAX_LABEL_LENGTH);
}

/** @throws PrometheusError bad_response unless data is a list of label sets. */
export function decodeSeriesList({ data, items }: Envelope): readonly Labels[] {
  return (items as readonly Labels[] | undefined) ?? list(data).map(decodeLabels);
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Servers written in Go, such as Google's frontend, send an empty list as null. */
function list(value: unknown): readonly unknown[] {
  if (value === null) return [];
  if (!Array.isArray(value)) throw bad("expected a list");
  return value;
}

function strings(value: unknown): readonly string[] {
  return Array.isArray(value)
    ? value.map((one: unknown) => (typeof one === "string" ? one : "a warning that is not a string"))
    : [];
}

/** Whole, or a part of a secret would not be recognized as one later. */
function inQuotes(text: string): string {
  return text.length > 200 ? `of ${text.length} characters` : JSON.stringify(text);
}

function bad(message: string): PrometheusError {
  return new PrometheusError("bad_response", message);
}
