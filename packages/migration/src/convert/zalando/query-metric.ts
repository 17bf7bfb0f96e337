// A metric whose PromQL query is in the annotations of an HPA.
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { redactUrl } from "@plimsoll/core/redact";
import { addressProblem } from "@plimsoll/prometheus";
import type { Findings } from "../findings.ts";
import type { NeededServer } from "../needed-rule.ts";
import { isUsableQuery } from "../promql-query.ts";
import { textOf } from "../values.ts";
import { type MetricConfig, settingPath } from "./metric-config.ts";
import type { MetricPlace } from "./metric-place.ts";

export interface QueryMetric {
  /** Distinguishes the queries of one object. */
  readonly name: string;
  readonly promql: string;
  readonly server: NeededServer | undefined;
  /** Of an External metric. */
  readonly target: Fields;
}

export function readQueryMetric(
  place: MetricPlace,
  config: MetricConfig | undefined,
  findings: Findings,
): QueryMetric | undefined {
  const { matchLabels } = fieldsOf(fieldsOf(place.source["metric"])["selector"]);
  const labels = fieldsOf(matchLabels);
  const setting = (key: string) => config?.settings.get(key) ?? textOf(labels[key]);
  // An old way: the label query-name says which annotation has the query.
  const queryName = setting("query-name");
  const key = setting("query") === undefined && queryName !== undefined ? queryName : "query";
  const query = setting(key);
  const at = (name: string) => settingPath({ ...place, collector: "prometheus" }, name);
  if (query === undefined) {
    findings.problem({
      path: `${place.path}.metric.name`,
      value: place.name,
      message: "has no query",
      remedy: `add the annotation metric-config.${place.type.toLowerCase()}.${place.name}.prometheus/query`,
    });
    return undefined;
  }
  const server =
    place.type === "Object" ? ownServer(setting, at, findings) : readServer(setting, at, findings);
  const target = targetOf(place, setting("per-replica") !== undefined, findings);
  noteOthers(config, { key, at }, findings);
  const isUsable = isUsableQuery(query, at(key), findings);
  if (!isUsable || target === undefined || server === "refused") return undefined;
  return { name: key === "query" ? place.name : key, promql: query.trim(), server, target };
}

/** An Object metric of a query is about no object: as an External metric it scales alike. */
function targetOf(place: MetricPlace, isPerReplica: boolean, findings: Findings): Fields | undefined {
  const target = fieldsOf(place.source["target"]);
  if (place.type === "Object")
    findings.note({
      path: place.path,
      message: "is converted to an External metric: its object doesn't affect the query",
      remedy: "nothing to do",
    });
  if (!isPerReplica || place.type !== "Object") return target;
  if (target["type"] === "Value") return { type: "AverageValue", averageValue: target["value"] };
  findings.problem({
    path: `${place.path}.target.type`,
    value: target["type"],
    message: "divides by the replicas, as does the annotation per-replica",
    remedy: "remove the annotation",
  });
  return undefined;
}

type Setting = (key: string) => string | undefined;

/** Object metrics are read from the server of kube-metrics-adapter itself. */
function ownServer(setting: Setting, at: (key: string) => string, findings: Findings): undefined {
  for (const key of ["prometheus-server", "prometheus-server-alias"]) {
    const value = setting(key);
    if (value === undefined) continue;
    findings.note({
      path: at(key),
      value: redactUrl(value),
      message: "is left out: kube-metrics-adapter reads it for External metrics only",
      remedy: "nothing to do; it had no effect",
    });
  }
}

function readServer(
  setting: Setting,
  at: (key: string) => string,
  findings: Findings,
): NeededServer | undefined | "refused" {
  const address = setting("prometheus-server")?.trim();
  const alias = setting("prometheus-server-alias")?.trim();
  if (address !== undefined && address !== "") return serverAt(address, at("prometheus-server"), findings);
  if (alias === undefined || alias === "") return undefined;
  const name = alias.toLowerCase();
  if (!/^[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) {
    const message = "is not a name of a source, which has lowercase letters, digits, and dashes";
    findings.problem({
      path: at("prometheus-server-alias"),
      value: alias,
      message,
      remedy: "use another alias",
    });
    return "refused";
  }
  findings.note({
    path: at("prometheus-server-alias"),
    value: alias,
    message: `is converted to source: ${name}`,
    remedy: "add a source of this name to --sources-config, with the URL of --additional-prometheus-server",
  });
  return { kind: "name", name };
}

function serverAt(address: string, path: string, findings: Findings): NeededServer | "refused" {
  const problem = addressProblem(address);
  if (problem !== undefined) {
    findings.problem({ path, value: redactUrl(address), message: problem, remedy: "correct it" });
    return "refused";
  }
  const url = new URL(address);
  if (url.username !== "" || url.password !== "" || url.search !== "")
    findings.note({
      path,
      value: redactUrl(address),
      message: "has a user, a password or parameters, which are left out",
      remedy: "set auth of the source in --sources-config",
    });
  return {
    kind: "address",
    url: `${url.origin}${url.pathname.replace(/\/+$/, "")}`,
    headers: {},
    timeout: undefined,
    isUnverified: false,
    credentials: JSON.stringify([url.username, url.password, url.search]),
  };
}

const known = ["query", "query-name", "prometheus-server", "prometheus-server-alias", "per-replica"];

function noteOthers(
  config: MetricConfig | undefined,
  { key, at }: { readonly key: string; readonly at: (key: string) => string },
  findings: Findings,
): void {
  for (const [name, value] of config?.settings ?? []) {
    // With the old way one metric has the queries of several.
    if (known.includes(name) || name === key || key !== "query") continue;
    const isInterval = name === "interval";
    findings.note({
      path: at(name),
      ...(isInterval ? { value } : {}),
      message: isInterval
        ? "is left out: each evaluation reads the query, shared by all objects within --metrics-result-max-age"
        : "is not a setting of the collector, and is left out",
      remedy: "nothing to do",
    });
  }
}
