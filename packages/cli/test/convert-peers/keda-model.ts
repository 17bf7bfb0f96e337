/** What KEDA and its HPA make of a ScaledObject, in small: the replicas at which they come to rest. */
import type { Vector } from "./promql-values.ts";

export interface ModelTrigger {
  readonly kind: "prometheus" | "cron";
  readonly isValue: boolean;
  readonly threshold: number;
  readonly activation: number;
  readonly ignoresNull: boolean;
  /** The result of the query; of a cron trigger the replicas while it is active. */
  readonly value: Vector;
}

export interface Model {
  readonly min: number;
  readonly max: number;
  readonly idle: number | undefined;
  readonly fallback: number | undefined;
  readonly triggers: readonly ModelTrigger[];
}

/** A failure lasts for longer than any failureThreshold. */
export function kedaReplicas(model: Model, from: number): number {
  const { min, idle, triggers } = model;
  const isActive = triggers.some((trigger) => (readingOf(trigger) ?? 0) > trigger.activation);
  const rest = idle ?? min;
  if (rest < Math.max(1, min) && !isActive) return rest;
  // KEDA itself starts a target at zero.
  let replicas = Math.max(1, from);
  for (let sync = 0; sync < 60; sync++) replicas = hpaReplicas(model, replicas);
  return replicas;
}

/** Undefined: the trigger fails. */
function readingOf({ value, ignoresNull, kind }: ModelTrigger): Vector {
  if (kind === "cron") return value ?? 1;
  return value ?? (ignoresNull ? 0 : undefined);
}

function hpaReplicas({ min, max, fallback, triggers }: Model, current: number): number {
  const proposals = triggers.map((trigger) => {
    const { threshold, isValue } = trigger;
    const reading = readingOf(trigger);
    if (reading === undefined && fallback === undefined) return undefined;
    const assumed = (fallback ?? 0) * threshold;
    const value = reading ?? (isValue ? assumed / current : assumed);
    const ratio = isValue ? value / threshold : value / (threshold * current);
    if (Math.abs(ratio - 1) <= 0.1) return current;
    return Math.ceil(isValue ? ratio * current - 1e-9 : value / threshold);
  });
  const known = proposals.filter((proposal) => proposal !== undefined);
  const highest = known.length === 0 ? current : Math.max(...known);
  const proposed = known.length < proposals.length ? Math.max(highest, current) : highest;
  return Math.min(max, Math.max(min, 1, proposed));
}
