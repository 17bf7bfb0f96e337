import { expect, test } from "vitest";
import { createHpaProjection, type ScalingObject } from "../../src/objects/scaling-object.ts";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";

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

test("a WorkloadAutoscaler keeps its specification once, and shares it until that is edited", () => {
  const targetOf = (averageValue: string | number) => ({ type: "AverageValue", averageValue });
  const pods = (averageValue: string | number) => ({
    type: "Pods",
    pods: { metric: { name: "packets" }, target: targetOf(averageValue) },
  });
  const object = (averageValue: string | number) => {
    const { metadata, spec } = event("1", 3);
    return { metadata, spec: { ...spec, behavior: { scaleDown: {} }, metrics: [pods(averageValue)] } };
  };
  const first = projectWla(object("5"));
  const stored = first.wla.storedSpec as ScalingObject["spec"];
  expect(first.spec.behavior).toBe(stored.behavior);
  expect(first.spec.metrics?.[0]?.pods).toBe(stored.metrics?.[0]?.pods);
  const again = projectWla(object("5"), { known: first });
  expect(again.spec).toBe(first.spec);
  expect(again.wla).toBe(first.wla);
  const edited = projectWla(object(6), { known: first });
  expect(edited.spec.metrics?.[0]?.pods).toEqual({ metric: { name: "packets" }, target: targetOf("6") });
  expect(edited.wla.storedSpec).toMatchObject({ metrics: [pods(6)] });
});
