// PL-054: each target that the API server takes and whose type contradicts its field, with each part of the advice applied.
import { validateHpa } from "@plimsoll/core/api";
import type { Fields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { examine, hpa } from "./world.ts";

const amounts: Fields = { averageUtilization: 50, averageValue: "5", value: "5" };
const metric = { name: "queue_depth" };
const sources: readonly (readonly [type: string, field: string, Fields])[] = [
  ["Resource", "resource", { name: "cpu" }],
  ["ContainerResource", "containerResource", { name: "cpu", container: "main" }],
  ["Pods", "pods", { metric }],
  ["Object", "object", { metric, describedObject: { apiVersion: "v1", kind: "Service", name: "shop" } }],
  ["External", "external", { metric }],
];

const objectWith = (type: string, field: string, source: Fields, target: Fields): Fields =>
  hpa({ spec: { metrics: [{ type, [field]: { ...source, target } }] } });
const findingsOf = (object: Fields) => examine("PL-054", { object }).findings;
const problemsOf = (object: Fields) => validateHpa(object);

test.each(sources)("%s metrics", (type, field, source) => {
  const found = { targets: 0, fields: 0 };
  for (const targetType of ["Utilization", "AverageValue", "Value"])
    for (const [name, amount] of Object.entries(amounts)) {
      const object = objectWith(type, field, source, { type: targetType, [name]: amount });
      const [finding] = findingsOf(object);
      // What the API server refuses is said by its validation.
      expect(finding === undefined || problemsOf(object).length === 0).toBe(true);
      if (finding === undefined) continue;
      found.targets += 1;
      const [, other] = /use type: (\w+)/.exec(finding.fix) ?? [];
      const [, wanted] = /otherwise (\w+) instead of/.exec(finding.fix) ?? [];
      if (wanted !== undefined) found.fields += 1;
      const repaired = [
        { type: other, [name]: amount },
        ...(wanted === undefined ? [] : [{ type: targetType, [wanted]: amounts[wanted] }]),
      ];
      for (const target of repaired) {
        const next = objectWith(type, field, source, target);
        expect([problemsOf(next), findingsOf(next)]).toEqual([[], []]);
      }
    }
  expect(found.targets).toBeGreaterThan(1);
  // Metrics of pods have averages only.
  expect(found.fields > 0).toBe(type !== "Pods");
});
