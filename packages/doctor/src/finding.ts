// What a rule finds.

export const severities = ["info", "warn", "error"] as const;

/** In rising order: info, warn, error. */
export type Severity = (typeof severities)[number];

/** The object that a finding is about. */
export interface FindingObject {
  readonly kind: string;
  /** The plural, such as "horizontalpodautoscalers". */
  readonly resource: string;
  /** "" for what has none. */
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
  readonly target?: { readonly kind: string; readonly name: string };
}

/** One thing that was read, and where. */
export interface EvidenceItem {
  readonly what: string;
  readonly value: string;
  /** Object and field, such as "Deployment pay/billing .spec.replicas". */
  readonly from: string;
}

/** Something that is wrong, or worth a word, with what shows it and what to do about it. */
export interface Finding {
  /** Such as "PL-007". */
  readonly id: string;
  readonly severity: Severity;
  readonly object: FindingObject;
  readonly title: string;
  readonly evidence: readonly EvidenceItem[];
  readonly fix: string;
  /** A command that makes the fix; it is only ever printed. */
  readonly command?: string;
  /** Where the rule is described, below the root of the project. */
  readonly docs: string;
}

/** A rule that could not be checked on an object, or not in full. */
export interface SkippedRule {
  readonly id: string;
  readonly reason: string;
  readonly object: FindingObject;
}
