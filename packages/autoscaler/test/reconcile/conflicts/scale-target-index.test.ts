import { maxNamed } from "@plimsoll/observe";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import { createScaleTargetIndex } from "../../../src/reconcile/conflicts/scale-target-index.ts";

const many = 2000;
const keys = Array.from({ length: many }, (_, n) => `default/h${n}`);

function naming(name: string, ref: object = {}, namespace = "default"): ScalingObject {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop", ...ref },
      maxReplicas: 1,
    },
  };
}

test("of thousands that name one target each names a few, itself among them", () => {
  const index = createScaleTargetIndex();
  for (const key of keys) index.put(naming(key.slice("default/".length)));
  for (const key of keys) {
    const named = index.conflictingWith(key);
    expect(named).toHaveLength(maxNamed);
    expect(named).toContain(key);
    expect(named).toEqual(named.toSorted());
  }
});

test.each<[what: string, other: ScalingObject, isSame: boolean]>([
  ["the same reference", naming("b"), true],
  ["another version of the group", naming("b", { apiVersion: "apps/v1beta2" }), true],
  ["another group", naming("b", { apiVersion: "extensions/v1" }), false],
  ["the core group", naming("b", { apiVersion: "v1" }), false],
  ["another kind", naming("b", { kind: "StatefulSet" }), false],
  ["another name", naming("b", { name: "other" }), false],
  ["the same reference in another namespace", naming("b", {}, "second"), false],
])("an object with %s", (_, other, isSame) => {
  const index = createScaleTargetIndex();
  index.put(naming("a"));
  index.put(other);
  expect(index.conflictingWith("default/a")).toEqual(isSame ? ["default/a", "default/b"] : []);
});

test("targets of the core group are the same with and without a version", () => {
  const index = createScaleTargetIndex();
  index.put(naming("a", { apiVersion: "v1", kind: "ReplicationController" }));
  index.put(naming("b", { apiVersion: undefined, kind: "ReplicationController" }));
  expect(index.conflictingWith("default/b")).toEqual(["default/a", "default/b"]);
});

test("an object that moves to another target, is deleted or only watches leaves the others alone", () => {
  const index = createScaleTargetIndex();
  const shadow = { ...naming("w"), kind: "WorkloadAutoscaler", wla: { mode: "Shadow" } } as ScalingObject;
  const active = { ...shadow, wla: { mode: "Active" } } as ScalingObject;
  for (const object of [naming("a"), naming("b"), naming("b"), active]) index.put(object);
  expect(index.conflictingWith("default/a")).toEqual(["default/a", "default/b", "default/wla:w"]);
  index.put(shadow);
  expect([index.has("default/wla:w"), index.has("default/b")]).toEqual([false, true]);
  expect(index.conflictingWith("default/a")).toEqual(["default/a", "default/b"]);
  index.put(naming("b", { name: "other" }));
  expect([index.conflictingWith("default/a"), index.conflictingWith("default/b")]).toEqual([[], []]);
  index.put(naming("d"));
  expect(index.conflictingWith("default/a")).toEqual(["default/a", "default/d"]);
  index.drop("default/d");
  index.put(naming("c", { name: "other" }));
  // Of those that are alone, and of one that is unknown, none conflicts while others do.
  expect([index.conflictingWith("default/a"), index.conflictingWith("default/x")]).toEqual([[], []]);
  expect(index.conflictingWith("default/c")).toEqual(["default/b", "default/c"]);
  for (const key of ["default/b", "default/b", "default/a", "default/c"]) index.drop(key);
  expect([...index.entries.keys()]).toEqual([]);
  index.put(naming("c"));
  expect(index.conflictingWith("default/c")).toEqual([]);
});
