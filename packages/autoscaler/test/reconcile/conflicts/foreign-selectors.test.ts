import { manualClock } from "@plimsoll/component-base/testing";
import type { Change } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { keyOf, type ScalingObject } from "../../../src/objects/scaling-object.ts";
import { createForeignSelectors } from "../../../src/reconcile/conflicts/foreign-selectors.ts";

const periodMs = 15_000;

function object(name: string, target = name): ScalingObject {
  return {
    kind: "HorizontalPodAutoscaler",
    metadata: { name, namespace: "default" },
    spec: { scaleTargetRef: { kind: "Deployment", name: target }, maxReplicas: 1 },
  };
}

/** Follows objects; those whose names begin with "own" are this process's. */
function setUp(isActive = () => true) {
  const clock = manualClock(0);
  const known = new Map([object("own"), object("other")].map((one) => [keyOf(one), one]));
  const reads: string[] = [];
  const log: [fields: object, message: string][] = [];
  let listener: (change: Change<ScalingObject>) => void = () => undefined;
  const selectors = createForeignSelectors({
    objects: {
      get: (key) => known.get(key),
      list: () => [...known.values()],
      subscribe: (subscriber) => (listener = subscriber),
    },
    owns: (key) => key.startsWith("default/own"),
    isActive,
    read({ metadata, spec }) {
      reads.push(spec.scaleTargetRef.name);
      return metadata.name === "broken" ? Promise.reject(new Error("no scale")) : Promise.resolve();
    },
    clock,
    random: () => 0.5,
    log: { debug: (fields, message) => void log.push([fields, message]) },
    periodMs,
  });
  const change = (type: Change<ScalingObject>["type"], next: ScalingObject): void => {
    const previous = known.get(keyOf(next));
    if (type === "deleted") known.delete(keyOf(next));
    else known.set(keyOf(next), next);
    listener({ type, object: next, previous } as Change<ScalingObject>);
  };
  return { clock, change, log, reads, selectors };
}

test("objects of other processes are read once per period, and at once when they name another target", async () => {
  const { clock, change, reads, selectors } = setUp();
  change("added", object("early"));
  await clock.advance(periodMs);
  expect(reads).toEqual([]);
  selectors.start();
  await clock.advance(periodMs);
  expect(reads.toSorted()).toEqual(["early", "other"]);
  change("modified", object("other", "moved"));
  await clock.advance(1);
  expect(reads.slice(2)).toEqual(["moved"]);
  change("modified", object("other", "moved"));
  await clock.advance(1);
  expect(reads.slice(3)).toEqual([]);
  change("added", object("late"));
  await clock.advance(1);
  expect(reads.slice(3)).toEqual(["late"]);
  await clock.advance(periodMs);
  expect(reads.slice(4).toSorted()).toEqual(["early", "late", "moved"]);
  for (const name of ["early", "late", "own"]) change("deleted", object(name));
  await clock.advance(2 * periodMs);
  expect(reads.slice(7)).toEqual(["moved", "moved"]);
  await selectors.stop();
  change("modified", object("other", "again"));
  await clock.advance(2 * periodMs);
  expect(reads).toHaveLength(9);
});

test("nothing is kept of objects that are deleted", async () => {
  const { change, selectors } = setUp();
  selectors.start();
  for (const name of ["own", "other"]) change("deleted", object(name));
  for (const [name, { size }] of Object.entries(selectors.entries)) expect([name, size]).toEqual([name, 0]);
  await selectors.stop();
});

test("a process that owns nothing reads nothing", async () => {
  let isActive = false;
  const { clock, reads, selectors } = setUp(() => isActive);
  selectors.start();
  await clock.advance(2 * periodMs);
  expect(reads).toEqual([]);
  isActive = true;
  await clock.advance(periodMs);
  expect(reads).toEqual(["other"]);
  await selectors.stop();
});

test("a selector that cannot be read is in the log, and read again", async () => {
  const { clock, change, log, reads, selectors } = setUp();
  selectors.start();
  change("added", object("broken"));
  await clock.advance(1);
  expect(log).toEqual([[{ hpa: "default/broken", err: new Error("no scale") }, "could not read a selector"]]);
  await clock.advance(3 * periodMs);
  expect(reads.filter((name) => name === "broken").length).toBeGreaterThan(1);
  await selectors.stop();
});
