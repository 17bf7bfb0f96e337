import type { Change } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { keyOf, type ScalingObject } from "../../src/objects/scaling-object.ts";
import { createObjectEvaluator } from "../../src/reconcile/object-evaluator.ts";
import { hpaObject, wlaObject } from "./observations.ts";

const periodMs = 15_000;
const hpa = hpaObject();
const wla = wlaObject({ spec: { tuning: { syncPeriodSeconds: 5 } } });
const named = (object: ScalingObject, name: string): ScalingObject => ({
  ...object,
  metadata: { ...object.metadata, name },
});

/** This process has what is not "theirs"; `agoMs`: since it decided about each. */
function setUp(options: { readonly agoMs?: number; readonly owns?: (key: string) => boolean } = {}) {
  const calls: unknown[][] = [];
  const call =
    (name: string) =>
    (...args: unknown[]) =>
      void calls.push([name, ...args]);
  const known = [hpa, wla, named(hpa, "theirs")];
  let listener: (change: Change<ScalingObject>) => void = () => undefined;
  const has = (key: string) => !key.endsWith("theirs");
  const evaluator = createObjectEvaluator({
    objects: {
      get: () => undefined,
      list: () => known,
      subscribe: (subscriber) => (listener = subscriber),
      entries: new Map(),
    },
    owns: options.owns ?? has,
    has,
    runs: {
      waiting: 0,
      slow: 0,
      periodMs,
      entries: {},
      enqueue: call("enqueue"),
      gained: call("gained"),
      lost: call("lost"),
      stop: () => Promise.resolve(call("stop")()),
      runAll: (keys) => Promise.resolve(call("runAll")(...keys)),
    },
    listener: {
      onChange: (object, previous) => call("onChange")(keyOf(object), previous && keyOf(previous)),
      onReleased: call("onReleased"),
      onLost: call("onLost"),
      onDeleted: call("onDeleted"),
      decidedAgoMs: () => options.agoMs,
    },
  });
  const taken = () => calls.splice(0);
  return {
    evaluator,
    taken,
    /** The calls that a change leads to. */
    changed(type: Change<ScalingObject>["type"], object: ScalingObject, previous?: ScalingObject) {
      listener({ type, object, previous } as Change<ScalingObject>);
      return taken();
    },
  };
}

const [shop, own] = ["default/shop", "default/wla:shop"];

test("objects that are there at the start wait for their period; none is evaluated before or after", async () => {
  const { changed, evaluator, taken } = setUp();
  const steps = [evaluator.isRunning];
  evaluator.enqueue(shop);
  evaluator.gained(() => true);
  expect(changed("added", hpa)).toEqual([["onChange", shop, undefined]]);
  evaluator.start();
  steps.push(evaluator.isRunning);
  expect(taken()).toEqual([
    ["gained", shop, undefined],
    ["gained", own, 5000],
  ]);
  await evaluator.stop();
  steps.push(evaluator.isRunning);
  expect(taken()).toEqual([["stop"]]);
  evaluator.enqueue(shop);
  expect(changed("added", hpa)).toEqual([["onChange", shop, undefined]]);
  expect(taken()).toEqual([]);
  expect(steps).toEqual([false, true, false]);
});

const edited = hpaObject({ spec: { maxReplicas: 9 } });
const annotated = { ...hpa, metadata: { ...hpa.metadata, annotations: { team: "a" } } };
const created = { ...hpa, metadata: { ...hpa.metadata, uid: "u2" } };

test.each<[what: string, object: ScalingObject, before: ScalingObject | undefined, first: unknown]>([
  ["new", hpa, undefined, "event"],
  ["with another specification", edited, hpa, "event"],
  ["with other annotations", annotated, hpa, "event"],
  ["created again", created, hpa, "event"],
  ["with another status", { ...hpa, status: { desiredReplicas: 1 } }, hpa, undefined],
])("an object that is %s", (_, object, before, first) => {
  const { changed, evaluator, taken } = setUp();
  evaluator.start();
  taken();
  expect(changed(before === undefined ? "added" : "modified", object, before)).toEqual([
    ["onChange", shop, before && shop],
    ["gained", shop, undefined, first],
  ]);
  // One that is listed once more, without what it was before.
  expect(changed("modified", object).at(-1)).toEqual(["gained", shop, undefined, undefined]);
});

test("an object of another process is followed, and not evaluated", () => {
  const { changed, evaluator, taken } = setUp();
  evaluator.start();
  taken();
  expect(changed("added", named(hpa, "theirs"))).toEqual([["onChange", "default/theirs", undefined]]);
  evaluator.enqueue("default/theirs");
  expect(taken()).toEqual([]);
  evaluator.enqueue(shop);
  expect(taken()).toEqual([["enqueue", shop]]);
});

test("an object that is deleted is forgotten", () => {
  const { changed, evaluator, taken } = setUp();
  evaluator.start();
  taken();
  expect(changed("deleted", hpa, hpa)).toEqual([
    ["lost", shop],
    ["onReleased", shop],
    ["onDeleted", shop],
  ]);
});

test("what another process has from now on is released, and what is known of it stays", () => {
  const { evaluator, taken } = setUp();
  evaluator.lost((key) => key === own);
  expect(taken()).toEqual([
    ["lost", own],
    ["onReleased", own],
    ["onLost", own],
  ]);
});

test.each([
  [undefined, "periodic", "periodic"],
  [1000, 14_000, 4000],
  [5000, 10_000, "periodic"],
  [15_000, "periodic", "periodic"],
])(
  "objects that come back %s ms after their last decision wait for the rest of their period",
  (agoMs, rest, restOfOwn) => {
    const { evaluator, taken } = setUp(agoMs === undefined ? {} : { agoMs });
    evaluator.start();
    taken();
    evaluator.gained((key) => key === shop || key === own);
    expect(taken()).toEqual([
      ["gained", shop, undefined, rest],
      ["gained", own, 5000, restOfOwn],
    ]);
  },
);

test("a pass evaluates the objects whose lease is valid now", async () => {
  const { evaluator, taken } = setUp({ owns: (key) => key === own });
  await evaluator.evaluateAll();
  expect(taken()).toEqual([["runAll", own]]);
});
