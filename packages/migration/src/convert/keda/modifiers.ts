// A formula of KEDA over the values of several triggers, as one query.
import { promqlProblem } from "@plimsoll/prometheus/syntax";
import type { Findings } from "../findings.ts";
import { within } from "../promql-query.ts";
import { decimal, type FieldReader } from "../values.ts";
import { type PrometheusTrigger, type Trigger, triggerPath } from "./trigger.ts";

const fields = ["formula", "target", "activationTarget", "metricType"];

/** The triggers, with one in place of all that have a query where there is a formula. */
export function withModifiers(
  modifiers: FieldReader,
  triggers: readonly Trigger[],
  findings: Findings,
): readonly Trigger[] {
  if (Object.values(modifiers.value).every((value) => value === "" || value === null)) return triggers;
  modifiers.onlyKnown(fields, "scalingModifiers");
  const formula = modifiers.requiredText("formula") ?? "";
  const refuse = (field: string, message: string, remedy: string): readonly Trigger[] => {
    const value = modifiers.value[field];
    const shown = value === undefined ? {} : { value };
    findings.problem({ path: modifiers.at(field), ...shown, message, remedy });
    return triggers;
  };
  const target = decimal(modifiers.text("target") ?? "");
  const activation = decimal(modifiers.text("activationTarget") || "0");
  const type = modifiers.text("metricType") || "AverageValue";
  if (target === undefined || target < 0.0005)
    return refuse("target", "is not a number of at least 0.001", "correct it");
  if (activation === undefined) return refuse("activationTarget", "is not a number", "correct it");
  if (type !== "AverageValue" && type !== "Value")
    return refuse("metricType", "must be AverageValue or Value", "write one");
  const read = readFormula(formula, triggers);
  if (!read.ok)
    return refuse(
      "formula",
      read.message,
      "rewrite the formula in PromQL, as the query of one prometheus trigger",
    );
  const composite: PrometheusTrigger = {
    ...read.first,
    query: read.query,
    threshold: target,
    isValue: type === "Value",
    activationThreshold: activation,
    // Each part has its own zero, and a formula that gives no number fails.
    ignoresNull: false,
  };
  for (const trigger of triggers) {
    if (trigger.kind !== "prometheus" || read.used.includes(trigger)) continue;
    const message = "is left out, because the formula doesn't use it";
    findings.note({ path: triggerPath(trigger.index), message, remedy: "nothing to do" });
  }
  return [composite, ...triggers.filter(({ kind }) => kind === "resource")];
}

type Formula =
  | {
      readonly ok: true;
      readonly query: string;
      readonly first: PrometheusTrigger;
      readonly used: readonly Trigger[];
    }
  | { readonly ok: false; readonly message: string };

const token = /\s*([A-Za-z_]\w*|\d+(?:\.\d+)?|[-+*/()])\s*/y;

/** Sums, differences, products, and quotients are the same in PromQL; each name becomes the query of its trigger. */
function readFormula(formula: string, triggers: readonly Trigger[]): Formula {
  if (triggers.some(({ kind }) => kind === "cron"))
    return { ok: false, message: "has no equivalent together with a cron trigger" };
  const used: PrometheusTrigger[] = [];
  const parts: string[] = [];
  token.lastIndex = 0;
  while (token.lastIndex < formula.length) {
    const at = token.lastIndex;
    const [, part = ""] = token.exec(formula) ?? [];
    if (part === "")
      return {
        ok: false,
        message: `has no equivalent from ${JSON.stringify(formula.slice(at, at + 40))} on`,
      };
    if (!/^[A-Za-z_]/.test(part)) {
      parts.push(part);
      continue;
    }
    const trigger = triggers.find((one) => one.kind === "prometheus" && one.name === part);
    if (trigger?.kind !== "prometheus")
      return { ok: false, message: `has ${part}, which is not the name of a prometheus trigger` };
    used.push(trigger);
    parts.push(valueOf(trigger));
  }
  const query = parts.join(" ");
  const [first] = used;
  if (first === undefined) return { ok: false, message: "has no name of a trigger" };
  const message = promqlProblem(query);
  if (message !== undefined) return { ok: false, message: `is not a formula: ${message}` };
  if (used.some(({ server }) => JSON.stringify(server) !== JSON.stringify(first.server)))
    return { ok: false, message: "has queries of several servers" };
  return { ok: true, query, first, used };
}

/** As KEDA reads it: NaN and infinity are 0, or fail. */
function valueOf({ query, ignoresNull }: PrometheusTrigger): string {
  return ignoresNull ? `(sum(${within(query)} > -Inf < Inf) or vector(0))` : `sum(${within(query)})`;
}
