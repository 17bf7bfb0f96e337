import { expect, test } from "vitest";
import { replicasWriterOf, statusWriterOf } from "../../src/objects/field-writer.ts";

const entry = (manager: string, time: string) => ({ manager, time, subresource: "status", fieldsV1: {} });
const objectOf = (managedFields: unknown) => ({
  metadata: { name: "shop", managedFields } as { name: string },
});
const writerOf = (...managedFields: readonly object[]) => statusWriterOf(objectOf(managedFields))?.manager;
const [now, before] = ["2030-01-01T00:00:01Z", "2030-01-01T00:00:00Z"];

test("of two writers within one second the other one counts, in whatever order the server lists them", () => {
  const ours = entry("plimsoll-autoscaler", now);
  const theirs = entry("kube-controller-manager", now);
  expect([writerOf(ours, theirs), writerOf(theirs, ours)]).toEqual([
    "kube-controller-manager",
    "kube-controller-manager",
  ]);
  expect(writerOf(entry("kube-controller-manager", before), ours)).toBe("plimsoll-autoscaler");
});

test("the newest writer counts, and a writer without a time only if it is the only one", () => {
  const [old, young] = [entry("keda", before), entry("argo", now)];
  expect([writerOf(old, young), writerOf(young, old)]).toEqual(["argo", "argo"]);
  const { time: _, ...timeless } = entry("helm", now);
  expect([writerOf(timeless, old), writerOf(old, timeless), writerOf(timeless)]).toEqual([
    "keda",
    "keda",
    "helm",
  ]);
});

test("entries of other parts, or without a manager, name no writer of the status", () => {
  const { manager: _, ...nameless } = entry("keda", now);
  const scaled = { ...entry("kubectl", now), subresource: "scale" };
  expect(statusWriterOf(objectOf([scaled, nameless]))).toBeUndefined();
  for (const managedFields of [undefined, null, {}, []])
    expect(statusWriterOf(objectOf(managedFields))).toBeUndefined();
});

test.each([
  [{ "f:spec": { "f:replicas": {} } }, "kubectl"],
  [{ "f:spec": { "f:paused": {} } }, undefined],
  [{ "f:spec": null }, undefined],
  [{ "f:spec": "f:replicas" }, undefined],
  [{ "f:metadata": { "f:replicas": {} } }, undefined],
  [undefined, undefined],
])("the owner of %j wrote the replicas: %s", (fieldsV1, manager) => {
  expect(replicasWriterOf(objectOf([{ manager: "kubectl", time: now, fieldsV1 }]))).toEqual(
    manager === undefined ? undefined : { manager, at: now },
  );
});
