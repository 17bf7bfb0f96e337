// PLM5000 to PLM5999: why one of our own objects is not ready or not active. The messages are reasons of conditions.
import type { CatalogEntry } from "./entry.ts";

export const conditionEntries: readonly CatalogEntry[] = [
  {
    code: "PLM5001",
    message: "InvalidSpec",
    meaning: "The object cannot be evaluated as it is; nothing is scaled or moved.",
    remedy: "the message names the field, the value and what it has to be",
  },
  {
    code: "PLM5002",
    message: "InvalidSchedule",
    meaning: "An entry of `spec.schedules` cannot be used; the other entries count.",
    remedy: "see [schedule not followed](troubleshooting.md#schedule-not-followed)",
  },
  {
    code: "PLM5003",
    message: "TargetNotFound",
    meaning: "The HorizontalPodAutoscaler whose bounds the object moves does not exist.",
    remedy: "correct `spec.scaleTargetRef`",
  },
  {
    code: "PLM5004",
    message: "FailedUpdate",
    meaning: "The bounds of the HorizontalPodAutoscaler could not be written.",
    remedy: "the message has the API server's response",
  },
  {
    code: "PLM5005",
    message: "Conflict",
    meaning: "Another client owns the bounds of the HorizontalPodAutoscaler.",
    remedy: "see [schedule not followed](troubleshooting.md#schedule-not-followed)",
  },
  {
    code: "PLM5006",
    message: "ForeignWriter",
    meaning: "Another client writes the target or the status; the object is evaluated in shadow.",
    remedy: "see [foreign writer](troubleshooting.md#foreign-writer)",
  },
  {
    code: "PLM5007",
    message: "SharedTarget",
    meaning: "Several objects name the same target; none of them writes.",
    remedy: "delete all but one",
  },
  {
    code: "PLM5101",
    message: "NamespaceMatcher",
    meaning:
      "A selector of the query of a MetricRule or WorkloadAutoscaler has a matcher of the namespace's label, which is set for it.",
    remedy: "remove the matcher",
  },
  {
    code: "PLM5102",
    message: "Unparsable",
    meaning: "The query of a MetricRule or WorkloadAutoscaler is not PromQL.",
    remedy: "the message has the place; Prometheus's own page for queries shows the same",
  },
  {
    code: "PLM5103",
    message: "Unsupported",
    meaning:
      "The query of a MetricRule or WorkloadAutoscaler has a part of PromQL that is not on the list of what may be sent.",
    remedy: "the message names the part, and for some what to use instead",
  },
  {
    code: "PLM5104",
    message: "TooCostly",
    meaning:
      "The query of a MetricRule or WorkloadAutoscaler is over a bound of ranges, subqueries, selectors or size.",
    remedy: "the message has the figure and the bound; a recording rule computes what is expensive once",
  },
  {
    code: "PLM5105",
    message: "LimitExceeded",
    meaning: "The namespace has more MetricRules, or more queries of WorkloadAutoscalers, than are served.",
    remedy: "delete what is not used; the oldest ones are served",
  },
  {
    code: "PLM5106",
    message: "UnknownSource",
    meaning: "A MetricRule or a query names a source that the configuration does not have.",
    remedy: "leave `source` out, or ask for the source to be added",
  },
  {
    code: "PLM5107",
    message: "SourceNotForNamespace",
    meaning: "A MetricRule or a query names a source that does not serve its namespace.",
    remedy: "use another source, or ask for the namespace to be added to it",
  },
  {
    code: "PLM5108",
    message: "UnknownResource",
    meaning: "A MetricRule describes objects of a resource that the cluster does not have.",
    remedy: "write the plural and the group as `kubectl api-resources` shows them",
  },
  {
    code: "PLM5109",
    message: "ResourceNotNamespaced",
    meaning: "A MetricRule describes objects that are in no namespace.",
    remedy: "describe objects of the namespace",
  },
  {
    code: "PLM5110",
    message: "NameTaken",
    meaning: "An older MetricRule of the namespace defines the metric.",
    remedy: "choose another `spec.metric`, or delete one of the two",
  },
  {
    code: "PLM5120",
    message: "NoSeries",
    meaning: "The query of a MetricRule or WorkloadAutoscaler gives no series.",
    remedy: "compare `status.query` with the series that the namespace has",
  },
  {
    code: "PLM5121",
    message: "NoObjectLabel",
    meaning: "No series of a MetricRule's query has the label with the name of the object.",
    remedy: "keep the label in the query (`by`), or correct `spec.podLabel` or `spec.object.label`",
  },
  {
    code: "PLM5122",
    message: "NoValue",
    meaning: "The series of a MetricRule's query have no number as their value.",
    remedy: "a division by zero gives NaN: add `> 0` to the divisor",
  },
  {
    code: "PLM5123",
    message: "QueryFailed",
    meaning:
      "The query of a MetricRule or WorkloadAutoscaler could not be run, or its result cannot be used.",
    remedy: "the message has the response of Prometheus",
  },
  {
    code: "PLM5124",
    message: "NotServed",
    meaning:
      "Another adapter than ours, or ours without `--metric-rules=true`, was asked for the query of a WorkloadAutoscaler.",
    remedy:
      "let metrics-adapter with `--metric-rules=true` serve both metrics APIs, or use a metric that the other adapter has",
  },
  {
    code: "PLM5125",
    message: "NotRead",
    meaning: "The adapter has not read the last change of a WorkloadAutoscaler with a query.",
    remedy: "it takes two seconds; if it stays, see the log of the adapter",
  },
];
