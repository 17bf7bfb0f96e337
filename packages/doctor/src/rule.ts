// What a rule is.
import type { Autoscaler } from "./evidence/autoscaler.ts";
import type { FactName, FactReadings, Facts } from "./evidence/facts.ts";
import type { Reading } from "./evidence/reading.ts";
import type { EvidenceItem, FindingObject, Severity } from "./finding.ts";

interface RuleText {
  /** Such as "PL-007". Assigned once, never given to another rule. */
  readonly id: string;
  readonly severity: Severity;
  /** What is wrong, in a few words; a finding may have a more precise one. */
  readonly title: string;
  /** When the rule finds something. */
  readonly condition: string;
  /** What to do about it. */
  readonly fix: string;
  /** The records of the autoscaler are enough for it. */
  readonly isFromRecords?: true;
  /** Manifests are enough for it: it needs no cluster. */
  readonly isForManifests?: true;
}

/** A rule about one autoscaler, by the facts that it cannot do without. */
export interface ObjectRule<N extends FactName = FactName> extends RuleText {
  readonly scope: "object";
  readonly needs: readonly N[];
  /** Looked at where they could be read. */
  readonly uses?: readonly FactName[];
  /** Objects that the rule says nothing about are not skipped. */
  readonly applies?: (object: Autoscaler) => boolean;
  readonly check: (context: ObjectContext<N>) => readonly Outcome[];
}

/** A rule about what all autoscalers share. */
export interface ClusterRule<N extends FactName = FactName> extends RuleText {
  readonly scope: "cluster";
  readonly needs: readonly N[];
  readonly uses?: readonly FactName[];
  readonly check: (context: ClusterContext<N>) => readonly Outcome[];
}

export type Rule = ObjectRule | ClusterRule;

interface Context<N extends FactName> {
  readonly nowMs: number;
  /** What the rule needs. */
  readonly facts: Pick<Facts, N>;
  /** The same and everything else, with the reasons for what could not be read. */
  readonly readings: FactReadings;
}

export interface ObjectContext<N extends FactName = never> extends Context<N> {
  readonly object: Autoscaler;
}

export interface ClusterContext<N extends FactName = never> extends Context<N> {
  readonly objects: readonly Autoscaler[];
}

/** What is found, or why a part of the rule could not be checked. */
export type Outcome = Found | { readonly skipped: string };

export interface Found {
  /** In place of the rule's. */
  readonly title?: string | undefined;
  readonly severity?: Severity | undefined;
  readonly evidence: readonly EvidenceItem[];
  /** In place of the rule's. */
  readonly fix?: string | undefined;
  readonly command?: string | undefined;
  /** Of a rule about the cluster. */
  readonly object?: FindingObject;
}

/** Gives the rule the type that tables hold. */
export function objectRule<N extends FactName = never>(rule: Omit<ObjectRule<N>, "scope">): Rule {
  return { ...rule, scope: "object" } as unknown as ObjectRule;
}

export function clusterRule<N extends FactName = never>(rule: Omit<ClusterRule<N>, "scope">): Rule {
  return { ...rule, scope: "cluster" } as unknown as ClusterRule;
}

/** What one of several parts finds; the part is skipped when its fact could not be read. */
export function checkPart<T>(
  reading: Reading<T>,
  check: (value: T) => readonly Outcome[],
): readonly Outcome[] {
  return reading.ok ? check(reading.value) : [{ skipped: reading.reason }];
}

export function item(what: string, value: string, from: string): EvidenceItem {
  return { what, value, from };
}
