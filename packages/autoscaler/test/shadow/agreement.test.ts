import { type DecideInput, decide } from "@plimsoll/core";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../src/objects/scaling-object.ts";
import { createAgreement } from "../../src/shadow/agreement.ts";
import { firstDifference } from "../../src/shadow/difference.ts";
import { shadowReport } from "../../src/shadow/report.ts";

const nowMs = Date.parse("2030-01-01T00:00:00Z");

function decision(value: string, options: { stored?: object; replicas?: number } = {}) {
  const replicas = options.replicas ?? 4;
  const input: DecideInput = {
    nowMs,
    hpa: {
      metadata: { name: "shop", namespace: "default" },
      spec: {
        scaleTargetRef: { kind: "Deployment", name: "shop", apiVersion: "apps/v1" },
        maxReplicas: 12,
        metrics: [
          {
            type: "External",
            external: { metric: { name: "q" }, target: { type: "AverageValue", averageValue: "10" } },
          },
        ],
      },
      ...(options.stored === undefined ? {} : { status: options.stored }),
    },
    scale: { ok: true, specReplicas: replicas, statusReplicas: replicas, selector: "app=shop" },
    pods: { ok: true, pods: [] },
    samples: [{ values: [{ value }] }],
  };
  return decide(input).decision;
}

const theirs = (value: string, change: object = {}) =>
  ({ ...decision(value).status, ...change }) as NonNullable<ScalingObject["status"]>;

function setUp() {
  const results: string[] = [];
  const agreement = createAgreement({
    periodMs: 15_000,
    onResult: (_, result, difference) => results.push(`${result} ${difference?.step ?? ""}`.trim()),
  });
  const decided = (value: string, status: ScalingObject["status"], atMs: number) =>
    agreement.decided("default/shop", { decision: decision(value), status, nowMs: nowMs + atMs });
  return { agreement, results, decided };
}

test("the same count at the same moment agrees", () => {
  const { results, decided, agreement } = setUp();
  decided("80", theirs("80"), 0);
  expect(results).toEqual(["agree"]);
  expect(agreement.summary().total).toMatchObject({ agreed: 1, differed: 0, agreement: 1, objects: 1 });
});

test("a controller that comes to the same a little later agrees", () => {
  const { results, decided, agreement } = setUp();
  decided("80", theirs("40"), 0);
  expect(results).toEqual([]);
  expect(agreement.summary().total.apart).toBe(1);
  agreement.observed("default/shop", theirs("80"), nowMs + 9000);
  expect(results).toEqual(["agree"]);
});

test("what comes together because the load moved is not compared", () => {
  const { results, decided } = setUp();
  decided("80", theirs("40"), 0);
  decided("40", theirs("40"), 15_000);
  expect(results).toEqual(["unsettled", "agree"]);
});

test("what stays apart for two periods is a difference, with its first step", () => {
  const { results, decided, agreement } = setUp();
  decided("80", theirs("40"), 0);
  decided("80", theirs("40"), 15_000);
  expect(results).toEqual([]);
  decided("80", theirs("40"), 30_000);
  expect(results).toEqual(["differ metric"]);
  expect(agreement.summary().items[0]).toMatchObject({
    namespace: "default",
    name: "shop",
    differed: 1,
    agreement: 0,
    lastDifference: { step: "metric", ours: "[0] 20", theirs: "[0] 10" },
  });
  expect(shadowReport(agreement.summary())).toContain(
    "default/shop  0.0 % of 1  metric: ours [0] 20, theirs [0] 10",
  );
});

test("the first difference follows the order of the trace", () => {
  const ours = decision("80");
  expect(firstDifference(ours, theirs("80"))).toBeUndefined();
  expect(firstDifference(ours, theirs("80", { currentReplicas: 5 }))?.step).toBe("scale");
  const without = (type: string) =>
    theirs("80").conditions?.filter((condition) => condition.type !== type) ?? [];
  expect(firstDifference(ours, theirs("80", { conditions: without("ScalingActive") }))?.step).toBe("metrics");
  expect(firstDifference(ours, theirs("80", { conditions: without("ScalingLimited") }))?.step).toBe("limit");
  const hold = decision("40");
  const held = theirs("40", {
    conditions: [
      { type: "AbleToScale", status: "True", reason: "ScaleDownStabilized" },
      ...(theirs("40").conditions?.filter(({ type }) => type !== "AbleToScale") ?? []),
    ],
  });
  expect(firstDifference(hold, held)?.step).toBe("stabilize");
  expect(firstDifference(ours, theirs("80", { desiredReplicas: 7 }))?.step).toBe("result");
});

test("without a comparison the report says so", () => {
  expect(shadowReport(setUp().agreement.summary())).toContain("has been compared yet");
});
