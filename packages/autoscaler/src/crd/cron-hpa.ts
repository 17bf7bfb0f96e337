import { instant, int32, list, object, type Schema, text } from "./schema.ts";

const group = "autoscaling.alibabacloud.com";

const boolean = (description: string): Schema => ({ type: "boolean", description });

const scaleTargetRef = (description: string) =>
  object(
    description,
    {
      apiVersion: text("Group and version; only the group counts."),
      kind: text("A kind with a scale subresource, or HorizontalPodAutoscaler."),
      name: text("Name of the object, in the same namespace."),
    },
    { required: ["apiVersion", "kind", "name"] },
  );

const job = {
  name: text("Unlike that of the other jobs."),
  schedule: text(
    "Six fields: second, minute, hour, day of month, month, day of week; or @every, @date and the like. Of five fields the first is the second too.",
  ),
  targetSize: int32("The count to scale to."),
  runOnce: boolean("It runs one time in its life."),
};

const excludeDates = list("Days, as schedules, on which no job runs.", text(""));

const spec = object(
  "What is scaled when.",
  {
    scaleTargetRef: scaleTargetRef("What is scaled."),
    excludeDates,
    jobs: list("Each scales by itself.", object("", job, { required: ["name", "schedule", "targetSize"] })),
  },
  { required: ["jobs", "scaleTargetRef"] },
);

const condition = object(
  "The state of one job.",
  {
    ...job,
    jobId: text("Another one whenever the job begins anew."),
    state: text("Submitted, Succeed or Failed."),
    lastProbeTime: instant("When it ran last, or began."),
    message: text("What came of it."),
  },
  { required: ["jobId", "lastProbeTime", "name", "runOnce", "schedule", "state", "targetSize"] },
);

const status = object("What became of the jobs.", {
  scaleTargetRef: scaleTargetRef("The target that the conditions are about."),
  excludeDates,
  conditions: list("One for each job.", condition),
});

/**
 * The definition as kubernetes-cronhpa-controller has it: the same names and fields, nothing refused that it takes,
 * and its status in the object itself, so that either controller works with either definition.
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
