// Reads cpu and memory triggers, which are metrics of the HPA as they are.
import type { Findings } from "../findings.ts";
import { type FieldReader, fieldPath } from "../values.ts";
import type { ResourceTrigger } from "./trigger.ts";

const metadataFields = ["type", "value", "containerName"];
const maxInt32 = 2 ** 31 - 1;

export function readResource(
  trigger: FieldReader,
  { index, name }: { readonly index: number; readonly name: "cpu" | "memory" },
  findings: Findings,
): ResourceTrigger | undefined {
  const metadata = trigger.inner("metadata");
  noteUnknown(metadata, metadataFields, `a ${name} trigger`, findings);
  // Before KEDA 2.18 the type was below metadata.
  const ownType = trigger.text("metricType");
  const type = ownType ?? metadata.text("type");
  const typePath = ownType === undefined ? metadata.at("type") : trigger.at("metricType");
  const value = metadata.requiredText("value");
  const container = metadata.text("containerName");
  if (value === undefined) return undefined;
  const target = targetOf(type, value.trim());
  if ("refused" in target) {
    const isType = target.refused === "type";
    findings.problem({
      path: isType ? typePath : metadata.at("value"),
      ...(isType && type === undefined ? {} : { value: isType ? type : value }),
      message: isType ? "must be Utilization or AverageValue" : target.message,
      remedy: isType ? "write metricType of the trigger" : "correct it",
    });
    return undefined;
  }
  const metric =
    container === undefined || container === ""
      ? { type: "Resource", resource: { name, target } }
      : { type: "ContainerResource", containerResource: { name, container, target } };
  return { kind: "resource", index, metric };
}

type Target = { readonly type: string } | { readonly refused: "type" | "value"; readonly message: string };

function targetOf(type: string | undefined, value: string): Target {
  if (type === "AverageValue") return { type, averageValue: value } as Target;
  if (type !== "Utilization") return { refused: "type", message: "" };
  const percent = /^\d{1,10}$/.test(value) ? Number(value) : 0;
  if (percent < 1 || percent > maxInt32)
    return { refused: "value", message: "is not a percentage of at least 1" };
  return { type, averageUtilization: percent } as Target;
}

/** Metadata is free text for KEDA: what a scaler does not know has no effect. */
export function noteUnknown(
  { path, value }: FieldReader,
  known: readonly string[],
  what: string,
  findings: Findings,
): void {
  for (const field of Object.keys(value)) {
    if (known.includes(field)) continue;
    findings.note({
      path: fieldPath(path, field),
      message: `is not a setting of ${what} and is left out`,
      remedy: `use one of ${known.join(", ")}`,
    });
  }
}
