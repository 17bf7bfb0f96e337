// The CustomResourceDefinition of CronHorizontalPodAutoscalers.
import { cronHpaLimits } from "@plimsoll/core/cronhpa";
import { instant, int32, list, object, type Schema, text } from "./schema.ts";

const group = "autoscaling.alibabacloud.com";

const boolean = (description: string): Schema => ({ type: "boolean", description });

type TextField = (description: string) => Schema;

/** Of the specification; a status repeats what objects of older definitions carry. */
const short: TextField = (description) => text(description, { maxLength: cronHpaLimits.text });

const scaleTargetRef = (description: string, field: TextField) =>
  object(
    description,
    {
      apiVersion: field("Group and version; only the group is used."),
      kind: field("A kind with a scale subresource, or HorizontalPodAutoscaler."),
      name: field("Name of the object, in the same namespace."),
    },
    { required: ["apiVersion", "kind", "name"] },
  );

const job = (field: TextField) => ({
  name: field("Name of the job, unique in the object."),
  schedule: field(
    "Cron schedule of six fields: second, minute, hour, day of month, month, day of week; or a descriptor such as @every or @date. With five fields the first one is also the second.",
  ),
  targetSize: int32("Replicas to scale to."),
  runOnce: boolean("Run the job once."),
});

const excludedDays = "Days on which no job runs, as cron schedules.";

const spec = object(
  "The target, and the jobs that scale it.",
  {
    scaleTargetRef: scaleTargetRef("The scaled object.", short),
    excludeDates: list(excludedDays, short(""), { maxItems: cronHpaLimits.excludeDates }),
    jobs: list(
      "Jobs, each with its own schedule and size.",
      object("", job(short), { required: ["name", "schedule", "targetSize"] }),
      { maxItems: cronHpaLimits.jobs },
    ),
  },
  { required: ["jobs", "scaleTargetRef"] },
);

const condition = object(
  "The state of one job.",
  {
    ...job(text),
    jobId: text("Id of the job; a new one is assigned when the job restarts."),
    state: text("Submitted, Succeed or Failed."),
    lastProbeTime: instant("Time of the last run, or of the start of the job."),
    message: text("Result of the last run."),
  },
  { required: ["jobId", "lastProbeTime", "name", "runOnce", "schedule", "state", "targetSize"] },
);

const status = object("State of the jobs.", {
  scaleTargetRef: scaleTargetRef("The target of the jobs in conditions.", text),
  excludeDates: list(excludedDays, text("")),
  conditions: list("State of each job.", condition),
});

/**
 * The definition as kubernetes-cronhpa-controller has it: the same names and fields, nothing refused that it takes but
 * what is over a limit of size, and its status in the object itself, so that either controller works with either
 * definition.
 */
export const cronHpaCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `cronhorizontalpodautoscalers.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: {
      kind: "CronHorizontalPodAutoscaler",
      listKind: "CronHorizontalPodAutoscalerList",
      plural: "cronhorizontalpodautoscalers",
      singular: "cronhorizontalpodautoscaler",
      shortNames: ["cronhpa"],
    },
    versions: [
      {
        name: "v1beta1",
        served: true,
        storage: true,
        additionalPrinterColumns: [
          { name: "Kind", type: "string", jsonPath: ".spec.scaleTargetRef.kind" },
          { name: "Target", type: "string", jsonPath: ".spec.scaleTargetRef.name" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
        ],
        schema: {
          openAPIV3Schema: object(
            "Scales a workload, or the target of a HorizontalPodAutoscaler, at set times.",
            {
              apiVersion: text("Version of the schema."),
              kind: text("CronHorizontalPodAutoscaler."),
              metadata: { type: "object" },
              spec,
              status,
            },
          ),
        },
      },
    ],
  },
} as const;
