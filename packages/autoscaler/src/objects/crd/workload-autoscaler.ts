// The definition of WorkloadAutoscalers.
import { metricSpec, metricStatus, scaleTargetRef } from "./metric-schema.ts";
import { scheduleRules, schedules, schedulesStatus } from "./schedule-schema.ts";
import { instant, int32, int64, list, object, oneOf, quantity, text } from "./schema.ts";

export const group = "autoscaling.plimsoll.dev";
export const version = "v1alpha1";

const policy = object(
  "One limit on the rate of scaling.",
  {
    type: oneOf("What value counts.", ["Pods", "Percent"]),
    value: int32("So many at most within the period.", { minimum: 1 }),
    periodSeconds: int32("The period.", { minimum: 1, maximum: 1800 }),
  },
  { required: ["type", "value", "periodSeconds"] },
);

const rules = (direction: string) =>
  object(`How it scales ${direction}.`, {
    stabilizationWindowSeconds: int32("Past recommendations of so long are weighed.", {
      minimum: 0,
      maximum: 3600,
    }),
    selectPolicy: oneOf("Which of the policies' results counts.", ["Max", "Min", "Disabled"]),
    policies: list("Limits on the rate of scaling.", policy, {
      minItems: 1,
      maxItems: 50,
      "x-kubernetes-list-type": "atomic",
    }),
    tolerance: quantity("Deviation from the target that is let pass, as a fraction."),
  });

const seconds = (description: string, minimum = 0) => int32(description, { minimum, maximum: 3600 });

const spec = object(
  "The specification of an autoscaling/v2 HorizontalPodAutoscaler, and what it leaves to flags of the controller.",
  {
    scaleTargetRef,
    minReplicas: int32("Lower limit; 0 needs an Object or External metric, or schedules and no metrics.", {
      minimum: 0,
      default: 1,
    }),
    maxReplicas: int32("Upper limit.", { minimum: 1 }),
    metrics: list(
      "The highest proposal counts. When there are none: minReplicas where there are schedules, else 80 % of the requested cpu.",
      metricSpec,
      { maxItems: 100, "x-kubernetes-list-type": "atomic" },
    ),
    schedules,
    behavior: object("How it scales in either direction.", {
      scaleUp: rules("up"),
      scaleDown: rules("down"),
    }),
    mode: oneOf(
      "Active: it scales. Shadow: it decides, and writes its status only. Paused: as Shadow, for a stated time.",
      ["Active", "Shadow", "Paused"],
      { default: "Active" },
    ),
    pause: object("About mode Paused.", {
      reason: text("Why; shown in condition Paused.", { maxLength: 1024 }),
      until: instant("When it becomes Active again by itself; never when absent."),
    }),
    tuning: object("What the controller's flags say for all others.", {
      syncPeriodSeconds: seconds("Time between two evaluations.", 1),
      tolerance: quantity("Deviation from the target that is let pass, as a fraction, in both directions."),
      cpuInitializationPeriodSeconds: seconds(
        "Time after a pod's start in which its cpu samples may be skipped.",
      ),
      initialReadinessDelaySeconds: seconds(
        "Time after a pod's start in which not ready means never having been ready.",
      ),
      downscaleStabilizationSeconds: seconds(
        "A scale-down follows the highest recommendation of this window.",
      ),
      upscaleDelaySeconds: seconds("No scale-up by metrics for so long after the last scale; 0 is off."),
      downscaleDelaySeconds: seconds("No scale-down by metrics for so long after the last scale; 0 is off."),
    }),
  },
  {
    required: ["scaleTargetRef", "maxReplicas"],
    rules: [
      {
        rule: "!has(self.minReplicas) || self.maxReplicas >= self.minReplicas",
        message: "maxReplicas must be greater than or equal to minReplicas",
      },
      {
        rule: "!has(self.minReplicas) || self.minReplicas > 0 || (has(self.metrics) && self.metrics.size() > 0 ? self.metrics.exists(m, m.type in ['Object', 'External']) : has(self.schedules) && self.schedules.size() > 0)",
        message: "minReplicas 0 needs an Object or External metric, or schedules and no metrics",
      },
      ...scheduleRules,
    ],
  },
);

const condition = object(
  "One aspect of the state.",
  {
    type: text("Name of the aspect."),
    status: oneOf("Whether it holds.", ["True", "False", "Unknown"]),
    lastTransitionTime: instant("When status changed last."),
    reason: text("A word for why."),
    message: text("The same in a sentence."),
    observedGeneration: int64("Generation of the object that it is about."),
  },
  { required: ["type", "status"] },
);

const status = object("What was decided last.", {
  observedGeneration: int64("Generation that was evaluated."),
  lastScaleTime: instant("When the count was changed last."),
  currentReplicas: int32("The count before the last evaluation."),
  desiredReplicas: int32("The count that the last evaluation wants."),
  targets: text("Current and target value of each metric, as `kubectl get hpa` prints them."),
  currentMetrics: list("The metrics at the last evaluation.", metricStatus, {
    nullable: true,
    "x-kubernetes-list-type": "atomic",
  }),
  conditions: list(
    "Ready, Active, Paused, Fallback, ScheduleActive and SchedulesValid where there are schedules, and those of a HorizontalPodAutoscaler.",
    condition,
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
  ),
  schedules: schedulesStatus,
});

const conditionField = (type: string, field: "status" | "reason") =>
  `.status.conditions[?(@.type=="${type}")].${field}`;
const column = (name: string, jsonPath: string, type = "string") => ({ name, type, jsonPath });
/** Shown by `kubectl get -o wide` only. */
const wideColumn = (name: string, jsonPath: string, type = "string") => ({
  ...column(name, jsonPath, type),
  priority: 1,
});

/** The one source of the CustomResourceDefinition; deploy/crds is generated from it. */
export const workloadAutoscalerCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `workloadautoscalers.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: {
      kind: "WorkloadAutoscaler",
      listKind: "WorkloadAutoscalerList",
      plural: "workloadautoscalers",
      singular: "workloadautoscaler",
      shortNames: ["wla"],
      categories: ["all"],
    },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          column("Workload", ".spec.scaleTargetRef.name"),
          column("Targets", ".status.targets"),
          column("Min", ".spec.minReplicas", "integer"),
          column("Max", ".spec.maxReplicas", "integer"),
          column("Replicas", ".status.currentReplicas", "integer"),
          column("Desired", ".status.desiredReplicas", "integer"),
          column("Mode", ".spec.mode"),
          column("Ready", conditionField("Ready", "status")),
          column("Reason", conditionField("Ready", "reason")),
          column("Active", conditionField("Active", "status")),
          column("Age", ".metadata.creationTimestamp", "date"),
          wideColumn("Kind", ".spec.scaleTargetRef.kind"),
          wideColumn("Active reason", conditionField("Active", "reason")),
          wideColumn("Fallback", conditionField("Fallback", "status")),
          wideColumn("Schedule", conditionField("ScheduleActive", "status")),
          wideColumn("Last scale", ".status.lastScaleTime", "date"),
        ],
        schema: {
          openAPIV3Schema: object(
            "Scales a workload by its metrics, as a HorizontalPodAutoscaler does, with settings of its own.",
            {
              apiVersion: text("Version of the schema."),
              kind: text("WorkloadAutoscaler."),
              metadata: { type: "object" },
              spec,
              status,
            },
            { required: ["spec"] },
          ),
        },
      },
    ],
  },
} as const;
