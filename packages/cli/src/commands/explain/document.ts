// The explanation for programs: plimsoll/explain/v1.
import type { DecisionSummary, OtherWriter, StatusComparison, WhyNot } from "@plimsoll/core";
import type { Finding } from "@plimsoll/doctor";
import type { Assumption, HistoryBound } from "@plimsoll/observe";
import type { Explained } from "../../decisions/source.ts";
import type { ObjectIdentity } from "../../objects/scaling-object.ts";
import type { ObjectError } from "../../output/document.ts";
import type { SettingChange } from "./setting-changes.ts";

/** Fields are only added within one version of the schema. */
export interface ExplainDocument {
  readonly schema: "plimsoll/explain/v1";
  readonly source: "recorded" | "recomputed" | "status";
  /** When it was decided, RFC 3339. */
  readonly at: string;
  readonly object: ObjectIdentity;
  readonly mode?: string;
  readonly summary: DecisionSummary;
  /** As `decide` of the core package gives it; null: only the status is known. */
  readonly decision: object | null;
  readonly assumptions: readonly Assumption[];
  /** How much depends on the past, which is unknown; absent: it is known. */
  readonly history?: HistoryBound;
  /** Another client that writes the status or the replicas; absent: none, or it is not recorded. */
  readonly otherWriter?: OtherWriter;
  readonly comparison: ({ readonly with: string } & StatusComparison) | null;
  readonly findings: readonly Finding[];
  /** With --why-not. */
  readonly whyNot?: WhyNot;
  /** With --diff. */
  readonly changes?: readonly SettingChange[];
  readonly notes: readonly string[];
  /** What could not be read of the object; the rest is there. */
  readonly errors: readonly ObjectError[];
}

export function explainDocument(
  explained: Explained,
  parts: Pick<ExplainDocument, "summary" | "notes"> & {
    readonly whyNot?: WhyNot | undefined;
    readonly changes?: readonly SettingChange[] | undefined;
  },
): ExplainDocument {
  const {
    source,
    at,
    object,
    mode,
    assumptions,
    history,
    otherWriter,
    comparison,
    findings = [],
    errors = [],
  } = explained;
  const { summary, whyNot, changes, notes } = parts;
  return {
    schema: "plimsoll/explain/v1",
    source,
    at,
    object,
    ...(mode === undefined ? {} : { mode }),
    summary,
    decision: explained.decision ?? null,
    assumptions,
    ...(history === undefined ? {} : { history }),
    ...(otherWriter === undefined ? {} : { otherWriter }),
    comparison:
      comparison === undefined
        ? null
        : {
            with: otherWriter?.writes === "status" ? otherWriter.by : "kube-controller-manager",
            ...comparison,
          },
    findings,
    ...(whyNot === undefined ? {} : { whyNot }),
    ...(changes === undefined ? {} : { changes }),
    notes: [...explained.notes, ...notes],
    errors: errors.map((message) => ({ object: `${object.namespace}/${object.name}`, message })),
  };
}
