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
      apiVersion: field("Group and version; only the group counts."),
      kind: field("A kind with a scale subresource, or HorizontalPodAutoscaler."),
      name: field("Name of the object, in the same namespace."),
    },
    { required: ["apiVersion", "kind", "name"] },
  );

const job = (field: TextField) => ({
  name: field("Unlike that of the other jobs."),
  schedule: field(
    "Six fields: second, minute, hour, day of month, month, day of week; or @every, @date and the like. Of five fields the first is the second too.",
  ),
  targetSize: int32("The count to scale to."),
  runOnce: boolean("It runs one time in its life."),
});

const excludedDays = "Days, as schedules, on which no job runs.";

const spec = object(
  "What is scaled when.",
  {
    scaleTargetRef: scaleTargetRef("What is scaled.", short),
    excludeDates: list(excludedDays, short(""), { maxItems: cronHpaLimits.excludeDates }),
    jobs: list(
      "Each scales by itself.",
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
    jobId: text("Another one whenever the job restarts."),
    state: text("Submitted, Succeed or Failed."),
    lastProbeTime: instant("When it ran last, or began."),
    message: text("What came of it."),
  },
  { required: ["jobId", "lastProbeTime", "name", "runOnce", "schedule", "state", "targetSize"] },
);

const status = object("What became of the jobs.", {
  scaleTargetRef: scaleTargetRef("The target that the conditions are about.", text),
  excludeDates: list(excludedDays, text("")),
  conditions: list("One for each job.", condition),
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
          openAPIV3Schema: object("Scales a workload, or that of a HorizontalPodAutoscaler, at set times.", {
            apiVersion: text("Version of the schema."),
            kind: text("CronHorizontalPodAutoscaler."),
            metadata: { type: "object" },
            spec,
            status,
          }),
        },
      },
    ],
  },
} as const;
