// What a prometheus trigger of KEDA gives, as one PromQL query.
import { within } from "../promql-query.ts";
import { quantityText } from "../values.ts";
import type { PrometheusTrigger } from "./trigger.ts";

/** How the value counts while the trigger is not active. */
export interface QueryShape {
  /** The target rests below its minimum while no trigger is active, so that an inactive one has to be 0. */
  readonly rests: boolean;
  /** The replicas of an active object, where the value has to give them: 1 where a limit does. */
  readonly activeReplicas: number;
}

/**
 * KEDA takes an empty result, NaN, infinity and what is below 0 for 0, and asks for one result. An inactive trigger is 0 here, where
 * KEDA lowers the target itself.
 */
export function kedaQuery(trigger: PrometheusTrigger, { rests, activeReplicas }: QueryShape): string {
  const { query, ignoresNull, activationThreshold, threshold } = trigger;
  const above = rests ? String(activationThreshold) : "0";
  const floor = quantityText(threshold * activeReplicas);
  const atLeast = (value: string) => (rests && activeReplicas > 1 ? `clamp_min(${value}, ${floor})` : value);
  if (ignoresNull) return `${atLeast(`sum(${within(query)} > ${above} < Inf)`)} or vector(0)`;
  // Without a value the query fails: it is read as it is.
  if (!rests) return query.trim();
  return `${atLeast(`sum(${within(query)})`)} * (sum(${within(query)}) > bool ${above})`;
}
