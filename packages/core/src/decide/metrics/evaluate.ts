// Evaluates one metric: its proposal and its status, by its type.
import type { MetricSpec } from "../../objects/metric-spec.ts";
import type { ExternalSamples, MetricSamples } from "../../objects/samples.ts";
import { textOf } from "../../values/fields.ts";
import type { MetricContext } from "./context.ts";
import { evaluateExternal } from "./external.ts";
import { evaluateObject } from "./object.ts";
import { failedMetric, type MetricOutcome } from "./outcome.ts";
import { evaluatePods } from "./pods.ts";
import { evaluateContainerResource, evaluateResource } from "./resource.ts";

/** A query is evaluated as the metric that represents it, and shows in the trace. */
export function evaluateMetric(
  spec: MetricSpec,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  const outcome = evaluateSource(spec, samples, context);
  if (spec.query === undefined) return outcome;
  const sent = (samples as Partial<ExternalSamples> | undefined)?.query;
  const { promql, live } = spec.query;
  const from = live === undefined ? {} : { live: `port ${live.port} of the pods, every ${live.interval}` };
  return { ...outcome, trace: { query: inOneLine(textOf(sent) || promql), ...from, ...outcome.trace } };
}

/** What a tenant writes must not look like further lines of an explanation. What was sent has one line already. */
function inOneLine(promql: string): string {
  return promql.replaceAll(/[\n\r\u2028\u2029]+/g, " ").trim();
}

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetric */
function evaluateSource(spec: MetricSpec, samples: MetricSamples, context: MetricContext): MetricOutcome {
  const { type, resource, containerResource, pods, object, external } = spec;
  switch (type) {
    case "Resource":
      return resource ? evaluateResource(resource, samples, context) : sourceless(type);
    case "ContainerResource":
      return containerResource
        ? evaluateContainerResource(containerResource, samples, context)
        : sourceless(type);
    case "Pods":
      return pods?.metric ? evaluatePods(pods, samples, context) : sourceless(type);
    case "Object":
      return object?.metric ? evaluateObject(object, samples, context) : sourceless(type);
    case "External":
      return external?.metric ? evaluateExternal(external, samples, context) : sourceless(type);
    default:
      return unknownType(type);
  }
}

function unknownType(type: string): MetricOutcome {
  const message = `unknown metric source type ${JSON.stringify(type)}`;
  const failure = { name: textOf(type), reason: "InvalidMetricSourceType", message, error: message };
  return { ok: false, ...failure, isSpecError: true, trace: {} };
}

/** Upstream would crash here; the API does not let such an object in. */
function sourceless(type: string): MetricOutcome {
  const message = `invalid metric: the source for type ${type} is missing`;
  return failedMetric({ name: type, reason: `FailedGet${type}Metric`, message, error: message });
}
