// Says in one sentence what holds the replicas, and until when: for an event, and for a condition of our own kind.
import {
  type Decision,
  type DecisionEvent,
  type DecisionSummary,
  formatInstant,
  type HeldBy,
  summarize,
  type TraceStep,
} from "@plimsoll/core";

/** The step that holds the replicas of an object, as of its last decision, and the events that said so. */
export interface Held {
  readonly by: HeldBy;
  /** When an event said so of each step. */
  readonly eventsAtMs: Readonly<Partial<Record<HeldBy, number>>>;
}

/** Steps that keep the replicas from what the metrics propose. A failure has events of its own. */
const holding: ReadonlySet<HeldBy> = new Set<HeldBy>([
  "direction",
  "stabilize",
  "rate",
  "cooldown",
  "min",
  "max",
  "schedule",
  "blocked",
]);

export function isHeld(by: HeldBy): boolean {
  return holding.has(by);
}

/** A load that goes to and fro must not fill the list of events. */
const minRepeatMs = 600_000;

/**
 * An event when another step holds the replicas than at the decision before; none for a new time alone, and none about
 * what was before this process decided.
 */
export function heldEvent(
  decision: Decision,
  before: Held | undefined,
  nowMs: number,
): { readonly held: Held; readonly events: readonly DecisionEvent[] } {
  const summary = summarize(decision);
  const { heldBy: by } = summary;
  const eventsAtMs = before?.eventsAtMs ?? {};
  const lastMs = eventsAtMs[by] ?? Number.NEGATIVE_INFINITY;
  const isRepeated = nowMs - lastMs < minRepeatMs && nowMs >= lastMs;
  if (before === undefined || before.by === by || !isHeld(by) || isRepeated)
    return { held: { by, eventsAtMs }, events: [] };
  const event: DecisionEvent = {
    type: "Normal",
    reason: "ReplicasHeld",
    message: heldText(decision, summary),
  };
  return { held: { by, eventsAtMs: { ...eventsAtMs, [by]: nowMs } }, events: [event] };
}

/** One sentence, which is true for as long as the same step holds. */
export function heldText(decision: Decision, summary: DecisionSummary = summarize(decision)): string {
  const { action, desired, proposed, heldBy, notBefore } = summary;
  if (heldBy === "none" || heldBy === "tolerance") return "replicas are not held";
  const until = notBefore === null ? "" : ` until at least ${notBefore}`;
  const head =
    action === "scale" ? `scaling to ${replicas(desired)} only` : `staying at ${replicas(desired)}`;
  const text = reasons[heldBy](summary, decision.trace);
  return `${head}${until}: ${proposed === null ? "" : `metrics call for ${proposed}, but `}${text}`;
}

type Trace = readonly TraceStep[];

const undecided = ({ heldBy }: DecisionSummary): string => `no decision by metrics (${heldBy})`;

/** Why, by the step that holds the replicas. */
const reasons: Readonly<Record<HeldBy, (summary: DecisionSummary, trace: Trace) => string>> = {
  stabilize: (_, trace) => {
    const by = trace.find((step) => step.kind === "stabilize")?.heldBy;
    const from = by === undefined ? "" : ` of ${by.replicas} at ${formatInstant(by.atMs)}`;
    return `the recommendation${from} is still in the stabilization window`;
  },
  rate: (_, trace) => {
    const step = trace.find((one) => one.kind === "rate");
    return step?.selectPolicy === "Disabled"
      ? `spec.behavior disables scaling ${step.direction}`
      : "scaling policies allow no more for now";
  },
  cooldown: () => "the delay after the last scale is not over",
  min: ({ desired }) => `minReplicas is ${desired}`,
  max: ({ desired }) => `maxReplicas is ${desired}`,
  schedule: () => "a schedule sets the limits",
  blocked: () => "a metric failed, which blocks scaling down",
  direction: () => "missing or unready pods could reverse the direction",
  failed: undecided,
  disabled: undecided,
  selector: undecided,
  tolerance: undecided,
  none: undecided,
};

function replicas(count: number): string {
  return `${count} ${count === 1 ? "replica" : "replicas"}`;
}
