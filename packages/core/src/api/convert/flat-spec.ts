import { compact, type Json } from "./schema.ts";

/** v2beta1 gives an Object metric a value even beside an average, and forgets which container is meant. */
export type FlatDialect = "v1" | "v2beta1";

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric sources, v1 → internal) */
export function specFromFlat(flat: Json, dialect: FlatDialect): Json {
  const { object, pods, resource, containerResource, external } = flat as Record<string, Json | undefined>;
  return compact({
    type: flat["type"],
    object: object && objectFromFlat(object, dialect),
    pods: pods && {
      metric: identifier(pods["metricName"], pods["selector"]),
      target: { type: "AverageValue", averageValue: pods["targetAverageValue"] ?? "0" },
    },
    resource: resource && { name: resource["name"], target: resourceTarget(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      container: dialect === "v1" ? containerResource["container"] : "",
      target: resourceTarget(containerResource),
    },
    external: external && {
      metric: identifier(external["metricName"], external["metricSelector"]),
      target: compact({
        type: external["targetValue"] === undefined ? "AverageValue" : "Value",
        value: external["targetValue"],
        averageValue: external["targetAverageValue"],
      }),
    },
  });
}

function objectFromFlat(object: Json, dialect: FlatDialect): Json {
  const { averageValue } = object;
  const value = object["targetValue"] ?? "0";
  const isAverage = averageValue !== undefined;
  // The flat form cannot leave the value out; v1 takes a zero beside an average for absent.
  const isDropped = dialect === "v1" && isAverage && value === "0";
  return {
    describedObject: object["target"] ?? {},
    metric: identifier(object["metricName"], object["selector"]),
    target: compact({
      type: isAverage ? "AverageValue" : "Value",
      value: isDropped ? undefined : value,
      averageValue,
    }),
  };
}

function resourceTarget(flat: Json): Json {
  const averageUtilization = flat["targetAverageUtilization"];
  return compact({
    type: averageUtilization === undefined ? "AverageValue" : "Utilization",
    averageValue: flat["targetAverageValue"],
    averageUtilization,
  });
}

function identifier(name: unknown, selector: unknown): Json {
  return compact({ name: name ?? "", selector });
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric sources, internal → v1) */
export function specToFlat(spec: Json, dialect: FlatDialect): Json {
  const { object, pods, resource, containerResource, external } = spec as Record<string, Json | undefined>;
  const target = (source: Json) => (source["target"] ?? {}) as Json;
  const metric = (source: Json) => (source["metric"] ?? {}) as Json;
  const flatResource = (source: Json) => ({
    name: source["name"],
    container: source["container"],
    targetAverageUtilization: target(source)["averageUtilization"],
    targetAverageValue: target(source)["averageValue"],
  });
  return compact({
    type: spec["type"] ?? "",
    object:
      object &&
      compact({
        target: object["describedObject"] ?? {},
        metricName: metric(object)["name"] ?? "",
        targetValue: target(object)["value"] ?? "0",
        selector: metric(object)["selector"],
        averageValue: target(object)["averageValue"],
      }),
    pods:
      pods &&
      compact({
        metricName: metric(pods)["name"] ?? "",
        targetAverageValue: target(pods)["averageValue"] ?? "0",
        selector: metric(pods)["selector"],
      }),
    resource: resource && compact(flatResource(resource)),
    containerResource:
      containerResource &&
      compact({ ...flatResource(containerResource), ...(dialect === "v1" ? {} : { container: "" }) }),
    external:
      external &&
      compact({
        metricName: metric(external)["name"] ?? "",
        metricSelector: metric(external)["selector"],
        targetValue: target(external)["value"],
        targetAverageValue: target(external)["averageValue"],
      }),
  });
}
