/** The last step that changed the proposed replicas, or why there is no decision; "none": no step did. */
export type HeldBy =
  | "tolerance"
  | "direction"
  | "stabilize"
  | "rate"
  | "cooldown"
  | "min"
  | "max"
  | "schedule"
  | "blocked"
  | "failed"
  | "disabled"
  | "selector"
  | "none";

/** What a decision comes to. */
export interface DecisionSummary {
  readonly current: number;
  /** What the target is to have: `current` where nothing changes or nothing was decided. */
  readonly desired: number;
  /** Before windows and limits; null when no metric proposed. */
  readonly proposed: number | null;
  /** "none": nothing was decided, because scaling is disabled or something failed. */
  readonly action: "scale" | "hold" | "none";
  readonly heldBy: HeldBy;
  /** Position in spec.metrics of the metric that decided; null: none did. */
  readonly decidedBy: number | null;
  /** What holds the replicas holds them until then at least, as RFC 3339; null: no time is known. */
  readonly notBefore: string | null;
}
