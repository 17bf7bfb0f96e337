import type { HpaSpec } from "../hpa.ts";
import type { MetricSpec, QueryMetricSource } from "../metric-spec.ts";
import type { MetricStatus } from "../status.ts";
import type { Shape } from "./convert/schema.ts";
import { querySource, specBesideMetrics, v2Spec, v2Status } from "./shapes.ts";

/**
 * A copy of untrusted data in the given shape: what has another type than the shape's is left out, and nothing
 * is converted. Undefined where nothing is left.
 */
function clean(shape: Shape, value: unknown): unknown {
  if (value === undefined || value === null) return undefined;
  if (typeof shape !== "object") return cleanScalar(shape, value);
  return Array.isArray(shape)
    ? cleanList(shape as readonly Shape[], value)
    : cleanObject(shape as { readonly [field: string]: Shape }, value);
}

/** The list itself where nothing needs to be left out. */
function cleanList([item]: readonly Shape[], value: unknown): unknown {
  if (!Array.isArray(value) || item === undefined) return undefined;
  const list = value.map((entry) => clean(item, entry));
  return list.every((entry, i) => entry !== undefined && entry === value[i])
    ? value
    : list.filter((entry) => entry !== undefined);
}

function cleanScalar(shape: Shape & string, value: unknown): unknown {
  return cleaners[shape]?.(value);
}

const textOnly = (value: unknown) => (typeof value === "string" ? value : undefined);
const whole = (value: unknown) =>
  typeof value === "number" && Number.isFinite(value) ? Math.trunc(value) : undefined;
const nothing = () => undefined;

const cleaners: Readonly<Record<Shape & string, (value: unknown) => unknown>> = {
  string: textOnly,
  integer: whole,
  int64: whole,
  quantity: (value) => (typeof value === "number" ? String(value) : textOnly(value)),
  "int-or-string": (value) => textOnly(value) ?? whole(value),
  time: (value) => (typeof value === "string" || typeof value === "object" ? value : undefined),
  strings: (value) => (Array.isArray(value) ? value.filter((item) => typeof item === "string") : undefined),
  map: cleanMap,
  boolean: nothing,
  any: nothing,
};

function cleanMap(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.fromEntries(Object.entries(value).filter(([, item]) => typeof item === "string"));
}

/** The object itself where nothing needs to be left out. */
function cleanObject(shape: { readonly [field: string]: Shape }, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  const source = value as Readonly<Record<string, unknown>>;
  let copy: Record<string, unknown> | undefined;
  for (const key in source) {
    const inner = Object.hasOwn(shape, key) && Object.hasOwn(source, key) ? shape[key] : undefined;
    const field = inner === undefined ? undefined : clean(inner, source[key]);
    if (copy === undefined && field !== undefined && field === source[key]) continue;
    copy ??= fieldsBefore(key, source);
    if (field !== undefined) copy[key] = field;
  }
  return copy ?? source;
}

function fieldsBefore(end: string, source: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const copy: Record<string, unknown> = {};
  for (const key in source) {
    if (key === end) break;
    copy[key] = source[key];
  }
  return copy;
}

/** A spec that is safe to compute with; fields of the wrong type are as good as absent. */
export function cleanSpec(spec: unknown): Partial<HpaSpec> {
  const copy = (clean(specBesideMetrics, spec) ?? {}) as Partial<HpaSpec>;
  const metrics: unknown = (spec as Partial<HpaSpec> | undefined)?.metrics;
  // An entry that is no metric stays, as one of no type: it must fail, not vanish.
  return Array.isArray(metrics) ? { ...copy, metrics: Array.from(metrics, cleanMetric) } : copy;
}

export function cleanMetric(metric: unknown): MetricSpec {
  const filled = fillMetric(clean(v2Spec, metric) ?? {});
  const query = (metric as Partial<MetricSpec> | null | undefined)?.query;
  return query === undefined ? filled : withQuery(filled, clean(querySource, query) ?? {});
}

function withQuery(metric: MetricSpec, query: Partial<QueryMetricSource>): MetricSpec {
  return { ...metric, query: { promql: "", source: "default", metric: "", ...query } };
}

export function cleanMetricStatuses(list: unknown): readonly MetricStatus[] | null {
  const statuses = clean([v2Status], list) as readonly Partial<MetricStatus>[] | undefined;
  return statuses === undefined ? null : statuses.map((status) => ({ ...status, type: status.type ?? "" }));
}

/** Go has zero values where JSON has nothing. A source carries more of them than its kind has fields. */
const zeroSource = { name: "", container: "", target: { type: "" } };
const zeroMetric = { name: "" };
const zeroObject = { kind: "", name: "" };

function fillMetric(metric: object): MetricSpec {
  const filled: Record<string, unknown> = { type: "", ...metric };
  for (const key in filled) {
    const source = filled[key];
    if (typeof source !== "object") continue;
    const { metric, describedObject }: { metric?: object; describedObject?: object } = source ?? {};
    filled[key] = {
      ...zeroSource,
      ...source,
      metric: { ...zeroMetric, ...metric },
      describedObject: { ...zeroObject, ...describedObject },
    };
  }
  return filled as object as MetricSpec;
}
