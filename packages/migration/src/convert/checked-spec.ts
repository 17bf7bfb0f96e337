// Checks the specification of a WorkloadAutoscaler that a converter wrote, by the rules of HPAs.
import { checkHpa } from "@plimsoll/core/internal/objects";
import type { Fields, Remark } from "@plimsoll/core/internal/values";

/** What the API server would refuse in the part that a WorkloadAutoscaler has in common with an HPA. */
export function checkedSpec({
  scaleTargetRef,
  minReplicas,
  maxReplicas,
  metrics,
  behavior,
}: Fields): readonly Remark[] {
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
      ...(metrics === undefined ? {} : { metrics: (metrics as readonly Fields[]).map(withoutPolicy) }),
      ...(behavior === undefined ? {} : { behavior }),
    },
  };
  return checkHpa(hpa);
}

function withoutPolicy(metric: Fields): Fields {
  return Object.fromEntries(Object.entries(metric).filter(([field]) => field !== "onMetricFailure"));
}
