import { maxNamed } from "@plimsoll/observe";
import { expect, test } from "vitest";
import { createScaleTargetIndex } from "../../../src/reconcile/conflicts/scale-target-index.ts";

const many = 2000;
const keys = Array.from({ length: many }, (_, n) => `default/h${n}`);

test("of thousands that name one target each names a few, itself among them", () => {
  const index = createScaleTargetIndex();
  for (const key of keys) {
    const name = key.slice("default/".length);
    const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
    index.put({
      kind: "HorizontalPodAutoscaler",
      metadata: { name, namespace: "default" },
      spec: { scaleTargetRef, maxReplicas: 1 },
    });
  }
  for (const key of keys) {
    const named = index.conflictingWith(key);
    expect(named).toHaveLength(maxNamed);
    expect(named).toContain(key);
  }
});
