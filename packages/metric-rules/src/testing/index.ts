// The definition of MetricRules, which generators write into deploy, and which simulated clusters have.
import { group } from "@plimsoll/core/internal/objects";
import { kind, resource, sizes, version } from "../kind/kind.ts";

interface Schema {
  readonly [key: string]: unknown;
}

const text = (description: string, rest: Schema = {}): Schema => ({ type: "string", description, ...rest });
const instant = (description: string): Schema => text(description, { format: "date-time" });
const int64 = (description: string): Schema => ({ type: "integer", format: "int64", description });
const fields = (description: string, properties: Readonly<Record<string, Schema>>, rest: Schema = {}) => ({
  type: "object",
  description,
  properties,
  ...rest,
});

/** How pods are scraped; also of the queries of a WorkloadAutoscaler. */
export function liveSchema(podSelector: Schema, required: readonly string[] = []): Schema {
  return fields(
    "Reads the series from the pods themselves instead of from Prometheus. A query may look back 5 minutes.",
    {
      port: {
        description: "Name or number of a declared container port.",
        anyOf: [{ type: "integer" }, { type: "string" }],
        maxLength: 15,
        pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
        "x-kubernetes-int-or-string": true,
      },
      path: text("Path of the metrics.", { maxLength: 512, pattern: "^/", default: "/metrics" }),
      interval: text("Time between two scrapes of a pod: whole seconds, up to 60s.", {
        maxLength: 3,
        pattern: "^([1-9]|[1-5][0-9]|60)s$",
        default: "1s",
      }),
      scheme: text("Scheme of the address.", { enum: ["http", "https"], default: "http" }),
      podSelector,
    },
    { required: ["port", ...required] },
  );
}

const labelSelector: Schema = {
  type: "object",
  description: "Selects pods of the namespace by matchLabels and matchExpressions.",
  properties: {
    matchLabels: {
      type: "object",
      description: "Required labels and their values.",
      additionalProperties: { type: "string" },
    },
    matchExpressions: {
      type: "array",
      description: "Requirements; all must be met.",
      items: fields(
        "One requirement.",
        {
          key: text("Name of the label."),
          operator: text("How the label is compared with the values.", {
            enum: ["In", "NotIn", "Exists", "DoesNotExist"],
          }),
          values: { type: "array", description: "Values, for In and NotIn.", items: { type: "string" } },
        },
        { required: ["key", "operator"] },
      ),
    },
  },
};

const spec = fields(
  "The metric, and the query that gives it.",
  {
    type: text(
      "Pods: one value for each pod. Object: one for each object of a resource. External: values of no object.",
      { enum: ["Pods", "Object", "External"] },
    ),
    metric: text(
      "Name of the metric, as an autoscaler asks for it; the name of the MetricRule when absent.",
      { maxLength: sizes.metric, pattern: "^[A-Za-z0-9_]([A-Za-z0-9_.:-]*[A-Za-z0-9_])?$" },
    ),
    object: fields(
      "What the values describe. Type Object only.",
      {
        resource: text("Plural and group, such as ingresses.networking.k8s.io. It has to be namespaced.", {
          maxLength: sizes.resource,
          pattern: "^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$",
        }),
        label: text("Label of the result with the name of the object.", {
          minLength: 1,
          maxLength: sizes.label,
        }),
      },
      { required: ["resource", "label"] },
    ),
    podLabel: text("Label of the result with the name of the pod; pod when absent. Type Pods only.", {
      minLength: 1,
      maxLength: sizes.label,
    }),
    source: text("The Prometheus that is queried, by its name in the configuration of the adapter.", {
      maxLength: sizes.source,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
      default: "default",
    }),
    query: text(
      "PromQL without templates. The adapter adds a namespace matcher to each selector; a selector must not have its own.",
      { minLength: 1, maxLength: sizes.query },
    ),
    live: liveSchema(labelSelector, ["podSelector"]),
  },
  {
    required: ["type", "query"],
    "x-kubernetes-validations": [
      {
        rule: "has(self.object) == (self.type == 'Object')",
        message: "type Object needs object, and no other type may have it",
      },
      {
        rule: "!has(self.live) || (self.type != 'Object' && self.source == 'default')",
        message: "live needs type Pods or External, and no source",
      },
      { rule: "!has(self.podLabel) || self.type == 'Pods'", message: "podLabel belongs to type Pods" },
      { rule: "self.query.trim() != ''", message: "query must not be blank" },
    ],
  },
);

const condition = fields(
  "One condition.",
  {
    type: text("Accepted: the rule may be served. Resolved: its query gives values."),
    status: text("Whether the condition is met.", { enum: ["True", "False", "Unknown"] }),
    lastTransitionTime: instant("Time of the last change of status."),
    reason: text("Reason, in one word."),
    message: text("Reason, in a sentence."),
    observedGeneration: int64("Generation of the object that the condition is about."),
  },
  { required: ["type", "status"] },
);

const status = fields("What the adapter made of the rule.", {
  observedGeneration: int64("Generation that was read."),
  conditions: {
    type: "array",
    description: "Accepted and Resolved.",
    items: condition,
    maxItems: 10,
    "x-kubernetes-list-type": "map",
    "x-kubernetes-list-map-keys": ["type"],
  },
  query: text("The query that is sent, with the matcher of the namespace."),
  series: int64("Series of the last check."),
  sample: fields("One value of the last check.", {
    value: text("The value, as a quantity."),
    at: instant("Time of the sample."),
  }),
  checkedAt: instant("Time of the last check. Rules are checked every few minutes, and when they change."),
});

const conditionColumn = (type: string): string => `.status.conditions[?(@.type=="${type}")].status`;

export const metricRuleCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: `${resource}.${group}` },
  spec: {
    group,
    scope: "Namespaced",
    names: { kind, listKind: `${kind}List`, plural: resource, singular: "metricrule", shortNames: ["mr"] },
    versions: [
      {
        name: version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [
          { name: "Type", type: "string", jsonPath: ".spec.type" },
          { name: "Accepted", type: "string", jsonPath: conditionColumn("Accepted") },
          { name: "Resolved", type: "string", jsonPath: conditionColumn("Resolved") },
          { name: "Series", type: "integer", jsonPath: ".status.series" },
          { name: "Sample", type: "string", jsonPath: ".status.sample.value" },
          { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
          { name: "Metric", type: "string", jsonPath: ".spec.metric", priority: 1 },
          { name: "Query", type: "string", jsonPath: ".status.query", priority: 1 },
        ],
        schema: {
          openAPIV3Schema: {
            type: "object",
            description: "A metric of the namespace, given by a query.",
            properties: {
              apiVersion: text("Version of the schema."),
              kind: text(`${kind}.`),
              metadata: { type: "object" },
              spec,
              status,
            },
            required: ["spec"],
          },
        },
      },
    ],
  },
} as const;
