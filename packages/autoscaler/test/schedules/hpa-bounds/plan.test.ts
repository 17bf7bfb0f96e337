import { movedBounds } from "@plimsoll/calendars";
import { boundsAnnotation, boundsFields } from "@plimsoll/core/internal/objects";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type LiveHpa, boundsOf as readBounds } from "../../../src/schedules/hpa-bounds/live-hpa.ts";
import { type BoundsRequest, planBounds as planOf } from "../../../src/schedules/hpa-bounds/plan.ts";
import {
  type BoundsField,
  readSaved,
  type SavedBounds,
  savedText,
} from "../../../src/schedules/hpa-bounds/saved-bounds.ts";

const outer = { minReplicas: 1, maxReplicas: 30 };
const request = (state: BoundsRequest["state"], of = outer): BoundsRequest => ({
  by: "sale",
  outer: of,
  state,
});
const floor = (count: number) => request({ floor: count, ceiling: undefined });
const live = { minReplicas: 2, maxReplicas: 10 };
/** Of bounds that no other client wrote after us. */
const planBounds = (state: Omit<Parameters<typeof planOf>[0], "lost">) => planOf({ ...state, lost: [] });

test.each([
  { what: "a floor raises the minimum", state: { floor: 8 }, moved: [8, 10] },
  { what: "a floor below the minimum changes nothing", state: { floor: 1 }, moved: [2, 10] },
  { what: "a floor above the maximum raises that too", state: { floor: 20 }, moved: [20, 20] },
  { what: "a floor beyond the outer bounds stops there", state: { floor: 50 }, moved: [30, 30] },
  { what: "a ceiling lowers the maximum", state: { ceiling: 5 }, moved: [2, 5] },
  { what: "a ceiling below the minimum lowers that too", state: { ceiling: 1 }, moved: [1, 1] },
  {
    what: "a ceiling of nothing leaves one, where the outer bounds do",
    state: { ceiling: 0 },
    moved: [1, 1],
  },
  { what: "a ceiling above the maximum changes nothing", state: { ceiling: 20 }, moved: [2, 10] },
  { what: "a fixed count is both", state: { floor: 15, ceiling: 15 }, moved: [15, 15] },
])("$what", ({ state, moved }) => {
  const { minReplicas, maxReplicas } = movedBounds(
    live,
    request({ floor: undefined, ceiling: undefined, ...state }),
  );
  expect([minReplicas, maxReplicas]).toEqual(moved);
});

test("own bounds outside of the outer ones stay as long as they are not moved", () => {
  const wide = { minReplicas: 2, maxReplicas: 100 };
  expect(movedBounds(wide, floor(8))).toEqual({ minReplicas: 8, maxReplicas: 100 });
});

test("only what is moved is written, with what it was before", () => {
  const { action } = planBounds({ live, saved: undefined, hasAnnotation: false, request: floor(8) });
  expect(action).toEqual({
    kind: "move",
    saved: { by: "sale", own: { minReplicas: 2 }, set: { minReplicas: 8 } },
  });
});

test("what was moved stays in what is applied when it goes back, as it would be removed otherwise", () => {
  const saved: SavedBounds = { by: "sale", own: { minReplicas: 2 }, set: { minReplicas: 8 } };
  const { action } = planBounds({
    live: { minReplicas: 8, maxReplicas: 10 },
    saved,
    hasAnnotation: true,
    request: request({ floor: undefined, ceiling: 5 }),
  });
  expect(action).toEqual({
    kind: "move",
    saved: { by: "sale", own: { minReplicas: 2, maxReplicas: 10 }, set: { minReplicas: 2, maxReplicas: 5 } },
  });
});

test("an edit while it is saved is the user's new wish, field by field", () => {
  const saved: SavedBounds = {
    by: "sale",
    own: { minReplicas: 2, maxReplicas: 10 },
    set: { minReplicas: 20, maxReplicas: 20 },
  };
  const plan = planBounds({
    live: { minReplicas: 3, maxReplicas: 20 },
    saved,
    hasAnnotation: true,
    request: floor(20),
  });
  expect(plan).toMatchObject({
    own: { minReplicas: 3, maxReplicas: 10 },
    edited: ["minReplicas"],
    isUndone: false,
  });
  expect(plan.action).toMatchObject({ saved: { own: { minReplicas: 3, maxReplicas: 10 } } });
  const over = planBounds({
    live: { minReplicas: 3, maxReplicas: 20 },
    saved,
    hasAnnotation: true,
    request: undefined,
  });
  expect(over.action).toEqual({ kind: "restore", spec: { maxReplicas: 10 } });
});

/** An HPA whose minimum is at what a schedule set, by the managers of the minimum and of the annotation. */
function movedHpa({ bounds, annotation }: { readonly bounds: string; readonly annotation: string }): LiveHpa {
  const saved: SavedBounds = { by: "sale", own: { minReplicas: 2 }, set: { minReplicas: 8 } };
  const annotations = { [boundsAnnotation]: savedText(saved) };
  const ofAnnotation = { "f:metadata": { "f:annotations": { [`f:${boundsAnnotation}`]: {} } } };
  return {
    metadata: {
      name: "shop",
      annotations,
      managedFields: [
        { manager: annotation, operation: "Apply", fieldsV1: ofAnnotation },
        { manager: bounds, operation: "Update", fieldsV1: { "f:spec": { "f:minReplicas": {} } } },
        { manager: "other", operation: "Update", subresource: "status", fieldsV1: { "f:status": {} } },
      ],
    },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, minReplicas: 8, maxReplicas: 10 },
  };
}

test.each([
  {
    what: "that the user wrote after us",
    bounds: "kubectl-edit",
    annotation: "plimsoll-schedules",
    own: 8,
    spec: {},
  },
  {
    what: "that no other client wrote after us",
    bounds: "plimsoll-schedules",
    annotation: "plimsoll-schedules",
    own: 2,
    spec: { minReplicas: 2 },
  },
  {
    what: "of an HPA that was created from a copy",
    bounds: "velero",
    annotation: "velero",
    own: 2,
    spec: { minReplicas: 2 },
  },
])("a bound at what a schedule set, $what, ends at $own", ({ bounds, annotation, own, spec }) => {
  const state = readBounds(movedHpa({ bounds, annotation }));
  const over = planOf({ ...state, request: undefined });
  expect(over).toMatchObject({ own: { minReplicas: own }, edited: [], action: { kind: "restore", spec } });
  expect(planOf({ ...state, request: floor(8) }).edited).toEqual([]);
});

test("who sets it back to what it was is seen", () => {
  const saved: SavedBounds = { by: "sale", own: { minReplicas: 2 }, set: { minReplicas: 8 } };
  const plan = planBounds({ live, saved, hasAnnotation: true, request: floor(8) });
  expect([plan.edited, plan.isUndone]).toEqual([["minReplicas"], true]);
});

test.each([
  {
    live: { minReplicas: 3, maxReplicas: 4 },
    own: { minReplicas: 5, maxReplicas: 10 },
    set: { minReplicas: 3, maxReplicas: 3 },
    end: { minReplicas: 4 },
  },
  {
    live: { minReplicas: 6, maxReplicas: 8 },
    own: { minReplicas: 2, maxReplicas: 4 },
    set: { minReplicas: 8, maxReplicas: 8 },
    end: { maxReplicas: 6 },
  },
])(
  "a bound written while the other was saved is not contradicted by what is restored: $end",
  ({ live, own, set, end }) => {
    const plan = planBounds({
      live,
      saved: { by: "sale", own, set },
      hasAnnotation: true,
      request: undefined,
    });
    expect(plan.action).toEqual({ kind: "restore", spec: end });
  },
);

test("an annotation that is not ours to read is taken away, and the bounds left alone", () => {
  for (const text of [
    "",
    "{}",
    "[]",
    "null",
    '{"by":1}',
    '{"by":"a","own":{"minReplicas":1},"set":{}}',
    "x",
  ]) {
    const saved = readSaved({ [boundsAnnotation]: text });
    expect([text, saved]).toEqual([text, undefined]);
  }
  const plan = planBounds({ live, saved: undefined, hasAnnotation: true, request: undefined });
  expect(plan.action).toEqual({ kind: "restore", spec: {} });
});

test("the annotation reads as it was written", () => {
  const saved: SavedBounds = {
    by: "sale",
    own: { maxReplicas: 9, minReplicas: 2 },
    set: { minReplicas: 8, maxReplicas: 9 },
  };
  expect(readSaved({ [boundsAnnotation]: savedText(saved) })).toEqual(saved);
});

const count = fc.integer({ min: 1, max: 40 });
const boundsOf = fc
  .tuple(count, count)
  .map(([a, b]) => ({ minReplicas: Math.min(a, b), maxReplicas: Math.max(a, b) }));
const maybe = fc.option(count, { nil: undefined });
const step = fc.oneof(
  fc.record({ kind: fc.constant("schedule" as const), floor: maybe, ceiling: maybe }),
  fc.record({ kind: fc.constant("edit" as const), bounds: boundsOf }),
  // The process dies: nothing is remembered but what the HPA says.
  fc.record({ kind: fc.constant("nothing" as const) }),
);

test("whatever happens, what is moved lies inside the outer bounds, and the end is what the user wrote last", () => {
  assertProperty(
    fc.property(boundsOf, boundsOf, fc.array(step, { maxLength: 20 }), (first, outerBounds, steps) => {
      let stored = first;
      let annotation: string | undefined;
      const user = { ...first };
      const settle = (state: BoundsRequest["state"] | undefined): void => {
        const saved = annotation === undefined ? undefined : readSaved({ [boundsAnnotation]: annotation });
        const { action } = planBounds({
          live: stored,
          saved,
          hasAnnotation: annotation !== undefined,
          request: state && request(state, outerBounds),
        });
        if (action.kind === "none") return;
        const fields = action.kind === "move" ? action.saved.set : action.spec;
        stored = { ...stored, ...fields };
        annotation = action.kind === "move" ? savedText(action.saved) : undefined;
      };
      let state: BoundsRequest["state"] | undefined;
      for (const next of steps) {
        if (next.kind === "schedule") state = { floor: next.floor, ceiling: next.ceiling };
        if (next.kind === "edit") {
          // Writing what is there is no edit that anybody could see.
          const isSeen = (field: BoundsField) => next.bounds[field] !== stored[field];
          for (const field of boundsFields) if (isSeen(field)) user[field] = next.bounds[field];
          if (user.minReplicas > user.maxReplicas) {
            const one = isSeen("minReplicas") ? user.minReplicas : user.maxReplicas;
            Object.assign(user, { minReplicas: one, maxReplicas: one });
          }
          stored = next.bounds;
        }
        settle(state);
        expect(stored.minReplicas).toBeLessThanOrEqual(stored.maxReplicas);
        for (const field of ["minReplicas", "maxReplicas"] as const) {
          if (stored[field] === user[field]) continue;
          expect(stored[field]).toBeGreaterThanOrEqual(outerBounds.minReplicas);
          expect(stored[field]).toBeLessThanOrEqual(outerBounds.maxReplicas);
        }
        const before = { stored, annotation };
        settle(state);
        expect({ stored, annotation }).toEqual(before);
      }
      settle(undefined);
      expect({ stored, annotation }).toEqual({ stored: user, annotation: undefined });
    }),
  );
});
