import type { Decision } from "../spec/decision.ts";
import { stepOf } from "../summary/step-of.ts";

/** What the limits allow, as a sentence; empty where they took no part. */
export function limitText({ trace }: Pick<Decision, "trace">): string {
  const limit = stepOf(trace, "limit");
  if (limit === undefined || limit.from === limit.result) return "";
  const { reason, result, maxReplicas, minReplicas, from } = limit;
  if (reason === "TooManyReplicas") return `maxReplicas is ${maxReplicas}.`;
  if (reason === "TooFewReplicas") return `minReplicas is ${minReplicas}.`;
  const direction = from > result ? "up" : "down";
  return stepOf(trace, "rate")?.selectPolicy === "Disabled"
    ? `Scaling ${direction} is disabled.`
    : `The rate of scaling ${direction} allows ${result} now.`;
}
