import type { HpaMemory } from "@plimsoll/core";
import { expect, test } from "vitest";
import { keptPolicies } from "../../src/invariants/kept-policies.ts";
import { autoscalerRig, hpaWith, known, orders, scaleOf, scalePath } from "./autoscaler-rig.ts";

const [first, second] = ["autoscaler-0", "autoscaler-1"] as const;
/** Two more in a minute. */
const behavior = { scaleUp: { policies: [{ type: "Pods", value: 2, periodSeconds: 60 }] } };
const limited = hpaWith({ behavior });

/** A process raises the target, and receives whether that was done. */
function policyRig() {
  const rig = autoscalerRig(keptPolicies);
  return {
    ...rig,
    /** By core, with a memory in which nothing counts. */
    raises: (process: string, from: number, status: object = {}, memory: HpaMemory | undefined = known) =>
      rig.decided(
        process,
        { hpa: { ...limited, status }, scale: scaleOf(from), samples: orders(90) },
        memory,
      ),
    isDone(process: string, to: number, code = 200) {
      rig.sent(process, "PUT", scalePath, { spec: { replicas: to } });
      rig.received(process, "PUT", scalePath, { code });
    },
  };
}

test("a change that was made counts until its period is over, whatever the process remembers", async () => {
  const { raises, isDone, pass } = policyRig();
  expect(raises(first, 2)).toMatchObject({ message: undefined, result: { decision: { scaleTo: 4 } } });
  isDone(first, 4);
  await pass(50);
  expect(raises(first, 4).message).toBe(
    "autoscaler-0 scales team-a/shop from 4 to 6, and its policies allow 4",
  );
  await pass(15);
  expect(raises(first, 4).message).toBeUndefined();
});

test("a target at zero is brought to its minimum at once, and no further than its policies allow", () => {
  const { decided, isDone } = policyRig();
  const raise = (minReplicas: number, value: number) => {
    const conditions = [{ type: "ScaledToZero", status: "True" }];
    const hpa = { ...hpaWith({ behavior, minReplicas }), status: { conditions } };
    const { result, message } = decided(first, { hpa, scale: scaleOf(0), samples: orders(value) }, known);
    isDone(first, result.decision.scaleTo ?? 0);
    return [result.decision.scaleTo, message];
  };
  expect(raise(3, 1)).toEqual([3, undefined]);
  expect(raise(3, 1)).toEqual([3, undefined]);
  expect(raise(1, 90)).toEqual([2, "autoscaler-0 scales team-a/shop from 0 to 2, and its policies allow 0"]);
});

test("a change that was refused, or whose end is unknown, need not count", () => {
  const { raises, isDone } = policyRig();
  raises(first, 2);
  isDone(first, 4, 409);
  expect(raises(first, 4).message).toBeUndefined();
});

test("a change that was refused need not count when a job of the same process scaled the target meanwhile", () => {
  const { raises, sent, received } = policyRig();
  raises(first, 2);
  sent(first, "PUT", scalePath, { spec: { replicas: 4 } });
  received(first, "PUT", scalePath, { fieldManager: "plimsoll-cronhpa" });
  received(first, "PUT", scalePath, { code: 409 });
  expect(raises(first, 4).message).toBeUndefined();
});

test("a period begins with the evaluation, also when its process was paused before it decided", async () => {
  const { nowMs, decided, isDone, pass, raises } = policyRig();
  const begunMs = nowMs();
  await pass(30);
  const input = { nowMs: begunMs, hpa: limited, scale: scaleOf(2), samples: orders(90) };
  expect(decided(first, input, known).result.decision.scaleTo).toBe(4);
  isDone(first, 4);
  await pass(35);
  expect(raises(first, 4).message).toBeUndefined();
});

test("who takes over counts what the status names, unless a clock was wrong or etcd was restored", async () => {
  const status = (lastScaleTime: string) => ({
    lastScaleTime,
    currentReplicas: 2,
    desiredReplicas: 4,
    conditions: [],
  });
  const lastScaled = status("2026-06-01T12:00:00Z");
  const takeover = async (prepare: (rig: ReturnType<typeof policyRig>) => void, statusBefore: object) => {
    const rig = policyRig();
    if (prepare === wrongBefore) prepare(rig);
    rig.raises(first, 2);
    rig.isDone(first, 4);
    if (prepare !== wrongBefore) prepare(rig);
    await rig.pass(20);
    // It finds no recommendation, and is then made to decide with a memory in which nothing counts.
    rig.decided(second, {
      hpa: { ...limited, status: statusBefore },
      scale: scaleOf(4),
      samples: orders(40),
    });
    return rig.raises(second, 4, statusBefore).message;
  };
  const wrongBefore = ({ aheadMs }: ReturnType<typeof policyRig>): void => void aheadMs.set(first, 3_600_000);
  expect(await takeover(() => {}, lastScaled)).toContain("its policies allow 4");
  expect(await takeover(() => {}, status("2026-06-01T11:00:00Z"))).toBeUndefined();
  expect(await takeover(({ aheadMs }) => aheadMs.set(second, -3_600_000), lastScaled)).toBeUndefined();
  expect(await takeover(wrongBefore, lastScaled)).toBeUndefined();
  expect(await takeover(({ restore }) => restore(), lastScaled)).toBeUndefined();
});
