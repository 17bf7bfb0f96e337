// What happens to the processes besides churn, and when.
import type { Random } from "./random.ts";

export const disruptionKinds = [
  "kill-leader",
  "stop-leader",
  "restart-prometheus",
  "rotate-certificates",
  "edit-rules",
  "step-autoscaler-clocks",
  "step-adapter-clock",
] as const;

export type DisruptionKind = (typeof disruptionKinds)[number];

export interface Disruption {
  readonly atMs: number;
  readonly kind: DisruptionKind;
  /** Of a clock. */
  readonly stepMs: number;
}

/** The last part of a soak without restarts of autoscalers, so that growth of either is checked over a long life. */
export const lastLifeShare = 0.6;
const minBetweenMs = 20_000;
const perSoak = 20;
const isRestart = (kind: DisruptionKind) => kind === "kill-leader" || kind === "stop-leader";

/** Every kind comes before one comes twice; restarts come in the first part only. */
export function planDisruptions(durationMs: number, random: Random): readonly Disruption[] {
  const betweenMs = Math.max(minBetweenMs, durationMs / perSoak);
  const plan: Disruption[] = [];
  let bag: DisruptionKind[] = [];
  for (let atMs = betweenMs; atMs <= durationMs - betweenMs; atMs += betweenMs) {
    const mayRestart = atMs < durationMs * (1 - lastLifeShare);
    if (!bag.some((kind) => mayRestart || !isRestart(kind))) bag = [...bag, ...disruptionKinds];
    const kind = random.pick(bag.filter((one) => mayRestart || !isRestart(one)));
    bag.splice(bag.indexOf(kind), 1);
    plan.push({ atMs, kind, stepMs: random.pick([-1, 1]) * random.whole(5, 120) * 1000 });
  }
  return plan;
}
