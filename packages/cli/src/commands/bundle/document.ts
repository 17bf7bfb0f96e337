// What is in a bundle, for programs: plimsoll/bundle/v1.
import type { ArchivedFile } from "./archive.ts";

/** What is not in the bundle. */
export interface Missing {
  readonly what: string;
  readonly reason: string;
}

/** Fields are only added within one version of the schema. */
export interface BundleDocument {
  readonly schema: "plimsoll/bundle/v1";
  readonly at: string;
  /** Where it was written. */
  readonly file: string;
  readonly files: readonly ArchivedFile[];
  readonly missing: readonly Missing[];
  readonly notes: readonly string[];
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}
