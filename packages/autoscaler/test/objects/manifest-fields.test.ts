import { wlaFieldProblems } from "@plimsoll/core/internal/objects";
import { fieldsOf, isFields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { workloadAutoscalerCrd } from "../../src/testing/crd/workload-autoscaler.ts";

/** A value with every field of a schema, and none beside them. */
function whole(schema: unknown): unknown {
  const { type, properties, items, format, "x-kubernetes-int-or-string": isQuantity } = fieldsOf(schema);
  if (isQuantity === true) return "1";
  if (isFields(properties))
    return Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, whole(inner)]));
  if (type === "array") return [whole(items)];
  if (type === "integer") return 1;
  if (type === "boolean") return true;
  if (type === "object") return {};
  return format === "date-time" ? "2026-01-31T12:00:00Z" : "x";
}

test("the check of manifests knows every field of the definition, with its type", () => {
  const [{ schema }] = workloadAutoscalerCrd.spec.versions;
  const object = fieldsOf(whole(schema.openAPIV3Schema));
  expect(wlaFieldProblems(object)).toEqual([]);
});
