import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { ScalingObject } from "../../../src/objects/scaling-object.ts";
import { createPermit } from "../../../src/reconcile/act/permit.ts";
import { type Published, publishStatus } from "../../../src/reconcile/act/publish-status.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { createStates } from "../../../src/reconcile/remember/state.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const key = "default/shop";
const stored: ScalingObject = {
  kind: "HorizontalPodAutoscaler",
  metadata: { name: "shop", namespace: "default", uid: "u1", resourceVersion: "1" },
  spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 3 },
};

test("a status that waits for its write keeps neither the input, the trace, nor the object of its decision", async () => {
  const states = createStates(() => true);
  const waiting: (() => Promise<Published>)[] = [];
  const current = { stored, object: stored, mode: "active", isReclaimed: false } as const;
  const readCurrent = () => ({ ...current, state: states.of(key, stored) });
  const deps = {
    client: {} as never,
    queue: {
      put(_: string, __: string, write: () => Promise<Published>) {
        waiting.push(write);
        return Promise.resolve("later" as const);
      },
    },
    events: { record: () => undefined },
    states,
    written: { put: () => true, drop: () => undefined },
    isKnown: () => true,
    readCurrent,
    clock: manualClock(0),
  };
  const kept = await publish();
  // A weak reference keeps its object until the end of the turn in which it was made.
  await new Promise(setImmediate);
  collectGarbage();
  expect(waiting).toHaveLength(1);
  expect(states.of(key, stored).pendingStatus).toEqual({ currentReplicas: 2 });
  expect(kept.map((reference) => reference.deref())).toEqual([undefined, undefined, undefined]);

  async function publish() {
    const [input, trace, object] = [{ nowMs: 0 }, [{ kind: "result" }], { ...stored }];
    const decision = { status: { currentReplicas: 2 }, trace };
    const plan: Plan = {
      observation: { key, stored: object, object, state: states.of(key, stored) },
      mode: "active",
      conflict: { yielded: undefined, suspect: undefined },
      input,
      decided: { decision },
      result: { decision },
    } as never;
    expect(await publishStatus(plan, createPermit(plan, readCurrent), deps)).toEqual({ result: "later" });
    return [new WeakRef<object>(input), new WeakRef<object>(trace), new WeakRef<object>(object)];
  }
});
