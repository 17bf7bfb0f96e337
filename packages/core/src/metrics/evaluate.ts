import type { MetricSpec } from "../spec/metric-spec.ts";
import type { MetricSamples } from "../spec/samples.ts";
import { textOf } from "../spec/text.ts";
import type { MetricContext } from "./context.ts";
import { evaluateExternal } from "./external.ts";
import { evaluateObject } from "./object.ts";
import { failedMetric, type MetricOutcome } from "./outcome.ts";
import { evaluatePods } from "./pods.ts";
import { evaluateContainerResource, evaluateResource } from "./resource.ts";

/** @upstream pkg/controller/podautoscaler/horizontal.go#computeReplicasForMetric */
export function evaluateMetric(
  spec: MetricSpec,
  samples: MetricSamples,
  context: MetricContext,
): MetricOutcome {
  switch (spec.type) {
    case "Resource":
      return spec.resource ? evaluateResource(spec.resource, samples, context) : sourceless(spec.type);
    case "ContainerResource":
      return spec.containerResource
        ? evaluateContainerResource(spec.containerResource, samples, context)
        : sourceless(spec.type);
    case "Pods":
      return spec.pods?.metric ? evaluatePods(spec.pods, samples, context) : sourceless(spec.type);
    case "Object":
      return spec.object?.metric ? evaluateObject(spec.object, samples, context) : sourceless(spec.type);
    case "External":
      return spec.external?.metric
        ? evaluateExternal(spec.external, samples, context)
        : sourceless(spec.type);
    default:
      return unknownType(spec.type);
  }
}

function unknownType(type: string): MetricOutcome {
  const message = `unknown metric source type ${JSON.stringify(type)}`;
  const failure = { name: textOf(type), reason: "InvalidMetricSourceType", message, error: message };
  return { ...failedMetric(failure), ok: false, ...failure, isSpecError: true };
}

/** Upstream would crash here; the API does not let such an object in. */
function sourceless(type: string): MetricOutcome {
  const message = `invalid metric: the source for type ${type} is missing`;
  return failedMetric({ name: type, reason: `FailedGet${type}Metric`, message, error: message });
}
