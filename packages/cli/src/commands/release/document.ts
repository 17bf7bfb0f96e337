// The document of `plimsoll rollback plan`.
import type { Difference, ReleasedObject, ReleaseStep } from "@plimsoll/migration/release";
import type { ObjectError } from "../../output/document.ts";

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
