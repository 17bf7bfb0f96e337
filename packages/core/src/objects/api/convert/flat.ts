// v1's annotations and v2beta1 spell out in flat fields what v2 nests.
import { v2Spec, v2Status } from "../shapes.ts";
import { compact, type Json, type Shape } from "./schema.ts";

/** v2beta1 gives an Object metric a value even beside an average, and forgets which container is meant. */
export type FlatDialect = "v1" | "v2beta1";

/** By flat field: where v2 has it, and the zero value of a field that Go does not leave out. */
type FlatFields = Readonly<Record<string, readonly [path: string, zero?: unknown]>>;

/** By the kind of a metric's source. In the order in which upstream prints the fields. */
type FlatSources = Readonly<Record<string, FlatFields>>;

const specSources: FlatSources = {
  object: {
    target: ["describedObject", {}],
    metricName: ["metric.name", ""],
    targetValue: ["target.value", "0"],
    selector: ["metric.selector"],
    averageValue: ["target.averageValue"],
  },
  pods: {
    metricName: ["metric.name", ""],
    targetAverageValue: ["target.averageValue", "0"],
    selector: ["metric.selector"],
  },
  resource: {
    name: ["name"],
    targetAverageUtilization: ["target.averageUtilization"],
    targetAverageValue: ["target.averageValue"],
  },
  containerResource: {
    name: ["name"],
    container: ["container"],
    targetAverageUtilization: ["target.averageUtilization"],
    targetAverageValue: ["target.averageValue"],
  },
  external: {
    metricName: ["metric.name", ""],
    metricSelector: ["metric.selector"],
    targetValue: ["target.value"],
    targetAverageValue: ["target.averageValue"],
  },
};

const statusSources: FlatSources = {
  object: {
    target: ["describedObject", {}],
    metricName: ["metric.name", ""],
    currentValue: ["current.value", "0"],
    selector: ["metric.selector"],
    averageValue: ["current.averageValue"],
  },
  pods: {
    metricName: ["metric.name", ""],
    currentAverageValue: ["current.averageValue", "0"],
    selector: ["metric.selector"],
  },
  resource: {
    name: ["name"],
    currentAverageUtilization: ["current.averageUtilization"],
    currentAverageValue: ["current.averageValue", "0"],
  },
  containerResource: {
    name: ["name"],
    container: ["container"],
    currentAverageUtilization: ["current.averageUtilization"],
    currentAverageValue: ["current.averageValue", "0"],
  },
  external: {
    metricName: ["metric.name", ""],
    metricSelector: ["metric.selector"],
    currentValue: ["current.value", "0"],
    currentAverageValue: ["current.averageValue"],
  },
};

/** Where autoscaling/v2 has a flat field of a metric's source, such as "target.averageUtilization". */
export function nestedPlace(source: string, flat: string): string | undefined {
  const fields = specSources[source];
  return fields !== undefined && Object.hasOwn(fields, flat) ? fields[flat]?.[0] : undefined;
}

export const flatSpec = flatShape(specSources, v2Spec);
export const flatStatus = flatShape(statusSources, v2Status);

function flatShape(sources: FlatSources, v2: Shape): Shape {
  const shapes = mapSources(sources, v2 as object as Json, (fields, source) =>
    Object.fromEntries(Object.entries(fields).map(([name, [path]]) => [name, valueAt(source, path)])),
  );
  return { type: "string", ...(shapes as Record<string, Shape>) };
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric sources, v1 → internal) */
export function specFromFlat(flat: Json, dialect: FlatDialect): Json {
  return compact({
    type: flat["type"],
    ...mapSources(specSources, flat, (fields, source, kind) => {
      const { target, ...nested } = nest(fields, source);
      if (kind === "containerResource" && dialect === "v2beta1") nested["container"] = "";
      return { ...nested, target: typedTarget((target ?? {}) as Json, kind, dialect) };
    }),
  });
}

function typedTarget(
  { value, averageValue, averageUtilization }: Json,
  kind: string,
  dialect: FlatDialect,
): Json {
  const isAverage = kind === "object" ? averageValue !== undefined : value === undefined;
  // The flat form cannot leave the value out; v1 takes a zero beside an average for absent.
  const isDropped = kind === "object" && dialect === "v1" && isAverage && value === "0";
  const type = averageUtilization === undefined ? (isAverage ? "AverageValue" : "Value") : "Utilization";
  return compact({ type, value: isDropped ? undefined : value, averageValue, averageUtilization });
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric sources, internal → v1) */
export function specToFlat(spec: Json, dialect: FlatDialect): Json {
  const flat = flattened(specSources, spec);
  if (flat["containerResource"] === undefined || dialect === "v1") return flat;
  return { ...flat, containerResource: { ...(flat["containerResource"] as Json), container: "" } };
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric statuses, v1 → internal) */
export function statusFromFlat(flat: Json): Json {
  return compact({ type: flat["type"], ...mapSources(statusSources, flat, nest) });
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric statuses, internal → v1) */
export function statusToFlat(status: Json): Json {
  return flattened(statusSources, status);
}

function flattened(sources: FlatSources, v2: Json): Json {
  const flat = mapSources(sources, v2, (fields, source) =>
    compact(
      Object.fromEntries(
        Object.entries(fields).map(([name, [path, zero]]) => [name, valueAt(source, path) ?? zero]),
      ),
    ),
  );
  return { type: v2["type"] ?? "", ...flat };
}

function nest(fields: FlatFields, flat: Json): Json {
  const nested: Json = {};
  for (const [name, [path, zero]] of Object.entries(fields)) {
    const value = flat[name] ?? zero;
    const [group = "", key] = path.split(".");
    if (value === undefined) continue;
    nested[group] = key === undefined ? value : { ...(nested[group] as Json | undefined), [key]: value };
  }
  return nested;
}

function valueAt(source: Json, path: string): unknown {
  return path.split(".").reduce<unknown>((value, key) => (value as Json | undefined)?.[key], source);
}

/** The sources that a metric has, each converted. */
function mapSources(
  sources: FlatSources,
  metric: Json,
  convert: (fields: FlatFields, source: Json, kind: string) => Json,
): Json {
  const present = Object.entries(sources).filter(([kind]) => metric[kind] !== undefined);
  return Object.fromEntries(
    present.map(([kind, fields]) => [kind, convert(fields, metric[kind] as Json, kind)]),
  );
}
