// The HTTP API of the simulated Prometheus: what the adapter requests, and nothing else.
import { getOrAdd } from "@plimsoll/component-base";
import { type Expression, parseQuery, parseSelector, UnknownQueryError } from "@plimsoll/prometheus/testing";
import { evaluate, type Row } from "./evaluate.ts";
import type { Series } from "./series.ts";
import type { SeriesTable } from "./series-table.ts";

export interface HttpApi {
  /** @throws UnknownQueryError for what the simulation does not know */
  respond(url: string, body: string | undefined, atMs: number): ApiResponse;
}

export interface ApiResponse {
  readonly body: string;
  /** Of a query. */
  readonly rows: readonly Row[];
}

export interface HttpApiOptions {
  readonly table: SeriesTable;
  /** Which series a partial response leaves out; undefined: it is complete. */
  readonly leftOut: () => ((series: Series) => boolean) | undefined;
}

/** A request that was read. Requests are repeated all the time. */
type ParsedRequest =
  | { readonly type: "query"; readonly expression: Expression }
  | { readonly type: "names"; readonly matches: readonly string[]; readonly sinceMs: number }
  | { readonly type: "labels"; readonly matches: readonly string[]; readonly sinceMs: number }
  | { readonly type: "series"; readonly matches: readonly string[]; readonly sinceMs: number };

const warnings = '"warnings":["a part of the simulated storage does not respond"],';

export function createHttpApi({ table, leftOut }: HttpApiOptions): HttpApi {
  const parsed = new Map<string, ParsedRequest>();
  const parse = (url: string, body: string | undefined): ParsedRequest => {
    const key = body === undefined ? url : `${url}\n${body}`;
    return getOrAdd(parsed, key, () => parseRequest(url, body));
  };
  return {
    respond(url, body, atMs) {
      const request = parse(url, body);
      if (request.type !== "query") return { body: success(listOf(table, request)), rows: [] };
      const isLeftOut = leftOut();
      const rows = evaluate(request.expression, {
        atMs,
        select(selector) {
          const found = table.select(selector);
          return isLeftOut === undefined ? found : found.filter((series) => !isLeftOut(series));
        },
      });
      return { body: success(vectorOf(rows, atMs), isLeftOut === undefined ? "" : warnings), rows };
    },
  };
}

function parseRequest(url: string, body: string | undefined): ParsedRequest {
  const { pathname, search } = new URL(url);
  const parameters = new URLSearchParams(body ?? search);
  const matches = parameters.getAll("match[]");
  const sinceMs = Number(parameters.get("start") ?? "0") * 1_000;
  switch (pathname) {
    case "/api/v1/query":
      if (parameters.has("time")) break;
      return { type: "query", expression: parseQuery(parameters.get("query") ?? "") };
    case "/api/v1/label/__name__/values":
      return { type: "names", matches, sinceMs };
    case "/api/v1/labels":
      return { type: "labels", matches, sinceMs };
    case "/api/v1/series":
      return { type: "series", matches, sinceMs };
    default:
      break;
  }
  throw new UnknownQueryError(`the simulated Prometheus does not know ${url}`);
}

function listOf(table: SeriesTable, request: Exclude<ParsedRequest, { readonly type: "query" }>): string {
  const all = request.matches.flatMap((match) =>
    table.select(parseSelector(match)).filter(({ lastMs }) => lastMs >= request.sinceMs),
  );
  switch (request.type) {
    case "names":
      return JSON.stringify([...new Set(all.map(({ name }) => name))].sort());
    case "labels":
      return JSON.stringify(
        [...new Set(["__name__", ...all.flatMap(({ labels }) => Object.keys(labels))])].sort(),
      );
    case "series":
      return JSON.stringify(all.map(({ name, labels }) => ({ __name__: name, ...labels })));
  }
}

function vectorOf(rows: readonly Row[], atMs: number): string {
  const at = atMs / 1_000;
  const result = rows.map(({ metric, value }) => `{"metric":${metric},"value":[${at},"${String(value)}"]}`);
  return `{"resultType":"vector","result":[${result.join(",")}]}`;
}

function success(data: string, extra = ""): string {
  return `{"status":"success",${extra}"data":${data}}`;
}
