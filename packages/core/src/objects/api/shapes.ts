// The fields of an autoscaling/v2 specification, by type.
import type { Shape } from "./convert/schema.ts";

const selector: Shape = {
  matchLabels: "map",
  matchExpressions: [{ key: "string", operator: "string", values: "strings" }],
};
const reference: Shape = { kind: "string", name: "string", apiVersion: "string" };

const identifier: Shape = { name: "string", selector };
export const target: Shape = {
  type: "string",
  value: "quantity",
  averageValue: "quantity",
  averageUtilization: "integer",
};
const current: Shape = { value: "quantity", averageValue: "quantity", averageUtilization: "integer" };

/** autoscaling/v2; v2beta2 is the same without tolerances. */
export const v2Spec = {
  type: "string",
  object: { describedObject: reference, metric: identifier, target },
  pods: { metric: identifier, target },
  resource: { name: "string", target },
  containerResource: { name: "string", container: "string", target },
  external: { metric: identifier, target },
} as const satisfies Shape;

/** What a WorkloadAutoscaler's query adds to the metric that represents it. */
export const querySource = {
  promql: "string",
  source: "string",
  podLabel: "string",
  live: {
    port: "int-or-string",
    path: "string",
    interval: "string",
    scheme: "string",
    podSelector: selector,
  },
  metric: "string",
} as const satisfies Shape;

export const v2Status: Shape = {
  type: "string",
  object: { describedObject: reference, metric: identifier, current },
  pods: { metric: identifier, current },
  resource: { name: "string", current },
  containerResource: { name: "string", container: "string", current },
  external: { metric: identifier, current },
};

const rules = {
  stabilizationWindowSeconds: "integer",
  selectPolicy: "string",
  policies: [{ type: "string", value: "integer", periodSeconds: "integer" }],
} as const satisfies Shape;
const tolerantRules: Shape = { ...rules, tolerance: "quantity" };
export const behavior: Shape = { scaleUp: tolerantRules, scaleDown: tolerantRules };
export const v2beta2Behavior: Shape = { scaleUp: rules, scaleDown: rules };

export const scope = { scaleTargetRef: reference, minReplicas: "integer", maxReplicas: "integer" } as const;
/** A v2 spec but for its metrics. */
export const specBesideMetrics: Shape = { ...scope, behavior };
