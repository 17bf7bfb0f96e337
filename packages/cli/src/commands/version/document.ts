// Versions for programs: plimsoll/version/v1.

/** Fields are only added within one version of the schema. */
export interface VersionDocument {
  readonly schema: "plimsoll/version/v1";
  readonly at: string;
  readonly version: string;
  /** Of the rules by which decisions are made. */
  readonly coreVersion: string;
  /** The release of Kubernetes whose rules are the default. */
  readonly semantics: string;
  readonly runtime: string;
  readonly notes: readonly string[];
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}
