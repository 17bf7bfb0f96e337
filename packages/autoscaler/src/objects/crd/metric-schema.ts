// Schemas of metrics in the specification and the status of a WorkloadAutoscaler.
import { int32, list, object, oneOf, quantity, type Rule, type Schema, text } from "./schema.ts";

const sources = ["resource", "containerResource", "pods", "object", "external"] as const;
const name = (description: string) => text(description, { minLength: 1, maxLength: 253 });

const crossVersionReference = object(
  "Points to an object in the same namespace.",
  {
    apiVersion: text("Group and version; the version does not matter.", { maxLength: 253 }),
    kind: name("Kind of the object."),
    name: name("Name of the object."),
  },
  { required: ["kind", "name"] },
);

const selector = object("Restricts the metric to series with these labels.", {
  matchLabels: {
    type: "object",
    description: "Labels with the values that they must have.",
    additionalProperties: { type: "string" },
  },
  matchExpressions: list(
    "Requirements, all of which must hold.",
    object(
      "One requirement.",
      {
        key: text("Name of the label."),
        operator: oneOf("How key and values relate.", ["In", "NotIn", "Exists", "DoesNotExist"]),
        values: list("Values, for In and NotIn.", { type: "string" }),
      },
      { required: ["key", "operator"] },
    ),
  ),
});

const identifier = object(
  "Which metric.",
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
    Utilization: int32("Percent of the requested amount.", { minimum: 1 }),
    Value: quantity("The metric's value itself."),
    AverageValue: quantity("The metric's value per pod."),
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
    "What the metric is held against.",
    {
      type: oneOf("Which of the fields counts.", types),
      ...Object.fromEntries(types.map((type) => [fieldOf[type], fields[type]])),
    },
    {
      required: ["type"],
      rules: [{ rule: isRight, message: `must set exactly the field of its type: ${named}` }],
    },
  );
}

const onMetricFailure = object(
  "What replaces the metric while it cannot be read. Whatever is chosen, it shows in the trace and in condition Fallback.",
  {
    policy: oneOf(
      "Block: no scale-down while it fails. HoldLast: its last good reading, for a time. Ignore: the other metrics decide. Assume: a fixed value. Fallback: at least so many replicas.",
      ["Block", "HoldLast", "Ignore", "Assume", "Fallback"],
      { default: "Block" },
    ),
    forSeconds: int32("HoldLast: how long the last good reading counts.", { minimum: 1, maximum: 86_400 }),
    value: quantity("Assume: the value; per pod for Pods metrics."),
    replicas: int32("Fallback: the floor.", { minimum: 1 }),
  },
  {
    rules: [
      { rule: "self.policy != 'HoldLast' || has(self.forSeconds)", message: "HoldLast needs forSeconds" },
      { rule: "self.policy != 'Assume' || has(self.value)", message: "Assume needs value" },
      { rule: "self.policy != 'Fallback' || has(self.replicas)", message: "Fallback needs replicas" },
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
    message: "must have the source that its type names",
  },
  {
    rule: "!has(self.onMetricFailure) || self.onMetricFailure.policy != 'Assume' || self.type in ['Pods', 'Object', 'External']",
    message: "Assume is for Pods, Object and External metrics",
  },
];

export const metricSpec = object(
  "One metric, and what it should be.",
  {
    type: oneOf("Which source is given.", sources.map(typeOf)),
    resource: object(
      "Usage of a resource by all containers of the pods.",
      { name: name("Such as cpu."), target: target(["Utilization", "AverageValue"]) },
      { required: ["name", "target"] },
    ),
    containerResource: object(
      "Usage of a resource by one container of each pod.",
      {
        name: name("Such as cpu."),
        container: name("Name of the container."),
        target: target(["Utilization", "AverageValue"]),
      },
      { required: ["name", "container", "target"] },
    ),
    pods: object(
      "A metric of each pod.",
      { metric: identifier, target: target(["AverageValue"]) },
      { required: ["metric", "target"] },
    ),
    object: object(
      "A metric of one object.",
      {
        describedObject: crossVersionReference,
        metric: identifier,
        target: target(["Value", "AverageValue"]),
      },
      { required: ["describedObject", "metric", "target"] },
    ),
    external: object(
      "A metric of nothing in the cluster.",
      { metric: identifier, target: target(["Value", "AverageValue"]) },
      { required: ["metric", "target"] },
    ),
    onMetricFailure,
  },
  { required: ["type"], rules: metricRules },
);

const metricValue = object("The value at the last evaluation.", {
  value: quantity("The metric's value."),
  averageValue: quantity("The metric's value per pod."),
  averageUtilization: int32("Percent of the requested amount."),
});

export const metricStatus = object(
  "One metric at the last evaluation; an empty type represents one that failed.",
  {
    type: text("Which source is given."),
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
  description: "What is scaled: anything with a scale subresource.",
};
