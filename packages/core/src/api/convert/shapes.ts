import type { Shape } from "./schema.ts";

const selector: Shape = {
  matchLabels: "map",
  matchExpressions: [{ key: "string", operator: "string", values: "strings" }],
};
const reference: Shape = { kind: "string", name: "string", apiVersion: "string" };
const condition: Shape = {
  type: "string",
  status: "string",
  lastTransitionTime: "time",
  reason: "string",
  message: "string",
  observedGeneration: "integer",
};

const identifier: Shape = { name: "string", selector };
const target: Shape = {
  type: "string",
  value: "quantity",
  averageValue: "quantity",
  averageUtilization: "integer",
};
const current: Shape = { value: "quantity", averageValue: "quantity", averageUtilization: "integer" };

/** autoscaling/v2; v2beta2 is the same without tolerances. */
export const v2Spec: Shape = {
  type: "string",
  object: { describedObject: reference, metric: identifier, target },
  pods: { metric: identifier, target },
  resource: { name: "string", target },
  containerResource: { name: "string", container: "string", target },
  external: { metric: identifier, target },
};

export const v2Status: Shape = {
  type: "string",
  object: { describedObject: reference, metric: identifier, current },
  pods: { metric: identifier, current },
  resource: { name: "string", current },
  containerResource: { name: "string", container: "string", current },
  external: { metric: identifier, current },
};

const rules: Shape = {
  stabilizationWindowSeconds: "integer",
  selectPolicy: "string",
  policies: [{ type: "string", value: "integer", periodSeconds: "integer" }],
  tolerance: "quantity",
};
export const behavior: Shape = { scaleUp: rules, scaleDown: rules };

/** v1's annotations and v2beta1 spell a metric's target out in flat fields. */
export const flatSpec: Shape = {
  type: "string",
  object: {
    target: reference,
    metricName: "string",
    targetValue: "quantity",
    selector,
    averageValue: "quantity",
  },
  pods: { metricName: "string", targetAverageValue: "quantity", selector },
  resource: { name: "string", targetAverageUtilization: "integer", targetAverageValue: "quantity" },
  containerResource: {
    name: "string",
    container: "string",
    targetAverageUtilization: "integer",
    targetAverageValue: "quantity",
  },
  external: {
    metricName: "string",
    metricSelector: selector,
    targetValue: "quantity",
    targetAverageValue: "quantity",
  },
};

export const flatStatus: Shape = {
  type: "string",
  object: {
    target: reference,
    metricName: "string",
    currentValue: "quantity",
    selector,
    averageValue: "quantity",
  },
  pods: { metricName: "string", currentAverageValue: "quantity", selector },
  resource: { name: "string", currentAverageUtilization: "integer", currentAverageValue: "quantity" },
  containerResource: {
    name: "string",
    container: "string",
    currentAverageUtilization: "integer",
    currentAverageValue: "quantity",
  },
  external: {
    metricName: "string",
    metricSelector: selector,
    currentValue: "quantity",
    currentAverageValue: "quantity",
  },
};

export const conditions: Shape = [condition];

const counts = {
  observedGeneration: "integer",
  lastScaleTime: "time",
  currentReplicas: "integer",
  desiredReplicas: "integer",
} as const;
const scope = { scaleTargetRef: reference, minReplicas: "integer", maxReplicas: "integer" } as const;

export const v1Object: Shape = {
  spec: { ...scope, targetCPUUtilizationPercentage: "integer" },
  status: { ...counts, currentCPUUtilizationPercentage: "integer" },
};
export const v2beta1Object: Shape = {
  spec: { ...scope, metrics: [flatSpec] },
  status: { ...counts, currentMetrics: [flatStatus], conditions },
};
export const hpaSpec: Shape = { ...scope, metrics: [v2Spec], behavior };
export const v2Object: Shape = {
  spec: hpaSpec,
  status: { ...counts, currentMetrics: [v2Status], conditions },
};
