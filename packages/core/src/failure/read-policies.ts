// Reads the failure policies of an input, which may come from storage.
import type { FailurePolicy } from "../spec/failure-policy.ts";

const block: FailurePolicy = { policy: "Block" };

/** By position. An entry that is no policy, or whose value is of a wrong type, blocks as an absent one does. */
export function readPolicies(policies: unknown): readonly FailurePolicy[] | undefined {
  if (!Array.isArray(policies)) return undefined;
  return policies.every(isPolicy) ? policies : policies.map((entry) => (isPolicy(entry) ? entry : block));
}

function isPolicy(entry: unknown): entry is FailurePolicy {
  if (typeof entry !== "object" || entry === null) return false;
  const { policy, forSeconds, value, replicas } = entry as Readonly<Record<string, unknown>>;
  switch (policy) {
    case "HoldLast":
      return Number.isFinite(forSeconds);
    case "Assume":
      return typeof value === "string" || typeof value === "number";
    case "Fallback":
      return Number.isFinite(replicas);
    default:
      return policy === "Ignore" || policy === "Block";
  }
}
