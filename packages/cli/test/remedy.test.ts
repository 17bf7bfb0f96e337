// What explain advises where the selector of a target can't be used.
import { expect, test } from "vitest";
import { remedyOf } from "../src/commands/explain/remedy.ts";
import { at } from "./golden/inputs.ts";

const nowMs = at("10:00:00");

test.each([
  ["AmbiguousSelector", "so that no pod has two autoscalers"],
  ["InvalidSelector", "labelSelectorPath in the CRD of Worker"],
])("the fix for %s fits it", (reason, words) => {
  const condition = { type: "ScalingActive", status: "False", reason };
  const target = { apiVersion: "example.com/v1", kind: "Worker", name: "web" };
  const remedy = remedyOf(
    {
      object: { namespace: "shop", name: "web", resource: "horizontalpodautoscalers", target },
      source: "status",
      served: { metadata: { name: "web", namespace: "shop" }, status: { conditions: [condition] } },
    } as object as Parameters<typeof remedyOf>[0],
    nowMs,
  );
  expect(remedy?.fix).toContain(words);
});
