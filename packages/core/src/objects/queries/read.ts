// Reads the queries among the metrics of a WorkloadAutoscaler, and says everything that is wrong with them.
import { type Fields, fieldsOf, listOf, textOf } from "../../values/fields.ts";
import { field, invalid, type Problem, required } from "../api/validate/problem.ts";
import type { MetricTarget, QueryMetricSource } from "../metric-spec.ts";
import { liveIntervalMs, readLive } from "./live.ts";
import { queryName } from "./name.ts";

/** An entry of spec.metrics of type Query. */
export interface QueryEntry {
  /** Position in spec.metrics. */
  readonly index: number;
  readonly query: QueryMetricSource;
  /** As written. */
  readonly target: MetricTarget;
  /** Why it cannot be used: each with its field, its value and what to do. */
  readonly problems: readonly Problem[];
}

/** Queries of one object; the definition of the kind has the same bound. */
export const maxQueries = 10;
/** As those of a MetricRule, in characters. */
const sizes = { promql: 4096, source: 63, podLabel: 128 } as const;
const sourcePattern = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?$/;
const knownFields = ["promql", "source", "podLabel", "live", "target"];

/** Whether an entry of spec.metrics is a query. */
export function isQuery(metric: unknown): boolean {
  return field(fieldsOf(metric), "type") === "Query";
}

/**
 * All queries of an object, whatever its specification holds. Problems of the target are those of the metric that
 * represents the query: see `withQueries`.
 *
 * @param metrics spec.metrics of an object with this name
 */
export function readQueries(owner: string, metrics: unknown): readonly QueryEntry[] {
  const queries: QueryEntry[] = [];
  listOf(metrics).forEach((metric, index) => {
    if (isQuery(metric)) queries.push(readQuery(owner, fieldsOf(metric), { index, before: queries.length }));
  });
  return queries;
}

/** What is read from pods every second is worth an evaluation every second. */
export function livePeriod(queries: readonly QueryEntry[]): { readonly syncPeriodMs?: number } {
  const usable = queries.flatMap(({ query, problems }) => (problems.length === 0 ? (query.live ?? []) : []));
  return usable.length === 0 ? {} : { syncPeriodMs: Math.min(...usable.map(liveIntervalMs)) };
}

function readQuery(
  owner: string,
  metric: Fields,
  { index, before }: { readonly index: number; readonly before: number },
): QueryEntry {
  const path = `spec.metrics[${index}]`;
  const source = fieldsOf(field(metric, "query"));
  const content = {
    promql: field(source, "promql"),
    source: field(source, "source") ?? "default",
    podLabel: field(source, "podLabel"),
  };
  const { podLabel } = content;
  const written = field(source, "live");
  const live = written === undefined ? undefined : readLive(`${path}.query.live`, written);
  return {
    index,
    query: {
      promql: textOf(content.promql).slice(0, sizes.promql),
      source: textOf(content.source),
      ...(podLabel === undefined ? {} : { podLabel: textOf(podLabel) }),
      ...(live === undefined ? {} : { live: live.source }),
      metric: queryName(owner, { ...content, live: live?.source }),
    },
    target: fieldsOf(field(source, "target")) as object as MetricTarget,
    problems: [
      ...(before < maxQueries
        ? []
        : [
            invalid(
              path,
              before + 1,
              `an object has at most ${maxQueries} queries: use MetricRules for more`,
            ),
          ]),
      ...problemsOf(metric, `${path}.query`, content),
      ...(live?.problems ?? []),
      ...(live !== undefined && field(source, "source") !== undefined
        ? [invalid(`${path}.query.source`, content.source, "has no meaning with live: remove one of the two")]
        : []),
    ],
  };
}

function problemsOf(
  metric: Fields,
  path: string,
  { promql, source, podLabel }: Readonly<Record<"promql" | "source" | "podLabel", unknown>>,
): readonly Problem[] {
  const query = field(metric, "query");
  if (typeof query !== "object" || Array.isArray(query))
    return [required(path, "is missing: type Query needs query with promql and target")];
  const unknown = Object.keys(fieldsOf(query)).filter((name) => !knownFields.includes(name));
  return [
    ...unknown
      .slice(0, 5)
      .map((name) =>
        invalid(
          `${path}.${name.slice(0, 63)}`,
          undefined,
          `is unknown: a query has ${knownFields.join(", ")}`,
        ),
      ),
    ...textProblems(`${path}.promql`, promql, sizes.promql),
    ...(promql === undefined
      ? [required(`${path}.promql`, "is missing: write the PromQL of the metric")]
      : []),
    ...textProblems(`${path}.source`, source, sizes.source),
    ...(typeof source === "string" && source.length <= sizes.source && !sourcePattern.test(source)
      ? [
          invalid(
            `${path}.source`,
            source,
            "cannot be used: use the name of a source of the adapter's configuration, or leave it out",
          ),
        ]
      : []),
    ...textProblems(`${path}.podLabel`, podLabel, sizes.podLabel),
    ...(field(fieldsOf(query), "target") === undefined
      ? [required(`${path}.target`, "is missing: a query needs a target, such as AverageValue")]
      : []),
  ];
}

function textProblems(path: string, value: unknown, max: number): readonly Problem[] {
  if (value === undefined) return [];
  if (typeof value !== "string") return [invalid(path, value, "must be a string")];
  if (value.trim() === "")
    return [invalid(path, value, "must not be blank: write it, or leave the field out")];
  if (value.length <= max) return [];
  return [invalid(path, value, `has ${value.length} characters; at most ${max} are allowed: shorten it`)];
}
