import { manualClock } from "@plimsoll/component-base/testing";
import { createMutationCache, type KubeClient, type KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { projectHpa, type ScalingObject } from "../../../src/objects/scaling-object.ts";
import { createPermit } from "../../../src/reconcile/act/permit.ts";
import { type Published, publishStatus } from "../../../src/reconcile/act/publish-status.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { createStates } from "../../../src/reconcile/remember/state.ts";

const key = "default/shop";

function hpaOf(resourceVersion: string, status?: object): KubeObject {
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  return {
    apiVersion: "autoscaling/v2",
    kind: "HorizontalPodAutoscaler",
    metadata: { name: "shop", namespace: "default", uid: "u1", resourceVersion },
    spec: { scaleTargetRef, maxReplicas: 3 },
    status,
  } as KubeObject;
}

/** Writes a status; `onRequest` is called while the write is under way. */
async function publish(onRequest: (drop: () => void) => void) {
  const clock = manualClock(0);
  const stored = projectHpa(hpaOf("1"));
  let isKnown = true;
  const states = createStates(() => isKnown);
  const written = createMutationCache<ScalingObject>({ clock });
  const current = { stored, object: stored, mode: "active", isReclaimed: false } as const;
  const readCurrent = () => (isKnown ? { ...current, state: states.of(key, stored) } : undefined);
  const status = { currentReplicas: 2 };
  const client = {
    request() {
      onRequest(() => {
        isKnown = false;
        states.drop(key);
        written.drop(key);
      });
      return Promise.resolve(hpaOf("2", status));
    },
  } as unknown as KubeClient;
  const result = { decision: { status } };
  const plan = {
    observation: { key, stored, object: stored, state: states.of(key, stored) },
    mode: "active",
    conflict: { foreign: undefined },
    decided: result,
    result,
  } as unknown as Plan;
  const queue = { put: (_: string, __: string, write: () => Promise<Published>) => write() };
  const deps = { client, queue, states, written, isKnown: () => isKnown, readCurrent, clock };
  await publishStatus(plan, createPermit(plan, readCurrent), { ...deps, events: { record: () => {} } });
  return { states: [...states.entries.keys()], written: [...written.entries.keys()] };
}

test("a status is kept until the watch shows it", async () => {
  expect(await publish(() => {})).toEqual({ states: [key], written: [key] });
});

test("nothing is kept of a status whose object goes while it is written", async () => {
  expect(await publish((drop) => drop())).toEqual({ states: [], written: [] });
});
