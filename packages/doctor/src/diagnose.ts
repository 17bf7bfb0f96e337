// Runs rules over evidence.
import type { Autoscaler } from "./evidence/autoscaler.ts";
import type { Evidence, FactName, FactReadings, Facts, ObjectEvidence } from "./evidence/facts.ts";
import { type Finding, type FindingObject, type SkippedRule, severities } from "./finding.ts";
import type { Found, ObjectContext, ObjectRule, Outcome, Rule } from "./rule.ts";
import { lowered, reliefOf } from "./severity.ts";

export interface Diagnosis {
  /** By object in the order of the evidence, the most severe first; those of the cluster first of all. */
  readonly findings: readonly Finding[];
  readonly skipped: readonly SkippedRule[];
  readonly checked: { readonly objects: number; readonly rules: number };
}

/** What the rules find. A rule whose facts could not be read is skipped with the reason. */
export function diagnose(evidence: Evidence, rules: readonly Rule[]): Diagnosis {
  const findings: Finding[] = [];
  const skipped: SkippedRule[] = [];
  const collect = (outcome: Result): void => {
    if ("reason" in outcome) skipped.push(outcome);
    else findings.push(outcome);
  };
  for (const result of clusterResults(evidence, rules)) collect(result);
  for (const one of evidence.objects) {
    const results = objectResults(one, rules, evidence.nowMs);
    for (const result of results.toSorted(bySeverity)) collect(result);
  }
  return { findings, skipped, checked: { objects: evidence.objects.length, rules: rules.length } };
}

type Result = Finding | SkippedRule;

function bySeverity(a: Result, b: Result): number {
  const rank = (result: Result) => ("severity" in result ? severities.indexOf(result.severity) : -1);
  return rank(b) - rank(a);
}

const clusterObject: FindingObject = { kind: "Cluster", resource: "", namespace: "", name: "cluster" };

function clusterResults({ nowMs, objects, cluster }: Evidence, rules: readonly Rule[]): readonly Result[] {
  return rules.flatMap((rule): readonly Result[] => {
    if (rule.scope !== "cluster") return [];
    const reason = missing(rule.needs, cluster);
    if (reason !== undefined) return [{ id: rule.id, reason, object: clusterObject }];
    const context = {
      nowMs,
      facts: valuesOf(cluster),
      readings: cluster,
      objects: objects.map(({ object }) => object),
    };
    return rule.check(context).map((outcome) => resultOf(rule, outcome, clusterObject));
  });
}

function objectResults(evidence: ObjectEvidence, rules: readonly Rule[], nowMs: number): readonly Result[] {
  const { object, facts } = evidence;
  const subject = findingObject(object);
  const relief = reliefOf(evidence, nowMs);
  const values = valuesOf(facts);
  return rules.flatMap((rule): readonly Result[] => {
    if (rule.scope !== "object" || rule.applies?.(object) === false) return [];
    return outcomesOf(rule, { object, nowMs, readings: facts, facts: values }).map((outcome) => {
      const result = resultOf(rule, outcome, subject);
      if ("reason" in result || relief === undefined || result.severity === "info") return result;
      return { ...result, severity: lowered(result.severity), evidence: [...result.evidence, relief] };
    });
  });
}

function outcomesOf(rule: ObjectRule, context: ObjectContext<FactName>): readonly Outcome[] {
  const reason = missing(rule.needs, context.readings);
  return reason === undefined ? rule.check(context) : [{ skipped: reason }];
}

function missing(needs: readonly FactName[], readings: FactReadings): string | undefined {
  for (const need of needs) {
    const reading = readings[need];
    if (!reading.ok) return reading.reason;
  }
  return undefined;
}

/** Rules look only at what they need, which was read. */
function valuesOf(readings: FactReadings): Facts {
  const known = Object.entries(readings).flatMap(([name, reading]) =>
    reading.ok ? [[name, reading.value] as const] : [],
  );
  return Object.fromEntries(known) as Partial<Facts> as Facts;
}

function resultOf(rule: Rule, outcome: Outcome, object: FindingObject): Result {
  if ("skipped" in outcome) return { id: rule.id, reason: outcome.skipped, object };
  return findingOf(rule, outcome, object);
}

function findingOf(rule: Rule, found: Found, object: FindingObject): Finding {
  const { command } = found;
  return {
    id: rule.id,
    severity: found.severity ?? rule.severity,
    object: found.object ?? object,
    title: found.title ?? rule.title,
    evidence: found.evidence,
    fix: found.fix ?? rule.fix,
    ...(command === undefined ? {} : { command }),
    docs: docsOf(rule.id),
  };
}

/** Where a rule is described. */
export function docsOf(id: string): string {
  return `docs/doctor.md#${id.toLowerCase()}`;
}

/** The object of findings about an autoscaler. */
export function findingObject({ kind, namespace, name, uid, target }: Autoscaler): FindingObject {
  return {
    kind,
    resource: kind === "HorizontalPodAutoscaler" ? "horizontalpodautoscalers" : "workloadautoscalers",
    namespace,
    name,
    ...(uid === "" ? {} : { uid }),
    target: { kind: target.kind, name: target.name },
  };
}
