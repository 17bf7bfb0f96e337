import { isRecord, type JsonRecord, recordAt, stringAt } from "../storage/json-value.ts";

type Side = "target" | "current";

/** The v2 metric (spec or status side) in the flat v1 shape that goes into an annotation. */
export function metricToV1(metric: JsonRecord, side: Side): JsonRecord {
  const kind = sourceKey(metric);
  const source = recordAt(metric, kind) ?? {};
  const value = recordAt(source, side) ?? {};
  const name = recordAt(source, "metric") ?? {};
  const named = { metricName: name["name"], ...optional("selector", name["selector"]) };
  const average = field(side, "AverageValue");
  switch (kind) {
    case "pods":
      return shape(metric, kind, { ...named, [average]: value["averageValue"] });
    case "object":
      return shape(metric, kind, {
        target: source["describedObject"],
        metricName: name["name"],
        [side === "target" ? "targetValue" : "currentValue"]: value["value"] ?? "0",
        ...optional("selector", name["selector"]),
        ...optional("averageValue", value["averageValue"]),
      });
    case "external":
      return shape(metric, kind, {
        metricName: name["name"],
        ...optional("metricSelector", name["selector"]),
        ...optional(side === "target" ? "targetValue" : "currentValue", value["value"]),
        ...optional(average, value["averageValue"]),
      });
    default:
      return shape(metric, kind, {
        name: source["name"],
        ...optional(field(side, "AverageUtilization"), value["averageUtilization"]),
        ...optional(average, value["averageValue"]),
        ...optional("container", source["container"]),
      });
  }
}

export function metricFromV1(metric: JsonRecord, side: Side): JsonRecord {
  const kind = sourceKey(metric);
  const source = recordAt(metric, kind) ?? {};
  const total = source[side === "target" ? "targetValue" : "currentValue"];
  const average = source[field(side, "AverageValue")];
  const utilization = source[field(side, "AverageUtilization")];
  const typed = (type: string): JsonRecord => (side === "target" ? { type } : {});
  const named = (selector: unknown): JsonRecord => ({
    name: source["metricName"],
    ...optional("selector", selector),
  });
  switch (kind) {
    case "pods":
      return shape(metric, kind, {
        metric: named(source["selector"]),
        [side]: { ...typed("AverageValue"), averageValue: average },
      });
    case "object":
      return shape(metric, kind, {
        describedObject: source["target"],
        metric: named(source["selector"]),
        [side]: {
          ...typed(source["averageValue"] === undefined ? "Value" : "AverageValue"),
          value: total,
          ...optional("averageValue", source["averageValue"]),
        },
      });
    case "external":
      return shape(metric, kind, {
        metric: named(source["metricSelector"]),
        [side]: {
          ...typed(total === undefined ? "AverageValue" : "Value"),
          ...optional("value", total),
          ...optional("averageValue", average),
        },
      });
    default:
      return shape(metric, kind, {
        name: source["name"],
        ...optional("container", source["container"]),
        [side]: {
          ...typed(utilization === undefined ? "AverageValue" : "Utilization"),
          ...optional("averageUtilization", utilization),
          ...optional("averageValue", average),
        },
      });
  }
}

// The annotation holds the internal Go type, whose JSON keys are the Go field names.
export function behaviorToGoNames(value: unknown): unknown {
  return renamed(value, (key) => key.charAt(0).toUpperCase() + key.slice(1));
}

export function behaviorFromGoNames(value: unknown): unknown {
  return renamed(value, (key) => key.charAt(0).toLowerCase() + key.slice(1));
}

function renamed(value: unknown, rename: (key: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => renamed(item, rename));
  if (!isRecord(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== null);
  return Object.fromEntries(entries.map(([key, item]) => [rename(key), renamed(item, rename)]));
}

function sourceKey(metric: JsonRecord): string {
  const type = stringAt(metric, "type") ?? "Resource";
  return type.charAt(0).toLowerCase() + type.slice(1);
}

function field(side: Side, name: string): string {
  return `${side}${name}`;
}

function shape(metric: JsonRecord, kind: string, source: JsonRecord): JsonRecord {
  return { type: metric["type"], [kind]: source };
}

function optional(key: string, value: unknown): JsonRecord {
  return value === undefined || value === null ? {} : { [key]: value };
}
