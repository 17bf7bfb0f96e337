import { expect, test } from "vitest";
import { createHpaProjection, type ScalingObject } from "../../src/objects/scaling-object.ts";

/** As a watch parses it: each event has objects of its own. */
function event(resourceVersion: string, maxReplicas: number) {
  const spec = { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas };
  return { metadata: { name: "shop", namespace: "default", uid: "u1", resourceVersion }, spec };
}

test("an HPA shares its specification with its former state until that is edited", () => {
  let known: ScalingObject | undefined;
  const project = createHpaProjection(() => known);
  const first = project(event("1", 3));
  known = first;
  const written = project(event("2", 3));
  expect(written.spec).toBe(first.spec);
  expect(written.metadata.resourceVersion).toBe("2");
  const edited = project(event("3", 4));
  expect(edited.spec).not.toBe(first.spec);
  expect(edited.spec.maxReplicas).toBe(4);
});
