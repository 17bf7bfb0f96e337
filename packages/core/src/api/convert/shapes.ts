// The fields of HPAs of each version, by type.
import { behavior, scope, v2Spec, v2Status } from "../shapes.ts";
import { flatSpec, flatStatus } from "./flat.ts";
import type { Shape } from "./schema.ts";

const condition: Shape = {
  type: "string",
  status: "string",
  lastTransitionTime: "time",
  reason: "string",
  message: "string",
  observedGeneration: "integer",
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
