import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createRooms } from "../../src/watch/room.ts";

const steps = fc.array(
  fc.record({
    namespace: fc.constantFrom("a", "b", "c", "d"),
    name: fc.integer({ min: 0, max: 9 }),
    bytes: fc.option(fc.integer({ min: 1, max: 40 })),
  }),
  { maxLength: 60 },
);
const limits = { maxNamespaceBytes: 100, maxTotalBytes: 220 };
const sum = (sizes: Iterable<number>) => [...sizes].reduce((total, bytes) => total + bytes, 0);

test("what is there fits, and nothing larger of its namespace than what had to go came to stay", () => {
  assertProperty(
    fc.property(steps, (drawn) => {
      const rooms = createRooms(limits);
      const there = new Map<string, Map<string, number>>();
      const of = (namespace: string) => there.get(namespace) ?? new Map<string, number>();
      const taken = () => [...there.values()].map((sizes) => sum(sizes.values()));
      for (const { namespace, name, bytes } of drawn) {
        const key = `o${name}`;
        const own = of(namespace);
        there.set(namespace, own);
        const before = own.get(key);
        if (before !== undefined) rooms.remove(namespace, key, before);
        own.delete(key);
        if (bytes === null) continue;
        own.set(key, bytes);
        for (const gone of rooms.add(namespace, { name: key, bytes }, of)) {
          const sizes = of(gone.namespace);
          expect(sizes.get(gone.name)).toBe(Math.max(...sizes.values()));
          expect(sum(sizes.values())).toBeGreaterThan(gone.isTotal ? 0 : limits.maxNamespaceBytes);
          expect(gone.isTotal ? sum(sizes.values()) : 0).toBe(gone.isTotal ? Math.max(...taken()) : 0);
          sizes.delete(gone.name);
        }
        expect(rooms.bytes).toBe(sum(taken()));
        expect(Math.max(...taken())).toBeLessThanOrEqual(limits.maxNamespaceBytes);
        expect(rooms.bytes).toBeLessThanOrEqual(limits.maxTotalBytes);
      }
      for (const [namespace, sizes] of there) expect(rooms.bytesIn(namespace)).toBe(sum(sizes.values()));
    }),
    { numRuns: 2000 },
  );
});
