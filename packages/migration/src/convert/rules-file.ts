// Writes the rules and sources that converted objects need, as files of metrics-adapter.
import { Document } from "yaml";
import type { NeededRule, NeededServer } from "./needed-rule.ts";

/** Files of metrics-adapter, as data. Both are empty when no object needs a rule. */
export interface AdapterFiles {
  readonly rules: { readonly externalRules: readonly object[] };
  readonly sources: { readonly sources: readonly object[] };
  /** The only address, which needs no name: --prometheus-url may be it. */
  readonly onlyAddress: string | undefined;
  /** The source that a rule names; undefined: the default one. */
  sourceOf(rule: NeededRule): string | undefined;
}

/**
 * A series that every Prometheus has: rules of fixed queries are listed while it exists, whatever becomes of the series
 * that they are about.
 */
const anySeries = "up";

export function adapterFiles(needed: readonly NeededRule[]): AdapterFiles {
  const servers = new Map<string, NeededServer>();
  for (const { server } of needed) if (server !== undefined) servers.set(JSON.stringify(server), server);
  const [only] = servers.values();
  const isOne = servers.size === 1 && needed.every(({ server }) => server !== undefined);
  const onlyAddress = isOne && only?.kind === "address" ? only.url : undefined;
  const names = onlyAddress === undefined ? sourceNames(servers) : new Map<string, string>();
  const isPlain = only?.kind === "address" && isPlainAddress(only);
  const sources = [...servers].flatMap(([key, server]) => {
    if (server.kind === "name" || (onlyAddress !== undefined && isPlain)) return [];
    return [sourceOf(names.get(key) ?? "default", server)];
  });
  const nameOfSource = ({ server }: NeededRule): string | undefined =>
    server === undefined ? undefined : names.get(JSON.stringify(server));
  const externalRules = needed.map((rule) => {
    const { metric, promql } = rule;
    const source = nameOfSource(rule);
    return {
      seriesQuery: anySeries,
      ...(source === undefined ? {} : { source }),
      resources: { namespaced: false },
      // A dollar sign begins a reference to a group.
      name: { as: metric.replaceAll("$", "$$$$") },
      metricsQuery: asTemplate(promql),
    };
  });
  return { rules: { externalRules }, sources: { sources }, onlyAddress, sourceOf: nameOfSource };
}

/** A file's text, in the order of the rules. */
export function fileText(content: object): string {
  return new Document(content, { aliasDuplicateObjects: false }).toString({ lineWidth: 0 });
}

/** What opens a template in PromQL, as text of a template. */
function asTemplate(promql: string): string {
  return promql.replaceAll("<<", '<<"<<">>');
}

function isPlainAddress(server: Extract<NeededServer, { kind: "address" }>): boolean {
  const { awsRegion, headers } = server;
  if (awsRegion !== undefined) return false;
  return Object.keys(headers).length === 0 && server.timeout === undefined && !server.isUnverified;
}

function sourceOf(name: string, server: Extract<NeededServer, { kind: "address" }>): object {
  return {
    name,
    url: server.url,
    ...(Object.keys(server.headers).length === 0 ? {} : { headers: server.headers }),
    ...(server.awsRegion === undefined ? {} : { auth: { type: "sigv4", region: server.awsRegion } }),
    ...(server.isUnverified ? { tls: { insecureSkipVerify: true } } : {}),
    ...(server.timeout === undefined ? {} : { query: { timeout: server.timeout } }),
  };
}

/** A DNS label for each server, out of its host. */
function sourceNames(servers: ReadonlyMap<string, NeededServer>): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set([...servers.values()].flatMap((one) => (one.kind === "name" ? [one.name] : [])));
  for (const [key, server] of servers) {
    if (server.kind === "name") {
      names.set(key, server.name);
      continue;
    }
    const stem = labelOf(server.url);
    let name = stem;
    for (let next = 2; taken.has(name); next++) name = `${stem}-${next}`;
    taken.add(name);
    names.set(key, name);
  }
  return names;
}

function labelOf(url: string): string {
  const host = URL.parse(url)?.hostname ?? "";
  const label = host
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, "-")
    .slice(0, 50)
    .replaceAll(/^-+|-+$/g, "");
  return label === "" || label === "default" ? "prometheus" : label;
}
