import type { FailurePolicyTrace } from "../../objects/trace/failure-policy.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";

/** What a failure policy did, in a few words without the name of the metric. */
export function failurePolicyEffect(step: FailurePolicyTrace): string {
  const { policy, isApplied, sampledAtMs, value, replicas, waitsUntilMs } = step;
  if (waitsUntilMs !== undefined)
    return `it is used from ${formatInstant(waitsUntilMs)} on; until then the metric blocks scale-downs`;
  switch (policy) {
    case "HoldLast":
      if (sampledAtMs === undefined)
        return "there are no samples recent enough: the metric blocks scale-downs";
      return isApplied
        ? `its samples of ${formatInstant(sampledAtMs)} count`
        : `its samples of ${formatInstant(sampledAtMs)} give no proposal either`;
    case "Assume":
      return isApplied
        ? `${value} is assumed`
        : "a value cannot be assumed for this type of metric: it blocks scale-downs";
    case "Fallback":
      return `it proposes ${replicas} replicas`;
    case "Ignore":
      return isApplied ? "the other metrics decide without it" : "no other metric is left to decide";
  }
}
