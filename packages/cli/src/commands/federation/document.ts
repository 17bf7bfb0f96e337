// The document of `plimsoll federation plan`.
import type { PlannedBackend } from "@plimsoll/migration/federation";
import type { ReleaseStep } from "@plimsoll/migration/release";
import type { ObjectError } from "../../output/document.ts";

/** Fields are only added within one version of the schema. */
export interface FederationPlanDocument {
  readonly schema: "plimsoll/federation-plan/v1";
  readonly at: string;
  /** Of the API server, such as "v1.37.1"; "" where it may not be read. */
  readonly server: string;
  /** The adapters behind the APIServices now, which become backends of ours. */
  readonly backends: readonly PlannedBackend[];
  /** The file of backends, for --federation-config; "" where there are none. */
  readonly config: string;
  /** In this order. */
  readonly steps: readonly ReleaseStep[];
  readonly notes: readonly string[];
  /** Nothing is planned where something could not be read: always empty. */
  readonly errors: readonly ObjectError[];
}
