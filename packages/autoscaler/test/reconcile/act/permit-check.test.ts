import { expect, test } from "vitest";
import { createPermit } from "../../../src/reconcile/act/permit.ts";
import type { CurrentObject } from "../../../src/reconcile/current-object.ts";
import type { Plan } from "../../../src/reconcile/evaluate/plan.ts";
import { hpaObject, observed, planned } from "../observations.ts";

const plan = planned(observed(6));
const { state, stored } = plan.observation;
const other = hpaObject({ spec: { maxReplicas: 9 } });
const foreign = {
  ...hpaObject({ status: { desiredReplicas: 7 } }),
  metadata: { ...stored.metadata, resourceVersion: "6" },
};
const written = { ...state, lastWritten: hpaObject({ status: { desiredReplicas: 4 } }) };
const suspect = { lastMs: 0, seen: foreign };
const yielded = { by: "keda" } as never;
const shadow: Plan = { ...plan, mode: "shadow" };
const last: Plan = { ...plan, observation: { ...plan.observation, isLastPass: true } };
const found: Plan = { ...shadow, conflict: { ...plan.conflict, yielded } };
const suspecting: Plan = { ...plan, conflict: { ...plan.conflict, suspect } };
const known: Plan = { ...found, observation: { ...plan.observation, state: { ...state, yielded } } };

test.each<[what: string, plan: Plan, now: Partial<CurrentObject> | undefined, result: string]>([
  ["nothing changed", plan, {}, "granted"],
  ["the object is gone", plan, undefined, "lost"],
  ["another process had the object", plan, { state: { ...state, term: Symbol("later") } }, "lost"],
  ["the object was created again", plan, { state: { ...state, uid: "u2" } }, "lost"],
  ["it is not managed any more", plan, { mode: "shadow" }, "changed"],
  ["it was edited", plan, { stored: other, object: other }, "changed"],
  ["a schedule moved its bounds", plan, { object: other }, "changed"],
  ["it was edited, in the last pass", last, { stored: other, object: other }, "granted"],
  ["it is not managed any more, in the last pass", last, { mode: "shadow" }, "changed"],
  ["another controller wrote its status", plan, { stored: foreign, state: written }, "changed"],
  ["the plan knows that status as suspect", suspecting, { stored: foreign, state: written }, "granted"],
  [
    "another controller writes it, in shadow",
    shadow,
    { mode: "shadow", stored: foreign, state: written },
    "granted",
  ],
  ["another controller was found just now", found, {}, "granted"],
  [
    "another controller was found just now, and it is edited",
    found,
    { stored: other, object: other },
    "changed",
  ],
  ["the other controller has ended", known, {}, "changed"],
])("of a plan may be written, when %s", (_, one, now, result) => {
  const current = { stored, object: stored, mode: "active", state, isReclaimed: false } as const;
  const permit = createPermit(one, () => (now === undefined ? undefined : { ...current, ...now }));
  expect(permit.check()).toBe(result);
});
