// What is known of other clients that write what we manage.

/** Another client writes the status or the replicas of an object that we manage. */
export interface ForeignWrite {
  readonly what: "status" | "scale";
  /** The manager that the API server recorded, or words for one that it did not. */
  readonly by: string;
}

/** The replicas that we wrote last. */
export interface LastScale {
  readonly replicas: number;
  readonly atMs: number;
}

/** What other writers of one object mean for its next evaluation. */
export interface Conflict {
  /** Ends our management. */
  readonly foreign: ForeignWrite | undefined;
  /** Another client changed our replicas right after we had written them. */
  readonly overwritten: Overwritten | undefined;
  /** Undefined once it was compared. */
  readonly lastScale: LastScale | undefined;
  readonly disputes: readonly number[];
}

export interface Overwritten {
  readonly wrote: number;
  readonly found: number;
  readonly manager: string | undefined;
}

export interface ConflictLimits {
  readonly periodMs: number;
  /** Window in which a second dispute over the replicas ends our management. */
  readonly windowMs: number;
}
