// Draws the metrics of an object; a unit of demand is what one pod carries well.
import type { FailurePolicy, MetricSpec } from "@plimsoll/core";
import type { Random } from "../random/random.ts";

type WithPolicy = MetricSpec & { readonly onMetricFailure?: FailurePolicy };

const podMetrics = ["http_requests_per_second", "busy_workers"] as const;

/** Objects that have the name of their workload; the value of the first one is for all pods together. */
const objects = {
  ingress_requests_per_second: { apiVersion: "networking.k8s.io/v1", kind: "Ingress" },
  open_connections: { apiVersion: "v1", kind: "Service" },
} as const;

const kinds = [
  "cpu",
  "cpu-value",
  "memory",
  "container",
  "pods",
  "pods",
  "ingress",
  "service",
  "queue",
] as const;
/** These have values without pods. */
const podless = ["ingress", "queue"] as const;

/** A few metrics of different kinds; one that has a value at zero replicas comes first where that is needed. */
export function drawMetrics(
  random: Random,
  workload: string,
  needs: { readonly podless: boolean; readonly policies: boolean },
): readonly WithPolicy[] {
  const count = random.pick([1, 1, 1, 2, 2, 3]);
  return Array.from({ length: count }, (_, index) => {
    const own = random.stream(String(index));
    const kind = index === 0 && needs.podless ? own.pick(podless) : own.pick(kinds);
    const metric = drawMetric(own, kind, workload);
    if (!needs.policies || own.chance(0.4)) return metric;
    return { ...metric, onMetricFailure: drawPolicy(own, metric) };
  });
}

/** One that has a value without pods. */
export function drawPodless(random: Random, workload: string): MetricSpec {
  return drawMetric(random, random.pick(podless), workload);
}

/** Two metrics whose readings have one form, and different values. */
export function drawAlike(random: Random, workload: string): readonly MetricSpec[] {
  return random
    .pick([
      ["ingress", "service"],
      ["service", "ingress"],
    ] as const)
    .map((kind) => drawMetric(random.stream(kind), kind, workload));
}

function drawMetric(random: Random, kind: (typeof kinds)[number], workload: string): MetricSpec {
  /** Of what one pod carries well. */
  const share = random.between(60, 100) / 100;
  const value = String(Math.round(1_000 * share));
  const percent = Math.round(100 * share);
  switch (kind) {
    case "cpu":
      return resource("cpu", { type: "Utilization", averageUtilization: percent });
    case "cpu-value":
      return resource("cpu", { type: "AverageValue", averageValue: `${value}m` });
    case "memory":
      return resource("memory", { type: "AverageValue", averageValue: "320Mi" });
    case "container":
      return {
        type: "ContainerResource",
        containerResource: {
          name: "cpu",
          container: "main",
          target: { type: "Utilization", averageUtilization: percent },
        },
      };
    case "pods":
      return {
        type: "Pods",
        pods: {
          metric: { name: random.pick(podMetrics) },
          target: { type: "AverageValue", averageValue: value },
        },
      };
    case "ingress":
    case "service": {
      const isIngress = kind === "ingress";
      const name = isIngress ? "ingress_requests_per_second" : "open_connections";
      const target = isIngress ? { type: "AverageValue", averageValue: value } : { type: "Value", value };
      return {
        type: "Object",
        object: { metric: { name }, describedObject: { ...objects[name], name: workload }, target },
      };
    }
    case "queue":
      return {
        type: "External",
        external: {
          metric: { name: "queue_depth", selector: { matchLabels: { queue: workload } } },
          target: { type: "AverageValue", averageValue: value },
        },
      };
  }
}

function resource(name: string, target: NonNullable<MetricSpec["resource"]>["target"]): MetricSpec {
  return { type: "Resource", resource: { name, target } };
}

function drawPolicy(random: Random, { type }: MetricSpec): FailurePolicy {
  const isAssumable = type === "Pods" || type === "Object" || type === "External";
  switch (random.pick(["HoldLast", "HoldLast", "Ignore", "Fallback", isAssumable ? "Assume" : "Ignore"])) {
    case "HoldLast":
      return { policy: "HoldLast", forSeconds: random.between(30, 600) };
    case "Fallback":
      return { policy: "Fallback", replicas: random.between(1, 8) };
    case "Assume":
      return { policy: "Assume", value: String(random.between(500, 1_500)) };
    default:
      return { policy: "Ignore" };
  }
}
