import { expect, test } from "vitest";
import { type CurrentDeps, createReadCurrent } from "../../src/reconcile/current-object.ts";
import type { ObjectState } from "../../src/reconcile/remember/state.ts";
import { emptyState, hpaObject, nowMs, wlaObject } from "./observations.ts";

const key = "default/shop";
const hpa = hpaObject({ status: { desiredReplicas: 4 } });
const wla = wlaObject({ spec: { mode: "Shadow" } });

function read(change: Partial<CurrentDeps> & { readonly state?: Partial<ObjectState> }) {
  const { state, ...deps } = change;
  return createReadCurrent({
    watched: () => hpa,
    newest: (_, watched) => watched,
    owns: () => true,
    states: { of: () => ({ ...emptyState, ...state }) },
    schedules: { withSchedules: (object) => object, isPending: () => false },
    manageHpas: "all",
    clock: { nowMs: () => nowMs, after: () => () => undefined },
    ...deps,
  })(key);
}

test.each<[what: string, deps: Partial<CurrentDeps>]>([
  ["is gone", { watched: () => undefined }],
  ["is another process's", { owns: () => false }],
  [
    "has schedules that are unknown yet",
    { schedules: { withSchedules: (one) => one, isPending: () => true } },
  ],
])("an object that %s is not evaluated", (_, deps) => {
  expect(read(deps)).toBeUndefined();
});

test("an object is the newest that is known, with the bounds of its schedules", () => {
  const newer = hpaObject({ spec: { maxReplicas: 9 } });
  const bounded = hpaObject({ spec: { minReplicas: 5 }, status: { desiredReplicas: 5 } });
  const isNewer = (object: unknown) => object === newer;
  const schedules: CurrentDeps["schedules"] = {
    withSchedules: (object) => (isNewer(object) ? bounded : object),
    isPending: (object) => !isNewer(object),
  };
  const current = read({ newest: () => newer, schedules });
  expect(current).toEqual({
    stored: newer,
    object: bounded,
    mode: "active",
    state: emptyState,
    isReclaimed: false,
  });
});

const pendingStatus = { currentReplicas: 9 } as never;

test.each<[what: string, deps: Partial<CurrentDeps>, isTaken: boolean]>([
  ["of an HPA that we manage", {}, true],
  ["of an HPA that we do not manage any more", { manageHpas: "none" }, false],
  ["of a WorkloadAutoscaler that only watches", { watched: () => wla }, true],
])("a status that waits for its write counts as stored: one %s", (_, deps, isTaken) => {
  const { object, stored } = read({ ...deps, state: { pendingStatus } }) ?? {};
  expect(object?.status).toBe(isTaken ? pendingStatus : stored?.status);
  expect(stored?.status).not.toBe(pendingStatus);
});

const yielded = {
  by: "keda",
  sinceMs: 0,
  lastMs: nowMs - 45_000,
  count: 2,
  periodMs: 15_000,
  seen: hpa.status,
  reclaim: undefined,
};

test.each([
  ["that is silent", yielded, "active", true],
  ["that wrote lately", { ...yielded, lastMs: nowMs - 44_999 }, "shadow", false],
] as const)("an object that was left to another controller %s", (_, known, mode, isReclaimed) => {
  const current = read({ state: { yielded: known } });
  expect([current?.mode, current?.isReclaimed]).toEqual([mode, isReclaimed]);
});
