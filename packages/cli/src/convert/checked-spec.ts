// Checks the specification of a WorkloadAutoscaler that a converter wrote, by the rules of HPAs.
import type { HorizontalPodAutoscaler } from "@plimsoll/core";
import { ConversionError, defaultHpa, validateHpa } from "@plimsoll/core/api";
import { unknownFields } from "./hpa/unknown-fields.ts";
import type { Finding, Json } from "./source.ts";

/** What the API server would refuse in the part that a WorkloadAutoscaler has in common with an HPA. */
export function checkedSpec({
  scaleTargetRef,
  minReplicas,
  maxReplicas,
  metrics,
  behavior,
}: Json): readonly Finding[] {
  const isAtZero = minReplicas === 0;
  const hpa = {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { namespace: "default", name: "generated" },
    spec: {
      scaleTargetRef,
      // Zero has rules of its own here.
      minReplicas: isAtZero ? 1 : minReplicas,
      maxReplicas,
      ...(metrics === undefined ? {} : { metrics: (metrics as readonly Json[]).map(withoutPolicy) }),
      ...(behavior === undefined ? {} : { behavior }),
    },
  };
  const wrong = wrongFields(hpa);
  if (wrong.length > 0) return wrong;
  return validateHpa(defaultHpa(hpa as unknown as HorizontalPodAutoscaler)).map(
    ({ path, value, message }) => ({
      path,
      ...(value === undefined ? {} : { value }),
      message: message === "" ? "is required" : message,
      remedy: "correct it",
    }),
  );
}

/** Fields that no HPA has, and the first one of another type. */
function wrongFields(hpa: Json): readonly Finding[] {
  try {
    return unknownFields({ apiVersion: "autoscaling/v2", value: hpa });
  } catch (error) {
    if (!(error instanceof ConversionError)) throw error;
    const { path } = error;
    return [{ path, message: error.message.replace(`${path}: `, ""), remedy: "correct its type" }];
  }
}

function withoutPolicy(metric: Json): Json {
  return Object.fromEntries(Object.entries(metric).filter(([field]) => field !== "onMetricFailure"));
}
