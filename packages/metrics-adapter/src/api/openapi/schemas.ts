/** JSON Schema as both OpenAPI versions understand it. References are written with the names below. */
export type Schema = Readonly<Record<string, unknown>>;

const meta = "io.k8s.apimachinery.pkg.apis.meta.v1";
const quantity = "io.k8s.apimachinery.pkg.api.resource.Quantity";
const metrics = "io.k8s.metrics.pkg.apis";

export interface SchemaSet {
  /** Name of the kind's schema, and the group, version and kind that it represents. */
  readonly kinds: readonly { readonly name: string; readonly kind: string }[];
  readonly schemas: Readonly<Record<string, Schema>>;
}

type Ref = (name: string) => Schema;

const text: Schema = { type: "string" };
const seconds: Schema = { type: "integer", format: "int64" };

function object(
  description: string,
  properties: Readonly<Record<string, Schema>>,
  required: readonly string[] = [],
): Schema {
  return { description, type: "object", ...(required.length === 0 ? {} : { required }), properties };
}

function list(items: Schema): Schema {
  return { type: "array", items };
}

function map(values: Schema): Schema {
  return { type: "object", additionalProperties: values };
}

/** What all three APIs share. */
function commonSchemas(ref: Ref): Readonly<Record<string, Schema>> {
  return {
    [quantity]: { description: "A fixed-point number with a decimal or binary suffix.", type: "string" },
    [`${meta}.Time`]: { description: "An instant in RFC 3339.", type: "string", format: "date-time" },
    [`${meta}.Duration`]: { description: "A length of time as Go prints it.", type: "string" },
    [`${meta}.ListMeta`]: object("Metadata of a list.", {
      continue: text,
      remainingItemCount: seconds,
      resourceVersion: text,
      selfLink: text,
    }),
    [`${meta}.LabelSelector`]: object("Selects by label.", {
      matchLabels: map(text),
      matchExpressions: list(ref(`${meta}.LabelSelectorRequirement`)),
    }),
    [`${meta}.LabelSelectorRequirement`]: object(
      "One condition on a label.",
      { key: text, operator: text, values: list(text) },
      ["key", "operator"],
    ),
  };
}

const typed = { apiVersion: text, kind: text };

function listOf(ref: Ref, item: string, description: string): Schema {
  return object(description, { ...typed, metadata: ref(`${meta}.ListMeta`), items: list(ref(item)) }, [
    "items",
  ]);
}

const objectReference = "io.k8s.api.core.v1.ObjectReference";

export function customSchemas(version: "v1beta1" | "v1beta2", ref: Ref): SchemaSet {
  const prefix = `${metrics}.custom_metrics.${version}`;
  const selector = ref(`${meta}.LabelSelector`);
  const shared = {
    describedObject: ref(objectReference),
    timestamp: ref(`${meta}.Time`),
    value: ref(quantity),
  };
  const value =
    version === "v1beta1"
      ? { ...shared, metricName: text, window: seconds, selector }
      : { ...shared, metric: ref(`${prefix}.MetricIdentifier`), windowSeconds: seconds };
  return {
    kinds: [{ name: `${prefix}.MetricValueList`, kind: "MetricValueList" }],
    schemas: {
      ...commonSchemas(ref),
      [objectReference]: object("Names an object.", {
        ...typed,
        fieldPath: text,
        name: text,
        namespace: text,
        resourceVersion: text,
        uid: text,
      }),
      ...(version === "v1beta1"
        ? {}
        : { [`${prefix}.MetricIdentifier`]: object("Names a metric.", { name: text, selector }, ["name"]) }),
      [`${prefix}.MetricValue`]: object("The value of a metric for one object.", value, [
        "describedObject",
        "timestamp",
        "value",
      ]),
      [`${prefix}.MetricValueList`]: listOf(
        ref,
        `${prefix}.MetricValue`,
        "Values of a metric for some objects.",
      ),
    },
  };
}

export function externalSchemas(ref: Ref): SchemaSet {
  const prefix = `${metrics}.external_metrics.v1beta1`;
  return {
    kinds: [{ name: `${prefix}.ExternalMetricValueList`, kind: "ExternalMetricValueList" }],
    schemas: {
      ...commonSchemas(ref),
      [`${prefix}.ExternalMetricValue`]: object(
        "A value of a metric that belongs to no Kubernetes object.",
        {
          metricName: text,
          metricLabels: map(text),
          timestamp: ref(`${meta}.Time`),
          window: seconds,
          value: ref(quantity),
        },
        ["metricName", "timestamp", "value"],
      ),
      [`${prefix}.ExternalMetricValueList`]: listOf(
        ref,
        `${prefix}.ExternalMetricValue`,
        "Values of an external metric.",
      ),
    },
  };
}

export function resourceSchemas(ref: Ref): SchemaSet {
  const prefix = `${metrics}.metrics.v1beta1`;
  const shared = {
    ...typed,
    metadata: ref(`${meta}.ObjectMeta`),
    timestamp: ref(`${meta}.Time`),
    window: ref(`${meta}.Duration`),
  };
  const usage = map(ref(quantity));
  const name = (kind: string): string => `${prefix}.${kind}`;
  return {
    kinds: ["NodeMetrics", "NodeMetricsList", "PodMetrics", "PodMetricsList"].map((kind) => ({
      name: name(kind),
      kind,
    })),
    schemas: {
      ...commonSchemas(ref),
      [`${meta}.ObjectMeta`]: object("Metadata of an object.", {
        name: text,
        namespace: text,
        labels: map(text),
        creationTimestamp: ref(`${meta}.Time`),
      }),
      [name("ContainerMetrics")]: object("Usage of one container.", { name: text, usage }, ["name", "usage"]),
      [name("NodeMetrics")]: object("Usage of one node.", { ...shared, usage }, [
        "timestamp",
        "window",
        "usage",
      ]),
      [name("NodeMetricsList")]: listOf(ref, name("NodeMetrics"), "Usage of some nodes."),
      [name("PodMetrics")]: object(
        "Usage of one pod.",
        { ...shared, containers: list(ref(name("ContainerMetrics"))) },
        ["timestamp", "window", "containers"],
      ),
      [name("PodMetricsList")]: listOf(ref, name("PodMetrics"), "Usage of some pods."),
    },
  };
}
