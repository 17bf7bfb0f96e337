import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { decideNamespace } from "../../src/catalog/decide-namespace.ts";
import type { WatchedRule } from "../../src/kind/kind.ts";

const rule = (name: string, position: number, second: number): WatchedRule => ({
  metadata: { name, namespace: "shop", creationTimestamp: `2026-01-01T00:00:0${second}Z` },
  read: { ok: true, spec: { type: "External", metric: name, source: "default", query: name } },
  status: undefined,
  position,
});

function servedOf(rules: readonly WatchedRule[], rulesPerNamespace: number): readonly string[] {
  const served: string[] = [];
  const decisions = decideNamespace(rules, {
    rulesPerNamespace,
    overLimit: "too many",
    compile({ metadata }) {
      served.push(metadata.name);
      return { type: "pending" };
    },
  });
  expect([...decisions.keys()].sort()).toEqual(rules.map(({ metadata }) => metadata.name).sort());
  expect([...decisions.values()].filter(({ type }) => type === "refused")).toHaveLength(
    rules.length - served.length,
  );
  return served;
}

test("whatever the order of the rules, the first and oldest are served", () => {
  const parts = fc.tuple(fc.nat({ max: 9 }), fc.nat({ max: 3 }));
  assertProperty(
    fc.property(fc.array(parts, { maxLength: 40 }), fc.nat({ max: 20 }), (all, max) => {
      const rules = all.map(([position, second], at) => rule(`rule-${(at * 7) % 41}`, position, second));
      const key = ({ position = 0, metadata }: WatchedRule) =>
        `${position} ${metadata.creationTimestamp} ${metadata.name}`;
      const sorted = rules.toSorted((a, b) => (key(a) < key(b) ? -1 : 1));
      expect(servedOf(rules, max)).toEqual(sorted.slice(0, max).map(({ metadata }) => metadata.name));
    }),
    { numRuns: 500 },
  );
});

test.each(["forwards", "backwards", "in no order"])(
  "each of ten thousand rules %s is compared a few times",
  (order) => {
    let compared = 0;
    const total = 10_000;
    const numbers = Array.from({ length: total }, (_, at) =>
      order === "forwards" ? at : order === "backwards" ? total - at : (at * 7_919) % total,
    );
    const rules = numbers.map((number) => {
      const plain = rule(`rule-${String(number).padStart(6, "0")}`, 0, 0);
      const read = Object.defineProperty({ ...plain }, "position", {
        get() {
          compared += 1;
          return 0;
        },
      });
      return read;
    });
    expect(servedOf(rules, 50)).toHaveLength(50);
    expect(compared).toBeLessThan(20 * total);
  },
);
