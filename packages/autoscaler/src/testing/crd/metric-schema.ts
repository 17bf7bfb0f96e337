// Schemas of metrics in the specification and the status of a WorkloadAutoscaler.
import { liveSchema } from "@plimsoll/metric-rules/testing";
import { int32, list, object, oneOf, quantity, type Rule, type Schema, text } from "./schema.ts";

const sources = ["resource", "containerResource", "pods", "object", "external", "query"] as const;
const name = (description: string) => text(description, { minLength: 1, maxLength: 253 });

const crossVersionReference = object(
  "An object in the same namespace.",
  {
    apiVersion: text("Group and version; only the group is used.", { maxLength: 253 }),
    kind: name("Kind of the object."),
    name: name("Name of the object."),
  },
  { required: ["kind", "name"] },
);

const selector = object("Selects the series of the metric by their labels.", {
  matchLabels: {
    type: "object",
    description: "Required labels and their values.",
    additionalProperties: { type: "string" },
  },
  matchExpressions: list(
    "Requirements; all must be met.",
    object(
      "One requirement.",
      {
        key: text("Name of the label."),
        operator: oneOf("How the label is compared with the values.", [
          "In",
          "NotIn",
          "Exists",
          "DoesNotExist",
        ]),
        values: list("Values, for In and NotIn.", { type: "string" }),
      },
      { required: ["key", "operator"] },
    ),
  ),
});

const identifier = object(
  "Name and selector of the metric.",
  { name: name("Name of the metric."), selector },
  { required: ["name"] },
);

type TargetType = "Utilization" | "Value" | "AverageValue";
const fieldOf: Readonly<Record<TargetType, string>> = {
  Utilization: "averageUtilization",
  Value: "value",
  AverageValue: "averageValue",
};

/** A target with exactly the field that its type names. */
function target(types: readonly TargetType[]): Schema {
  const fields: Readonly<Record<TargetType, Schema>> = {
    Utilization: int32("Average over the pods, as a percentage of their requests.", { minimum: 1 }),
    Value: quantity("Value of the metric."),
    AverageValue: quantity("Average of the metric per pod."),
  };
  const isRight = types
    .map((type) => {
      const others = types
        .filter((other) => other !== type)
        .map((other) => ` && !has(self.${fieldOf[other]})`);
      return `(self.type == '${type}' && has(self.${fieldOf[type]})${others.join("")})`;
    })
    .join(" || ");
  const named = types.map((type) => `${fieldOf[type]} for ${type}`).join(", ");
  return object(
    "Target of the metric.",
    {
      type: oneOf("Type of the target. It decides which of the other fields to set.", types),
      ...Object.fromEntries(types.map((type) => [fieldOf[type], fields[type]])),
    },
    {
      required: ["type"],
      rules: [{ rule: isRight, message: `must set exactly the field of its type: ${named}` }],
    },
  );
}

const onMetricFailure = object(
  "What to do while the metric can't be read. The condition Fallback is True while a policy is used.",
  {
    policy: oneOf(
      "Block: don't scale down. HoldLast: use the last samples. Ignore: use the other metrics. Assume: use a fixed value. Fallback: propose fixed replicas.",
      ["Block", "HoldLast", "Ignore", "Assume", "Fallback"],
      { default: "Block" },
    ),
    forSeconds: int32("HoldLast: how long to use the last samples.", { minimum: 1, maximum: 86_400 }),
    value: quantity("Assume: the value; for Pods metrics, per pod."),
    replicas: int32("Fallback: the proposed replicas.", { minimum: 1 }),
    allowScaleDown: {
      type: "boolean",
      description: "Fallback: may also scale down while no metric can be read.",
    },
    afterSeconds: int32("How long the metric must fail before the policy is used. Until then it blocks.", {
      minimum: 0,
      maximum: 86_400,
    }),
  },
  {
    rules: [
      { rule: "self.policy != 'HoldLast' || has(self.forSeconds)", message: "HoldLast needs forSeconds" },
      { rule: "self.policy != 'Assume' || has(self.value)", message: "Assume needs value" },
      { rule: "self.policy != 'Fallback' || has(self.replicas)", message: "Fallback needs replicas" },
      {
        rule: "self.policy == 'Fallback' || !has(self.allowScaleDown) || !self.allowScaleDown",
        message: "allowScaleDown applies to policy Fallback only",
      },
      {
        rule: "self.policy != 'Block' || !has(self.afterSeconds) || self.afterSeconds == 0",
        message: "afterSeconds doesn't apply to policy Block",
      },
    ],
  },
);

const live = liveSchema({
  ...selector,
  description: "Selects pods of the namespace; the pods of the scale target if unset.",
});

const query = object(
  "PromQL query that metrics-adapter runs for this autoscaler only.",
  {
    promql: text(
      "PromQL without templates. The adapter adds a namespace matcher to each selector; a selector must not have its own. Without podLabel, the values of all series are added.",
      { minLength: 1, maxLength: 4096 },
    ),
    source: text('Name of the Prometheus in the adapter\'s configuration; "default" if unset.', {
      maxLength: 63,
      pattern: "^[a-z0-9]([-a-z0-9]*[a-z0-9])?$",
    }),
    podLabel: text("Result label with the pod's name. With it, the query is a per-pod metric.", {
      minLength: 1,
      maxLength: 128,
    }),
    live,
    target: target(["Value", "AverageValue"]),
  },
  {
    required: ["promql", "target"],
    rules: [
      { rule: "!has(self.live) || !has(self.source)", message: "source has no meaning with live" },
      { rule: "self.promql.trim() != ''", message: "promql must not be blank" },
      {
        rule: "!has(self.podLabel) || self.target.type == 'AverageValue'",
        message: "a query with podLabel needs a target of type AverageValue",
      },
    ],
  },
);

const typeOf = (source: string) => `${source.charAt(0).toUpperCase()}${source.slice(1)}`;

const metricRules: readonly Rule[] = [
  {
    rule: `[${sources.map((source) => `has(self.${source})`).join(", ")}].filter(x, x).size() == 1`,
    message: "must have exactly one source",
  },
  {
    rule: sources.map((source) => `(self.type == '${typeOf(source)}' && has(self.${source}))`).join(" || "),
    message: "must have the source that matches its type",
  },
  {
    rule: "!has(self.onMetricFailure) || self.onMetricFailure.policy != 'Assume' || self.type in ['Pods', 'Object', 'External', 'Query']",
    message: "Assume applies to Pods, Object, External, and Query metrics only",
  },
];

export const metricSpec = object(
  "One metric and its target.",
  {
    type: oneOf("Type of the metric. Set the field of the same name.", sources.map(typeOf)),
    resource: object(
      "Usage of a resource by all containers of the pods.",
      { name: name("Name of the resource, such as cpu."), target: target(["Utilization", "AverageValue"]) },
      { required: ["name", "target"] },
    ),
    containerResource: object(
      "Usage of a resource by one container of each pod.",
      {
        name: name("Name of the resource, such as cpu."),
        container: name("Name of the container."),
        target: target(["Utilization", "AverageValue"]),
      },
      { required: ["name", "container", "target"] },
    ),
    pods: object(
      "A metric with one value per pod.",
      { metric: identifier, target: target(["AverageValue"]) },
      { required: ["metric", "target"] },
    ),
    object: object(
      "A metric of one object, such as an Ingress.",
      {
        describedObject: crossVersionReference,
        metric: identifier,
        target: target(["Value", "AverageValue"]),
      },
      { required: ["describedObject", "metric", "target"] },
    ),
    external: object(
      "A metric that belongs to no object in the cluster, such as a queue's length.",
      { metric: identifier, target: target(["Value", "AverageValue"]) },
      { required: ["metric", "target"] },
    ),
    query,
    onMetricFailure,
  },
  { required: ["type"], rules: metricRules },
);

const metricValue = object("The value at the last evaluation.", {
  value: quantity("The metric's value."),
  averageValue: quantity("Average of the metric per pod."),
  averageUtilization: int32("Average over the pods, as a percentage of their requests."),
});

export const metricStatus = object(
  "One metric at the last evaluation; an empty type represents one that failed. A query is an External or Pods metric with a name such as query[0].",
  {
    type: text("Type of the metric. Set the field of the same name."),
    resource: object("", { name: text(""), current: metricValue }),
    containerResource: object("", { name: text(""), container: text(""), current: metricValue }),
    pods: object("", { metric: identifier, current: metricValue }),
    object: object("", {
      describedObject: object("", { apiVersion: text(""), kind: text(""), name: text("") }),
      metric: identifier,
      current: metricValue,
    }),
    external: object("", { metric: identifier, current: metricValue }),
  },
  { required: ["type"] },
);

export const scaleTargetRef = {
  ...crossVersionReference,
  description:
    "The workload to scale (any kind with a scale subresource), or an HPA whose limits schedules change.",
};
