// A Prometheus that responds at once: canned values for the fleet's series, selected and grouped as a query says.
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
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
const byMetric = new Map(metricNames.map((name) => [name, groupByNamespace(seriesOf(name))]));
/** Texts of responses to queries, with that time, and whole responses to all else. */
const responses = new Map<string, string | Buffer>();
const counts = { queries: 0, otherRequests: 0, metadataBytes: 0 };

function groupByNamespace(all: readonly SeriesLabels[]): ReadonlyMap<string, readonly SeriesLabels[]> {
  const groups = new Map<string, SeriesLabels[]>();
  for (const labels of all) {
    const namespace = labels["namespace"] ?? "";
    const group = groups.get(namespace);
    if (group === undefined) groups.set(namespace, [labels]);
    else group.push(labels);
  }
  return groups;
}

interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
  readonly pattern: RegExp | undefined;
  readonly names: ReadonlySet<string> | undefined;
}

function readMatchers(braces: string): readonly Matcher[] {
  return [...braces.matchAll(/(\w+)\s*(=~|!~|!=|=)\s*"((?:[^"\\]|\\.)*)"/g)].map((match) => {
    const [, label = "", operator = "", value = ""] = match;
    const isPlain = /^[\w|-]*$/.test(value);
    return {
      label,
      operator,
      value,
      // A thousand names in one expression would take longer than they should in a fake.
      names: operator.endsWith("~") && isPlain ? new Set(value.split("|")) : undefined,
      pattern: operator.endsWith("~") && !isPlain ? new RegExp(`^(?:${value})$`) : undefined,
    };
  });
}

function matches(labels: SeriesLabels, name: string, matcher: Matcher): boolean {
  const own = matcher.label === "__name__" ? name : (labels[matcher.label] ?? "");
  const isEqual =
    matcher.pattern === undefined
      ? (matcher.names?.has(own) ?? own === matcher.value)
      : matcher.pattern.test(own);
  return matcher.operator.startsWith("!") ? !isEqual : isEqual;
}

interface Found {
  readonly name: string;
  readonly labels: SeriesLabels;
}

function select(selector: string): readonly Found[] {
  const [, wanted = "", braces = ""] = /([a-zA-Z_:][\w:]*)?\s*\{([^}]*)\}/.exec(selector) ?? [
    "",
    selector,
    "",
  ];
  const matchers = readMatchers(braces);
  const namespace = matchers.find(({ label, operator }) => label === "namespace" && operator === "=")?.value;
  const found: Found[] = [];
  for (const [name, groups] of byMetric) {
    if (wanted !== "" && wanted !== name) continue;
    const requestedGroups = namespace === undefined ? groups.values() : [groups.get(namespace) ?? []];
    for (const group of requestedGroups) {
      for (const labels of group) {
        if (matchers.every((matcher) => matches(labels, name, matcher))) found.push({ name, labels });
      }
    }
  }
  return found;
}

function evaluate(promql: string): object {
  const by = /\bby\s*\(([^)]*)\)/.exec(promql)?.[1];
  const grouped = new Map<string, object>();
  for (const { name, labels } of select(promql)) {
    const all: SeriesLabels = { __name__: name, ...labels };
    const kept = by === undefined ? Object.keys(all) : by.split(",").map((label) => label.trim());
    const metric = Object.fromEntries(kept.flatMap((label) => (label in all ? [[label, all[label]]] : [])));
    const value = name.includes("bytes") ? "134217728" : "12.345";
    grouped.set(JSON.stringify(metric), { metric, value: [Number(someTime), value] });
  }
  return { resultType: "vector", result: [...grouped.values()] };
}

function metadata(path: string, selectors: readonly string[]): object | undefined {
  const found = selectors.flatMap(select).map(({ name, labels }) => ({ __name__: name, ...labels }));
  if (path === "/api/v1/series") return found;
  if (path === "/api/v1/labels") return [...new Set(found.flatMap((labels) => Object.keys(labels)))];
  const label = /^\/api\/v1\/label\/(\w+)\/values$/.exec(path)?.[1];
  if (label === undefined) return undefined;
  return [...new Set(found.map((labels: SeriesLabels) => labels[label]))];
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
    const data = isQuery ? evaluate(promql) : metadata(url.pathname, form.getAll("match[]"));
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
