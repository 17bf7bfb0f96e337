// Targets of metrics whose type contradicts the field that is set: the built-in controller mostly looks at the field.
import { sourceFields, targetTypes } from "@plimsoll/core/internal/objects";
import type { Fields } from "@plimsoll/core/internal/values";
import type { Document } from "yaml";
import type { Findings } from "../findings.ts";

const fieldOf: Readonly<Record<string, string>> = {
  Utilization: "averageUtilization",
  Value: "value",
  AverageValue: "averageValue",
};

/** Changes the document, in which each target has to have exactly the field of its type. */
export function settleTargets(document: Document, findings: Findings): void {
  const { spec } = document.toJS() as { readonly spec: Fields };
  const metrics = (spec["metrics"] ?? []) as readonly Fields[];
  for (const [index, metric] of metrics.entries())
    for (const source of sourceFields) {
      const { target } = (metric[source] ?? {}) as { readonly target?: Fields };
      if (target === undefined) continue;
      settle(target, { document, at: ["spec", "metrics", index, source, "target"], source }, findings);
    }
}

interface Place {
  readonly document: Document;
  readonly at: readonly (string | number)[];
  readonly source: (typeof sourceFields)[number];
}

function settle(target: Fields, { document, at, source }: Place, findings: Findings): void {
  const type = String(target["type"]);
  const set = Object.keys(fieldOf).filter((name) => (target[fieldOf[name] ?? ""] ?? null) !== null);
  // An object's metric is read by its type.
  const types = source === "object" ? [type] : targetTypes[source];
  const read = types.find((name) => set.includes(name));
  if (set.length === 0 || (read === type && set.length === 1)) return;
  const path = `spec.metrics[${at[2]}].${source}.target`;
  const named = set.map((name) => fieldOf[name]).join(" and ");
  if (read === undefined) {
    const isKnown = targetTypes[source].includes(type);
    const goesWith = isKnown ? `needs ${fieldOf[type]} only` : "is not one of its types";
    const message = `${goesWith}, but ${named} ${set.length === 1 ? "is" : "are"} set: the built-in controller can't read such a metric`;
    findings.problem({
      path: `${path}.type`,
      value: type,
      message,
      remedy: isKnown
        ? `use ${types.map((one) => fieldOf[one]).join(" or ")}`
        : `use type: ${set.filter((one) => targetTypes[source].includes(one)).join(" or ")}`,
    });
    return;
  }
  document.setIn([...at, "type"], read);
  for (const name of set) if (name !== read) document.deleteIn([...at, fieldOf[name]]);
  findings.note({
    path: `${path}.type`,
    value: type,
    message: `is written as ${read}: ${named} ${set.length === 1 ? "is" : "are"} set, and the built-in controller takes ${fieldOf[read]}`,
    remedy: "correct the type if you meant something else",
  });
}
