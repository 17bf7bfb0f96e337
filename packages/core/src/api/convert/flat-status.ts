import { compact, type Json } from "./schema.ts";

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric statuses, v1 → internal) */
export function statusFromFlat(flat: Json): Json {
  const { object, pods, resource, containerResource, external } = flat as Record<string, Json | undefined>;
  return compact({
    type: flat["type"],
    object: object && {
      describedObject: object["target"] ?? {},
      metric: identifier(object["metricName"], object["selector"]),
      current: compact({ value: object["currentValue"] ?? "0", averageValue: object["averageValue"] }),
    },
    pods: pods && {
      metric: identifier(pods["metricName"], pods["selector"]),
      current: { averageValue: pods["currentAverageValue"] ?? "0" },
    },
    resource: resource && { name: resource["name"], current: resourceCurrent(resource) },
    containerResource: containerResource && {
      name: containerResource["name"],
      container: containerResource["container"],
      current: resourceCurrent(containerResource),
    },
    external: external && {
      metric: identifier(external["metricName"], external["metricSelector"]),
      current: compact({
        value: external["currentValue"] ?? "0",
        averageValue: external["currentAverageValue"],
      }),
    },
  });
}

function resourceCurrent(flat: Json): Json {
  return compact({
    averageValue: flat["currentAverageValue"] ?? "0",
    averageUtilization: flat["currentAverageUtilization"],
  });
}

function identifier(name: unknown, selector: unknown): Json {
  return compact({ name: name ?? "", selector });
}

/** @upstream pkg/apis/autoscaling/v1/conversion.go (metric statuses, internal → v1) */
export function statusToFlat(status: Json): Json {
  const { object, pods, resource, containerResource, external } = status as Record<string, Json | undefined>;
  const current = (source: Json) => (source["current"] ?? {}) as Json;
  const metric = (source: Json) => (source["metric"] ?? {}) as Json;
  const flatResource = (source: Json) => ({
    name: source["name"],
    container: source["container"],
    currentAverageUtilization: current(source)["averageUtilization"],
    currentAverageValue: current(source)["averageValue"] ?? "0",
  });
  return compact({
    type: status["type"] ?? "",
    object:
      object &&
      compact({
        target: object["describedObject"] ?? {},
        metricName: metric(object)["name"] ?? "",
        currentValue: current(object)["value"] ?? "0",
        selector: metric(object)["selector"],
        averageValue: current(object)["averageValue"],
      }),
    pods:
      pods &&
      compact({
        metricName: metric(pods)["name"] ?? "",
        currentAverageValue: current(pods)["averageValue"] ?? "0",
        selector: metric(pods)["selector"],
      }),
    resource: resource && compact(flatResource(resource)),
    containerResource: containerResource && compact(flatResource(containerResource)),
    external:
      external &&
      compact({
        metricName: metric(external)["name"] ?? "",
        metricSelector: metric(external)["selector"],
        currentValue: current(external)["value"] ?? "0",
        currentAverageValue: current(external)["averageValue"],
      }),
  });
}
