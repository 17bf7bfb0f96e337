// What the recipe book says of MetricRules.
import { expect, test } from "vitest";
import { known } from "../src/index.ts";
import { bookNote, metricRule } from "./cases/operation.ts";
import { condition, examine, said } from "./world.ts";

const found = (id: string, reason: string) =>
  examine(id, {
    facts: {
      metricRules: known([
        metricRule({
          conditions: [condition("Accepted", "True", "Accepted"), condition("Resolved", "False", reason)],
        }),
      ]),
      metricRuleNotes: known([bookNote]),
    },
  }).findings.map(said);

test("why a query finds no series is said only where it finds none", () => {
  expect(found("PL-047", "NoSeries")).toEqual([expect.stringContaining(bookNote.whyEmpty)]);
  expect(found("PL-047", "NoValue")).toEqual([expect.not.stringContaining("Istio")]);
});

test("a mistake that the book knows is a finding of its MetricRule, whether it has values or not", () => {
  expect(found("PL-053", "NoSeries")).toEqual([
    "the MetricRule is probably not what was intended; spec.query the series are from ingress-nginx",
  ]);
});
