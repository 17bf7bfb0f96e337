// A Prometheus that responds at once: canned values for the fleet's series, selected and grouped as a query says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { type Expression, parseQuery, parseSelector, type Selector } from "@plimsoll/prometheus/testing";
import { serveParent } from "@plimsoll/testbed";
import { metricNames, type SeriesLabels, seriesOf } from "./fleet.ts";

export interface FakePrometheusCounts {
  readonly url: string;
  readonly queries: number;
  readonly otherRequests: number;
  /** Of all responses but those to queries. */
  readonly metadataBytes: number;
}

/** Replaced by the time of the response in kept texts; it has as many digits. */
const someTime = "1000000000.001";
const byMetric = new Map(
  metricNames.map((name) => [name, Map.groupBy(seriesOf(name), ({ namespace = "" }) => namespace)]),
);
/** Texts of responses to queries, with that time, and whole responses to all else. */
const responses = new Map<string, string | Buffer>();
const counts = { queries: 0, otherRequests: 0, metadataBytes: 0 };

interface Found {
  readonly name: string;
  readonly labels: SeriesLabels;
}

function select({ name, matchers }: Selector): readonly Found[] {
  const groups = byMetric.get(name) ?? new Map<string, readonly SeriesLabels[]>();
  const namespace = matchers.find(({ label, operator }) => label === "namespace" && operator === "=")?.value;
  const wanted = namespace === undefined ? [...groups.values()].flat() : (groups.get(namespace) ?? []);
  return wanted
    .filter((labels) => matchers.every(({ label, test }) => test(labels[label] ?? "")))
    .map((labels) => ({ name, labels }));
}

/** Values are the same with every function and aggregation: what counts is which series there are. */
function evaluate(expression: Expression, by?: readonly string[]): object {
  if (expression.type === "aggregation") return evaluate(expression.of, by ?? expression.by);
  const grouped = new Map<string, object>();
  for (const { name, labels } of expression.type === "constant" ? [] : select(expression.selector)) {
    const all: SeriesLabels = { __name__: name, ...labels };
    const kept = by ?? Object.keys(all);
    const metric = Object.fromEntries(kept.flatMap((label) => (label in all ? [[label, all[label]]] : [])));
    const value = name.includes("bytes") ? "134217728" : "12.345";
    grouped.set(JSON.stringify(metric), { metric, value: [Number(someTime), value] });
  }
  return { resultType: "vector", result: [...grouped.values()] };
}

function metadata(path: string, selectors: readonly string[]): object | undefined {
  const found = selectors
    .flatMap((text) => select(parseSelector(text)))
    .map(({ name, labels }): SeriesLabels => ({ __name__: name, ...labels }));
  if (path === "/api/v1/series") return found;
  if (path === "/api/v1/labels") return [...new Set(found.flatMap((labels) => Object.keys(labels)))];
  const label = /^\/api\/v1\/label\/(\w+)\/values$/.exec(path)?.[1];
  return label === undefined ? undefined : [...new Set(found.map((labels) => labels[label]))];
}

async function respond(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const url = new URL(request.url ?? "/", "http://fake");
  const form = request.method === "POST" ? new URLSearchParams(await text(request)) : url.searchParams;
  const promql = form.get("query") ?? "";
  const isQuery = url.pathname === "/api/v1/query";
  if (isQuery) counts.queries++;
  else counts.otherRequests++;
  const key = isQuery ? promql : `${url.pathname} ${form.getAll("match[]").join(" ")}`;
  let known = responses.get(key);
  if (known === undefined) {
    const data = isQuery ? evaluate(parseQuery(promql)) : metadata(url.pathname, form.getAll("match[]"));
    const text = JSON.stringify(
      data === undefined ? { status: "error", errorType: "not_found" } : { status: "success", data },
    );
    known = isQuery ? text : Buffer.from(text);
    responses.set(key, known);
  }
  const nowText = (Date.now() / 1000).toFixed(3);
  const body = typeof known === "string" ? Buffer.from(known.replaceAll(someTime, nowText)) : known;
  if (!isQuery) counts.metadataBytes += body.length;
  response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
  response.end(body);
}

const server = createServer((request, response) => void respond(request, response));
server.keepAliveTimeout = 60_000;
await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

serveParent((): FakePrometheusCounts => ({ url, ...counts }));
