// What a plan says: objects, differences, and steps.

export interface ReleasedObject {
  /** Such as "wla/shop". */
  readonly object: string;
  readonly namespace: string;
  /** Such as "Deployment/shop". */
  readonly target: string;
  /** Of the target; null: its scale could not be read. */
  readonly replicas: number | null;
  readonly becomes: string;
}

export interface Difference {
  readonly object: string;
  readonly namespace: string;
  /** A field, such as "spec.schedules". */
  readonly path: string;
  /** What happens instead. */
  readonly instead: string;
}

export interface ReleaseStep {
  readonly title: string;
  readonly reason: string;
  /** For a shell, in this order; empty: what the reason says is done by hand. */
  readonly commands: readonly string[];
  readonly undo: {
    /** Empty: see the note. */
    readonly commands: readonly string[];
    readonly note: string;
  };
}
