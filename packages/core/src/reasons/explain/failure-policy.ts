import type { FailurePolicyTrace } from "../../objects/trace/failure-policy.ts";
import { formatInstant } from "../../values/time/rfc3339.ts";

/** What a failure policy did, in a few words without the name of the metric. */
export function failurePolicyEffect(step: FailurePolicyTrace): string {
  const { policy, isApplied, sampledAtMs, value, replicas, waitsUntilMs } = step;
  if (waitsUntilMs !== undefined)
    return `starts at ${formatInstant(waitsUntilMs)}; until then the metric blocks scaling down`;
  switch (policy) {
    case "HoldLast":
      if (sampledAtMs === undefined) return "no samples are recent enough, so the metric blocks scaling down";
      return isApplied
        ? `using its samples from ${formatInstant(sampledAtMs)}`
        : `its samples from ${formatInstant(sampledAtMs)} can't be used either`;
    case "Assume":
      return isApplied
        ? `assuming ${value}`
        : "this type of metric can't have an assumed value, so it blocks scaling down";
    case "Fallback":
      return `proposing ${replicas} replicas`;
    case "Ignore":
      return isApplied ? "the other metrics decide without it" : "no other metric can decide";
  }
}
