// The fields of HPAs of each version, by type.
import { behavior, scope, v2beta2Behavior, v2Spec, v2Status } from "../shapes.ts";
import { flatSpec, flatStatus } from "./flat.ts";
import type { Shape } from "./schema.ts";

const condition: Shape = {
  type: "string",
  status: "string",
  lastTransitionTime: "time",
  reason: "string",
  message: "string",
  observedGeneration: "int64",
};

export const conditions: Shape = [condition];

const counts = {
  observedGeneration: "int64",
  lastScaleTime: "time",
  currentReplicas: "integer",
  desiredReplicas: "integer",
} as const;

export const v1Object = {
  spec: { ...scope, targetCPUUtilizationPercentage: "integer" },
  status: { ...counts, currentCPUUtilizationPercentage: "integer" },
} as const satisfies Shape;
export const v2beta1Object = {
  spec: { ...scope, metrics: [flatSpec] },
  status: { ...counts, currentMetrics: [flatStatus], conditions },
} as const satisfies Shape;
export const v2Object = {
  spec: { ...scope, metrics: [v2Spec], behavior },
  status: { ...counts, currentMetrics: [v2Status], conditions },
} as const satisfies Shape;
export const v2beta2Object = {
  spec: { ...scope, metrics: [v2Spec], behavior: v2beta2Behavior },
  status: { ...counts, currentMetrics: [v2Status], conditions },
} as const satisfies Shape;

/** The fields that every object of the API has. */
export const everyObject = {
  apiVersion: "string",
  kind: "string",
  metadata: {
    name: "string",
    generateName: "string",
    namespace: "string",
    selfLink: "string",
    uid: "string",
    resourceVersion: "string",
    generation: "int64",
    creationTimestamp: "time",
    deletionTimestamp: "time",
    deletionGracePeriodSeconds: "int64",
    labels: "map",
    annotations: "map",
    ownerReferences: [
      {
        apiVersion: "string",
        kind: "string",
        name: "string",
        uid: "string",
        controller: "boolean",
        blockOwnerDeletion: "boolean",
      },
    ],
    finalizers: "strings",
    managedFields: "any",
  },
} as const satisfies Shape;
