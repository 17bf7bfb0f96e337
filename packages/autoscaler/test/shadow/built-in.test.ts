import { expect, test } from "vitest";
import type { ScalingObject } from "../../src/objects/scaling-object.ts";
import { builtInState } from "../../src/shadow/built-in.ts";

const sinceMs = Date.parse("2030-01-01T00:00:05.400Z");

function hpa(manager: string, at: string, desiredReplicas = 5): ScalingObject {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default" },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 9 },
    status: {
      currentReplicas: 5,
      desiredReplicas,
      conditions: [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale", message: "" }],
    },
    statusWriter: { manager, at },
  };
}

const own = "plimsoll-autoscaler";
const watching = { lastWritten: undefined, sinceMs };

test.each([
  ["kube-controller-manager, an hour ago", hpa("kube-controller-manager", "2029-12-31T23:00:00Z"), watching],
  ["another installation of ours, in the same second", hpa(own, "2030-01-01T00:00:05Z"), watching],
  [
    "another installation of ours, after we wrote",
    hpa(own, "2030-01-01T00:00:09Z", 4),
    { ...watching, lastWritten: hpa(own, "2030-01-01T00:00:08Z") },
  ],
])("a status is compared: %s", (_, object, state) => {
  const { desiredReplicas } = object.status ?? {};
  expect(builtInState(object, state)).toMatchObject({ desiredReplicas });
});

test.each([
  ["from before we watched", hpa(own, "2030-01-01T00:00:04Z"), watching],
  [
    "that we wrote last",
    hpa(own, "2030-01-01T00:00:08Z"),
    { ...watching, lastWritten: hpa(own, "2030-01-01T00:00:08Z") },
  ],
  [
    "that another process of ours may have written",
    hpa(own, "2030-01-01T00:00:09Z"),
    { lastWritten: undefined, sinceMs: Number.POSITIVE_INFINITY },
  ],
])("a status of our own is not compared: one %s", (_, object, state) => {
  expect(builtInState(object, state)).toBeUndefined();
});
