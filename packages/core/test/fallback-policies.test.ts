import { expect, test } from "vitest";
import { decide, explain, type FailurePolicy, type HpaMemory } from "../src/index.ts";
import { failed, input, reading } from "./failure-policies-rig.ts";
import { nowMs } from "./fixtures.ts";

test("a decision by a fallback says so, and shows the metrics as they are", () => {
  const samples = [failed, reading("20")];
  const { decision } = decide(input(samples, [{ policy: "Fallback", replicas: 6 }]));
  expect(decision.reason).toBe("fallback of external metric m0(nil)");
  expect(decision.status.conditions).toContainEqual(
    expect.objectContaining({ type: "ScalingActive", status: "True", reason: "FallbackReplicas" }),
  );
  expect(decision.trace).toContainEqual(
    expect.objectContaining({
      kind: "combine",
      winner: 0,
      result: 6,
      proposals: [
        { index: 0, name: "fallback of external metric m0(nil)", replicas: 6 },
        { index: 1, name: "external metric m1(nil)", replicas: 2 },
      ],
    }),
  );
  expect(explain(decision)).toContain("Metric 1 has policy Fallback: proposing 6 replicas");
});

test("another metric that fails without a policy still blocks scale-downs", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 6 }];
  const samples = [failed, { error: "also down" }, reading("20")];
  const { decision } = decide(input(samples, policies, 9));
  expect(decision.scaleTo).toBeUndefined();
  expect(decision.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "ScalingActive",
      status: "False",
      message: expect.stringContaining("m1"),
    }),
  );
});

test("Fallback rises as fast as the policies of scaleUp let it, and no faster", () => {
  const scaleUp = { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] };
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 9 }];
  let memory: HpaMemory | undefined;
  const seen: number[] = [];
  let replicas = 2;
  for (let second = 0; second <= 240; second += 15) {
    const behavior = { scaleUp, scaleDown: { stabilizationWindowSeconds: 0 } };
    const decideInput = input([failed, reading("10")], policies, replicas, { behavior });
    const result = decide({ ...decideInput, nowMs: nowMs + second * 1000 }, memory);
    memory = result.memory;
    replicas = result.decision.desiredReplicas;
    seen.push(replicas);
  }
  expect(seen).toEqual([4, 4, 4, 4, 6, 6, 6, 6, 8, 8, 8, 8, 9, 9, 9, 9, 9]);
  const behavior = { scaleUp: { selectPolicy: "Disabled" } };
  expect(decide(input([failed], policies, 4, { behavior })).decision.scaleTo).toBeUndefined();
});

test("a Fallback above maxReplicas is cut to it", () => {
  const policies: readonly FailurePolicy[] = [{ policy: "Fallback", replicas: 99 }];
  expect(decide(input([failed], policies, 7)).decision.scaleTo).toBe(12);
  expect(decide(input([failed], policies, 12)).decision.outcome.error).toBe("internal");
});
