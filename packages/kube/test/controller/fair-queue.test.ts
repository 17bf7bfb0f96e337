import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createFairQueue } from "../../src/controller/fair-queue.ts";

test("namespaces are served round-robin, each in its order", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "a3", "b1", "c1", "b2"]) queue.push(item.slice(0, 1), item);
  const served = Array.from({ length: 7 }, () => queue.shift());
  expect(served).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", undefined]);
});

test("a namespace has a turn of so many items", () => {
  let nowMs = 0;
  const queue = createFairQueue<string>({ items: 2, ms: 100, nowMs: () => nowMs });
  for (const item of ["a1", "a2", "a3", "b1", "c1", "c2", "c3"]) queue.push(item.slice(0, 1), item);
  expect([queue.shift(), queue.shift((namespace) => namespace !== "a")]).toEqual(["a1", "b1"]);
  queue.push("b", "b2");
  const served = Array.from({ length: 7 }, () => queue.shift());
  expect(served).toEqual(["a2", "c1", "c2", "b2", "a3", "c3", undefined]);
  for (const item of ["d1", "d2", "d3", "e1"]) queue.push(item.slice(0, 1), item);
  const first = queue.shift();
  nowMs = 101;
  expect([first, queue.shift(), queue.shift(), queue.shift()]).toEqual(["d1", "d2", "e1", "d3"]);
});

test("a turn is over after its time, though items of it are left", () => {
  let nowMs = 1000;
  const queue = createFairQueue<string>({ items: 10, ms: 50, nowMs: () => nowMs });
  for (const item of ["a1", "a2", "a3", "a4", "b1"]) queue.push(item.slice(0, 1), item);
  const first = queue.shift();
  nowMs += 50;
  const second = queue.shift();
  nowMs += 1;
  expect([first, second, queue.shift(), queue.shift(), queue.shift()]).toEqual([
    "a1",
    "a2",
    "a3",
    "b1",
    "a4",
  ]);
});

test("a namespace that may not be served keeps its place", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "b1", "a2"]) queue.push(item.slice(0, 1), item);
  expect(queue.shift((namespace) => namespace !== "a")).toBe("b1");
  expect(queue.shift((namespace) => namespace !== "a")).toBeUndefined();
  expect(queue.size).toBe(2);
  expect(queue.shift()).toBe("a1");
});

test("a removed item is not served", () => {
  const queue = createFairQueue<string>();
  for (const item of ["a1", "a2", "b1"]) queue.push(item.slice(0, 1), item);
  expect(queue.remove("a1")).toBe(true);
  expect(queue.remove("a1")).toBe(false);
  expect(queue.remove("b1")).toBe(true);
  expect([queue.shift(), queue.shift()]).toEqual(["a2", undefined]);
});

test("it serves like arrays of arrays", () => {
  const step = fc.record({
    kind: fc.constantFrom("push", "push", "remove", "shift"),
    namespace: fc.integer({ min: 0, max: 3 }),
    item: fc.integer({ min: 0, max: 9 }),
  });
  assertProperty(
    fc.property(fc.array(step, { maxLength: 80 }), (steps) => {
      const queue = createFairQueue<string>();
      let lines: { readonly namespace: string; readonly items: string[] }[] = [];
      for (const { kind, namespace, item } of steps) {
        const [space, name] = [`n${namespace}`, `n${namespace}/${item}`];
        const line = lines.find((one) => one.namespace === space);
        const isKnown = line?.items.includes(name) === true;
        if (kind === "push" && !isKnown) {
          queue.push(space, name);
          if (line === undefined) lines.push({ namespace: space, items: [name] });
          else line.items.push(name);
        }
        const removed = kind === "remove" && queue.remove(name);
        expect(removed).toBe(kind === "remove" && isKnown);
        if (removed) line?.items.splice(line.items.indexOf(name), 1);
        const first = kind === "shift" ? lines.shift() : undefined;
        expect(kind === "shift" ? queue.shift() : undefined).toBe(first?.items.shift());
        if (first !== undefined) lines.push(first);
        lines = lines.filter(({ items }) => items.length > 0);
        expect(queue.size).toBe(lines.flatMap(({ items }) => items).length);
      }
    }),
  );
});
