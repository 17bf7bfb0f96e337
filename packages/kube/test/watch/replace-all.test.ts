import { expect, test } from "vitest";
import type { KubeObject } from "../../src/index.ts";
import { createStore } from "../../src/index.ts";
import { type ListedObjects, replaceAll } from "../../src/watch/replace-all.ts";

function pod(namespace: string, name: string, version: number, uid = name): KubeObject {
  return { metadata: { namespace, name, uid, resourceVersion: String(version) } };
}

function podsOf(namespace: string, version: number, count: number): readonly KubeObject[] {
  return Array.from({ length: count }, (_, index) => pod(namespace, `p-${index}`, version));
}

function filled(objects: readonly KubeObject[]) {
  const store = createStore<KubeObject>();
  for (const object of objects) store.set(object);
  return store;
}

/** As a listing has them. */
function listed(objects: readonly KubeObject[]): ListedObjects<KubeObject> {
  const shelves = new Map<string, Map<string, KubeObject>>();
  for (const object of objects) {
    const { namespace = "", name } = object.metadata;
    shelves.set(namespace, (shelves.get(namespace) ?? new Map()).set(name, object));
  }
  return shelves;
}

/** What the store has of a namespace: the versions, and how many objects. */
function shown(store: ReturnType<typeof filled>, namespace: string): string {
  const objects = store.list(namespace);
  const versions = new Set(objects.map(({ metadata }) => metadata.resourceVersion));
  return `${objects.length} of ${[...versions].join()}`;
}

test("deletions of a namespace come first, what is the same is no change, and another uid is another object", async () => {
  const store = filled([pod("a", "gone", 1), pod("a", "same", 2), pod("a", "old", 3), pod("b", "all", 4)]);
  const changes: string[] = [];
  await replaceAll(store, listed([pod("a", "same", 2), pod("a", "old", 9, "another"), pod("c", "new", 8)]), {
    onChange: ({ type, object }) => changes.push(`${type} ${object.metadata.name}`),
    pause: () => Promise.reject(new Error("so few need no pause")),
    signal: new AbortController().signal,
  });
  expect(changes).toEqual(["deleted gone", "deleted old", "added old", "deleted all", "added new"]);
  expect(store.list().map(({ metadata }) => metadata.name)).toEqual(["same", "old", "new"]);
  expect(store.namespaces()).toEqual(["a", "c"]);
});

test("a listener sees all that is in the namespace, from the first change on", async () => {
  const store = filled(podsOf("a", 1, 2));
  const seen: string[] = [];
  await replaceAll(store, listed(podsOf("a", 2, 3).slice(1)), {
    onChange: ({ type }) => seen.push(`${type}: ${shown(store, "a")}`),
    pause: () => Promise.reject(new Error("so few need no pause")),
    signal: new AbortController().signal,
  });
  expect(seen).toEqual(["deleted: 2 of 2", "modified: 2 of 2", "added: 2 of 2"]);
});

test("a pause comes at least every thousand objects, and shows each namespace before or after, never in between", async () => {
  const namespaces = ["a", "b", "large"];
  const before = [...podsOf("a", 1, 1500), ...podsOf("b", 1, 900), ...podsOf("large", 1, 20_000)];
  const after = [...podsOf("a", 2, 1400), ...podsOf("b", 2, 950), ...podsOf("large", 2, 19_000)];
  const store = filled(before);
  const seen = new Set<string>();
  let pauses = 0;
  await replaceAll(store, listed(after), {
    onChange: () => undefined,
    pause() {
      pauses++;
      for (const namespace of namespaces) seen.add(`${namespace} ${shown(store, namespace)}`);
      return Promise.resolve();
    },
    signal: new AbortController().signal,
  });
  expect(pauses).toBeGreaterThanOrEqual((before.length + after.length) / 1000 - 1);
  expect([...seen].sort()).toEqual(
    ["a 1400 of 2", "a 1500 of 1", "b 900 of 1", "b 950 of 2", "large 19000 of 2", "large 20000 of 1"].sort(),
  );
});

test("nothing is replaced or reported after the end", async () => {
  const store = filled([...podsOf("a", 1, 1000), ...podsOf("b", 1, 1000)]);
  const ending = new AbortController();
  const changed = new Set<string | undefined>();
  await replaceAll(store, listed([...podsOf("a", 2, 1000), ...podsOf("b", 2, 1000)]), {
    onChange: ({ object }) => changed.add(object.metadata.namespace),
    pause() {
      if (shown(store, "a") === "1000 of 2") ending.abort();
      return Promise.resolve();
    },
    signal: ending.signal,
  });
  expect([...changed]).toEqual(["a"]);
  expect(shown(store, "b")).toBe("1000 of 1");
});
