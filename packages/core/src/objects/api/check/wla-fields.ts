// The fields of a WorkloadAutoscaler, to find those that it does not have.
import type { Remark } from "../../../values/fields.ts";
import { everyObject } from "../convert/shapes.ts";
import { behavior, querySource, scope, target, v2Spec } from "../shapes.ts";
import { fieldProblems } from "./fields.ts";
import type { Fieldset } from "./place.ts";

const { metric: _, ...query } = querySource;

/** As the CustomResourceDefinition has them. */
const wlaObject: Fieldset = {
  ...everyObject,
  spec: {
    ...scope,
    behavior,
    metrics: [
      {
        ...v2Spec,
        query: { ...query, target },
        onMetricFailure: {
          policy: "string",
          forSeconds: "integer",
          afterSeconds: "integer",
          value: "quantity",
          replicas: "integer",
          allowScaleDown: "boolean",
        },
      },
    ],
    mode: "string",
    adopt: "string",
    pause: { reason: "string", until: "time" },
    tuning: {
      syncPeriodSeconds: "integer",
      tolerance: "quantity",
      cpuInitializationPeriodSeconds: "integer",
      initialReadinessDelaySeconds: "integer",
      downscaleStabilizationSeconds: "integer",
      upscaleDelaySeconds: "integer",
      downscaleDelaySeconds: "integer",
    },
    schedules: [
      {
        name: "string",
        timeZone: "string",
        start: "string",
        end: "string",
        duration: "string",
        minReplicas: "integer",
        maxReplicas: "integer",
        replicas: "integer",
        ramp: { over: "string", steps: "integer" },
        precedence: "string",
        exclusions: [
          {
            date: "string",
            from: "string",
            to: "string",
            weekdays: "strings",
            calendar: "string",
            calendarName: "string",
          },
        ],
      },
    ],
  },
  status: "any",
};

/** Fields that a WorkloadAutoscaler does not have, and values of another type. */
export function wlaFieldProblems(wla: unknown): readonly Remark[] {
  return fieldProblems(wla, wlaObject, "WorkloadAutoscaler").map(
    ({ kind: _kind, meant: _meant, ...problem }) => problem,
  );
}
