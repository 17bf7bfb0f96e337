// The results of tests of rules for programs: plimsoll/rules-test/v1.
import type { TestResult } from "./run.ts";

/** Fields are only added within one version of the schema. */
export interface RulesTestDocument {
  readonly schema: "plimsoll/rules-test/v1";
  readonly at: string;
  readonly tests: readonly TestResult[];
  readonly passed: number;
  readonly failed: number;
  readonly notes: readonly string[];
  readonly errors: readonly { readonly object: string; readonly message: string }[];
}
