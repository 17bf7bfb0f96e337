import { expect, test } from "vitest";
import { checkRuleObjects } from "../../src/check/check-objects.ts";
import { externalSpec, rawRule } from "../rules.ts";

test("of objects with one name the last counts, as when they are applied", () => {
  const objects = [
    rawRule("queue", externalSpec("first")),
    rawRule("queue", externalSpec("last")),
    rawRule("queue", externalSpec(), { namespace: "other" }),
  ];
  const checked = checkRuleObjects(objects, { namespaceLabel: "namespace", namespace: "default" });
  expect(checked).toMatchObject([
    { namespace: "shop", decided: { type: "accepted", rule: { query: 'last{namespace="shop"}' } } },
    { namespace: "other", decided: { type: "accepted" } },
  ]);
  expect(checked).toHaveLength(2);
});
