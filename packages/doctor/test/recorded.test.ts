import { type DecideInput, decide, recordDecision } from "@plimsoll/core";
import { expect, test } from "vitest";
import { diagnoseRecorded } from "../src/recorded.ts";

const nowMs = Date.parse("2026-11-22T10:00:00Z");

function found(
  requests: object,
  limitedSince: string,
  scale: DecideInput["scale"] = { ok: true, specReplicas: 2, statusReplicas: 2, selector: "app=shop" },
) {
  const cpu = { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } };
  const hpa = {
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "web", creationTimestamp: "2026-10-01T00:00:00Z" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 1,
      maxReplicas: 2,
      metrics: [{ type: "Resource", resource: cpu }],
    },
    status: {
      currentReplicas: 2,
      conditions: [
        {
          type: "ScalingLimited",
          status: "True",
          reason: "TooManyReplicas",
          lastTransitionTime: limitedSince,
        },
        { type: "AbleToScale", status: "True", reason: "ScaleDownStabilized" },
      ],
    },
  };
  const names = ["shop-0", "shop-1"];
  const input: DecideInput = {
    nowMs,
    hpa,
    scale,
    pods: {
      ok: true,
      pods: names.map((name) => ({
        metadata: { name, labels: { app: "shop" } },
        spec: { containers: [{ name: "main", resources: { requests: requests as Record<string, string> } }] },
        status: {
          phase: "Running",
          startTime: "2026-11-22T08:00:00Z",
          conditions: [{ type: "Ready", status: "True" }],
        },
      })),
    },
    samples: [{ pods: names.map((name) => ({ name, containers: { main: { cpu: "900m" } } })) }],
  };
  const result = decide(input, undefined);
  const record = recordDecision({ input, memory: undefined, result, applied: { outcome: "nothing-to-do" } });
  const { decision } = result;
  return diagnoseRecorded({ object: hpa, decision, record, nowMs }).map(({ id, title }) => `${id} ${title}`);
}

test("errors and warnings that follow from a record, and no notes", () => {
  expect(found({ cpu: "500m" }, "2026-11-22T09:00:00Z")).toEqual([
    "PL-030 at maxReplicas for 60m while metrics call for 6",
  ]);
  expect(found({}, "2026-11-22T09:59:00Z")).toEqual([
    "PL-014 a container has no cpu request, so its utilization is unknown",
  ]);
  expect(found({ cpu: "500m" }, "2026-11-22T09:59:00Z")).toEqual([]);
});

test.each([
  ['deployments/scale.apps "shop" not found', ["PL-010 the target does not exist"]],
  ["the server is busy", []],
])("a target whose scale could not be read: %s", (message, expected) => {
  expect(found({ cpu: "500m" }, "2026-11-22T09:59:00Z", { ok: false, message })).toEqual(expected);
});
