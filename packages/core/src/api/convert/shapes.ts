import { behavior, reference, scope, selector, v2Spec, v2Status } from "../shapes.ts";
import type { Shape } from "./schema.ts";

const condition: Shape = {
  type: "string",
  status: "string",
  lastTransitionTime: "time",
  reason: "string",
  message: "string",
  observedGeneration: "integer",
};

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

export const v1Object: Shape = {
  spec: { ...scope, targetCPUUtilizationPercentage: "integer" },
  status: { ...counts, currentCPUUtilizationPercentage: "integer" },
};
export const v2beta1Object: Shape = {
  spec: { ...scope, metrics: [flatSpec] },
  status: { ...counts, currentMetrics: [flatStatus], conditions },
};
export const v2Object: Shape = {
  spec: { ...scope, metrics: [v2Spec], behavior },
  status: { ...counts, currentMetrics: [v2Status], conditions },
};
