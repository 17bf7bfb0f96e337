import { parseSelector } from "@plimsoll/core/selector";
import { createStore, type KubeObject, objectKey } from "@plimsoll/kube";
import { assertProperty } from "@plimsoll/properties";
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
  assertProperty(
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

test("5,000 invented keys, and keys that objects lost, cost 1,000 later changes nothing", () => {
  const store = createStore<KubeObject>();
  let reads = 0;
  const object = (name: string, labels: Record<string, string>): KubeObject => ({
    metadata: {
      name,
      namespace: "one",
      get labels() {
        reads += 1;
        return labels;
      },
    },
  });
  const lost = Array.from({ length: 30 }, (_, at) => `lost-${String(at)}`);
  const labels = { app: "a", ...Object.fromEntries(lost.map((key) => [key, "v"])) };
  for (let at = 0; at < 50; at += 1) store.set(object(`pod-${String(at)}`, labels));
  for (const key of ["app", ...lost]) store.select("one", parseSelector(`${key}=v`));
  for (let at = 0; at < 50; at += 1) store.set(object(`pod-${String(at)}`, { app: "a" }));
  for (let at = 0; at < 5_000; at += 1) store.select("one", parseSelector(`invented-${String(at)}=v`));
  reads = 0;
  for (let at = 0; at < 1_000; at += 1) store.set(object(`pod-${String(at % 50)}`, { app: "a" }));
  expect(reads).toBeLessThanOrEqual(1_000 * 4);
});

test("made-up label keys in selectors leave no work behind for later changes, and little for the search", () => {
  const store = createStore<KubeObject>();
  const labels = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${String(at)}`, "v"]));
  let reads = 0;
  const object = (name: string): KubeObject => ({
    metadata: {
      name,
      namespace: "one",
      get labels() {
        reads += 1;
        return labels;
      },
    },
  });
  for (let at = 0; at < 50; at += 1) store.set(object(`pod-${String(at)}`));
  const pinned = (of: (at: number) => string) =>
    Array.from({ length: 10_000 }, (_, at) => `${of(at)}=v`).join();

  for (const of of [(at: number) => `made-up-${String(at)}`, (at: number) => `k${String(at % 200)}`]) {
    reads = 0;
    store.select("one", parseSelector(pinned(of)));
    expect(reads).toBeLessThan(50 * 20);
  }
  for (let at = 0; at < 200; at += 1) store.select("one", parseSelector(`k${String(at)}=v`));
  reads = 0;
  store.set(object("pod-0"));
  expect(reads).toBeLessThan(200);
});
