// What is known of other clients that write what we manage.
import type { ScalingObject } from "../../objects/scaling-object.ts";

/** The replicas that we wrote last. */
export interface LastScale {
  readonly replicas: number;
  readonly atMs: number;
}

/** Another client keeps undoing our writes of the replicas. */
export interface Contest {
  /** The field manager of its last write, or words for one that the API server did not record. */
  readonly by: string;
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** The most replicas that it undid. */
  readonly highest: number;
  /** We write the same replicas again at this time. */
  readonly nextWriteMs: number;
  /** It has stopped if it undoes nothing until this time. */
  readonly quietMs: number;
}

/** Another controller writes the status of the object: we only watch until it stops. */
export interface Yielded {
  readonly by: string;
  readonly sinceMs: number;
  readonly lastMs: number;
  readonly count: number;
  /** How often it writes, as far as we saw. */
  readonly periodMs: number;
  readonly seen: ScalingObject["status"];
  /** Another process of ours had the object since: what was written meanwhile may be its own. */
  readonly isUnwatched?: true;
  /** The object's annotation at that time: a change of it makes us manage the object again. */
  readonly reclaim: string | undefined;
}

/** A status under our own name that we did not write. One alone may be the last write of a process that has ended. */
export interface Suspect {
  readonly lastMs: number;
  readonly seen: ScalingObject;
}

/** What other writers of one object mean for its next evaluation. */
export interface Conflict {
  /** Undefined: we manage the object, or its mode says that we only watch. */
  readonly yielded: Yielded | undefined;
  readonly suspect: Suspect | undefined;
  readonly contest: Contest | undefined;
  /** Another client changed our replicas right after we had written them. */
  readonly overwritten: Overwritten | undefined;
  /** Undefined once it was compared. */
  readonly lastScale: LastScale | undefined;
}

export interface Overwritten {
  readonly wrote: number;
  readonly found: number;
  readonly manager: string | undefined;
}

export interface ConflictLimits {
  readonly periodMs: number;
}
