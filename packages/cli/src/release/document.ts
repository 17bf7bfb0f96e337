// The document of `plimsoll release plan`.
import type { ObjectError } from "../status/document.ts";

/** Fields are only added within one version of the schema. */
export interface ReleasePlanDocument {
  readonly schema: "plimsoll/release-plan/v1";
  readonly at: string;
  /** Of the API server, such as "v1.37.1"; "" where it may not be read. */
  readonly server: string;
  /** What scales or moves bounds now, and what does instead. */
  readonly objects: readonly ReleasedObject[];
  /** What the objects say now and their successors cannot. */
  readonly differences: readonly Difference[];
  /** In this order. */
  readonly steps: readonly ReleaseStep[];
  readonly notes: readonly string[];
  /** Nothing is planned where something could not be read: always empty. */
  readonly errors: readonly ObjectError[];
}

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
