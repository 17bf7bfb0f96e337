import { createStore, type KubeObject, objectKey, parseSelector } from "@plimsoll/kube";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const namespaces = ["", "one", "two"];
const selectors = [
  "",
  "app=a",
  "app in (a,b)",
  "app in (a,b),tier=x",
  "app!=a",
  "tier",
  "!tier,app=b",
  "app=constructor",
];

const change = fc.record({
  namespace: fc.constantFrom(...namespaces),
  name: fc.constantFrom("p", "q", "r", "s"),
  labels: fc.option(
    fc.dictionary(fc.constantFrom("app", "tier"), fc.constantFrom("a", "b", "x"), { maxKeys: 2 }),
    { nil: undefined },
  ),
  isDelete: fc.boolean(),
  select: fc.constantFrom(...selectors),
});

test("the store finds what a plain search finds, whatever came and went before", () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 60 }), (changes) => {
      const store = createStore<KubeObject>();
      const model = new Map<string, KubeObject>();
      for (const { namespace, name, labels, isDelete, select } of changes) {
        const key = objectKey(namespace, name);
        const object: KubeObject = {
          metadata: {
            name,
            ...(namespace === "" ? {} : { namespace }),
            ...(labels === undefined ? {} : { labels }),
          },
        };
        const before = model.get(key);
        const given = isDelete ? store.delete(namespace, name) : store.set(object);
        if (isDelete) model.delete(key);
        else model.set(key, object);
        expect(given).toBe(before);
        expect(store.size).toBe(model.size);
        expect(store.get(namespace, name)).toBe(model.get(key));
        const selector = parseSelector(select);
        for (const space of [undefined, ...namespaces]) {
          const plain = [...model.values()].filter(
            ({ metadata }) => space === undefined || (metadata.namespace ?? "") === space,
          );
          expect(new Set(store.list(space))).toEqual(new Set(plain));
          const wanted = plain.filter(({ metadata }) => selector.matches(metadata.labels));
          const found = store.select(space, selector);
          expect(found).toHaveLength(wanted.length);
          expect(new Set(found)).toEqual(new Set(wanted));
        }
      }
    }),
    { numRuns: 200 },
  );
});
