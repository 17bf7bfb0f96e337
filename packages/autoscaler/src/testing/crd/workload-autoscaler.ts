// The definition of WorkloadAutoscalers.
import { group } from "@plimsoll/core/internal/objects";
import { maxQueries } from "@plimsoll/core/queries";
import { version } from "../../objects/workload-autoscaler.ts";
import { metricSpec, metricStatus, scaleTargetRef } from "./metric-schema.ts";
import { scheduleRules, schedules, schedulesStatus } from "./schedule-schema.ts";
import { instant, int32, int64, list, object, oneOf, quantity, text } from "./schema.ts";

const policy = object(
  "One limit on the rate of scaling.",
  {
    type: oneOf("Pods: value is a number of pods. Percent: value is a percentage of the replicas.", [
      "Pods",
      "Percent",
    ]),
    value: int32("Largest change within periodSeconds.", { minimum: 1 }),
    periodSeconds: int32("Length of the period.", { minimum: 1, maximum: 1800 }),
  },
  { required: ["type", "value", "periodSeconds"] },
);

const rules = (direction: string) =>
  object(`Rules for scaling ${direction}.`, {
    stabilizationWindowSeconds: int32("Time in which past recommendations still count.", {
      minimum: 0,
      maximum: 3600,
    }),
    selectPolicy: oneOf(
      "Max: use the policy that allows the largest change. Min: the smallest. Disabled: don't scale in this direction.",
      ["Max", "Min", "Disabled"],
    ),
    policies: list("Limits on the rate of scaling.", policy, {
      minItems: 1,
      maxItems: 50,
      "x-kubernetes-list-type": "atomic",
    }),
    tolerance: quantity("How far a metric may deviate from its target without scaling, as a fraction."),
  });

const seconds = (description: string, minimum = 0) => int32(description, { minimum, maximum: 3600 });

const spec = object(
  "The spec of an autoscaling/v2 HorizontalPodAutoscaler, and settings that are controller flags for HPAs.",
  {
    scaleTargetRef,
    minReplicas: int32(
      "Lower limit. 0 needs an Object or External metric, a query without podLabel, or schedules and no metrics.",
      {
        minimum: 0,
        default: 1,
      },
    ),
    maxReplicas: int32("Upper limit.", { minimum: 1 }),
    metrics: list(
      "The metric that calls for the most replicas wins. Without metrics: minReplicas if schedules exist, otherwise cpu at 80% of its request.",
      metricSpec,
      { maxItems: 100, "x-kubernetes-list-type": "atomic" },
    ),
    schedules,
    behavior: object("Rules for scaling in each direction.", {
      scaleUp: rules("up"),
      scaleDown: rules("down"),
    }),
    mode: oneOf(
      "Active: scale the target. Shadow: decide, and write only the status. Paused: like Shadow, with a reason and an end.",
      ["Active", "Shadow", "Paused"],
      { default: "Active" },
    ),
    adopt: oneOf(
      "For a target that something else scaled to zero. Never, or unset: leave it at zero. FromZero: with minReplicas 0, start it when a metric is above zero; after a schedule with 0 replicas, start it.",
      ["Never", "FromZero"],
    ),
    pause: object("Settings of mode Paused.", {
      reason: text("Reason, shown in condition Paused.", { maxLength: 1024 }),
      until: instant("When the pause ends; never if unset."),
    }),
    tuning: object("Replaces the controller's flags for this autoscaler.", {
      syncPeriodSeconds: seconds("Time between two evaluations.", 1),
      tolerance: quantity(
        "How far a metric may deviate from its target without scaling, as a fraction, in both directions.",
      ),
      cpuInitializationPeriodSeconds: seconds(
        "Time after a pod's start in which its cpu samples can be skipped.",
      ),
      initialReadinessDelaySeconds: seconds(
        "Time after a pod's start in which a pod that becomes not ready counts as never ready.",
      ),
      downscaleStabilizationSeconds: seconds(
        "Scaling down uses the highest recommendation within this window.",
      ),
      upscaleDelaySeconds: seconds(
        "Minimum time after a scale before metrics may scale up again; 0 disables it.",
      ),
      downscaleDelaySeconds: seconds(
        "Minimum time after a scale before metrics may scale down; 0 disables it.",
      ),
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
        rule: "!has(self.minReplicas) || self.minReplicas > 0 || (has(self.metrics) && self.metrics.size() > 0 ? self.metrics.exists(m, m.type in ['Object', 'External'] || (m.type == 'Query' && has(m.query) && !has(m.query.podLabel))) : has(self.schedules) && self.schedules.size() > 0)",
        message:
          "minReplicas 0 needs an Object or External metric, a query without podLabel, or schedules and no metrics",
      },
      {
        rule: `!has(self.metrics) || self.metrics.filter(m, m.type == 'Query').size() <= ${maxQueries}`,
        message: `at most ${maxQueries} metrics may be queries: use MetricRules for more`,
      },
      ...scheduleRules,
    ],
  },
);

const condition = object(
  "One condition.",
  {
    type: text("Type of the condition."),
    status: oneOf("Status of the condition.", ["True", "False", "Unknown"]),
    lastTransitionTime: instant("Time when the status last changed."),
    reason: text("Reason in one word."),
    message: text("Reason in one sentence."),
    observedGeneration: int64("Generation that the condition describes."),
  },
  { required: ["type", "status"] },
);

const queryStatus = object(
  "One query.",
  {
    name: text("query[N], for the entry N of spec.metrics.", { maxLength: 63 }),
    metric: text("Name of the query in the metrics API."),
    query: text("The query that was sent, including the namespace matcher."),
    conditions: list(
      "Accepted: the adapter serves the query. Resolved: the last evaluation got values.",
      condition,
      { maxItems: 10, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
    ),
  },
  { required: ["name"] },
);

const status = object("Result of the last evaluation.", {
  observedGeneration: int64("Generation that was evaluated."),
  lastScaleTime: instant("Time of the last scale."),
  currentReplicas: int32("Replicas when the last evaluation started."),
  desiredReplicas: int32("Replicas that the last evaluation called for."),
  targets: text("Current and target value of each metric, as `kubectl get hpa` prints them."),
  currentMetrics: list("The metrics at the last evaluation.", metricStatus, {
    nullable: true,
    "x-kubernetes-list-type": "atomic",
  }),
  conditions: list(
    "Ready, Active, Paused, Fallback, the conditions of an HPA, and with schedules ScheduleActive and SchedulesValid.",
    condition,
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] },
  ),
  queries: list("State of the queries among the metrics.", queryStatus, {
    maxItems: maxQueries,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["name"],
  }),
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
            "Scales a workload by metrics, like a HorizontalPodAutoscaler, with its own settings.",
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
