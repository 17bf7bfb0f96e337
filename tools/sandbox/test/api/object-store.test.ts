import { manualClock } from "@plimsoll/component-base/testing";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import {
  createObjectStore,
  type StoredObject,
  StoreError,
  type StoreEvent,
  type VersionedStore,
} from "../../src/index.ts";
import { seal } from "../../src/storage/seal.ts";

const startMs = Date.UTC(2026, 0, 1);

function newStore(historyLimit = 10_000): VersionedStore {
  return createObjectStore({ clock: manualClock(startMs), historyLimit });
}

const pod = (name: string, extra: Partial<StoredObject> = {}): StoredObject => ({
  ...extra,
  metadata: { name, namespace: "default", ...extra.metadata },
});

function reasonOf(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (error) {
    return error instanceof StoreError ? error.reason : String(error);
  }
}

test("create, update and delete keep what the server owns", () => {
  const store = newStore();
  const created = store.create("pods", pod("a", { spec: { x: 1 } }));
  expect(created.metadata).toMatchObject({ generation: 1, creationTimestamp: "2026-01-01T00:00:00Z" });
  const forged = {
    ...created.metadata,
    uid: "other",
    generation: 9,
    creationTimestamp: "1999-01-01T00:00:00Z",
  };
  const updated = store.update("pods", { ...created, metadata: forged, spec: { x: 2 } });
  expect(updated.metadata).toMatchObject({ uid: created.metadata.uid, generation: 2 });
  expect(updated.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
  const status = store.update("pods", { ...updated, status: { ready: true } });
  expect(status.metadata.generation).toBe(2);
  expect(store.update("pods", status)).toBe(status);
  expect(store.delete("pods", "default", "a")?.metadata.name).toBe("a");
  expect(store.delete("pods", "default", "a")).toBeUndefined();
});

test("writes that cannot be are distinguished", () => {
  const store = newStore();
  const created = store.create("pods", pod("a"));
  store.update("pods", pod("a", { spec: {} }));
  expect(reasonOf(() => store.create("pods", pod("a")))).toBe("AlreadyExists");
  expect(reasonOf(() => store.update("pods", pod("b")))).toBe("NotFound");
  expect(reasonOf(() => store.update("pods", created))).toBe("Conflict");
});

test("what comes out is frozen and what went in may change", () => {
  const store = newStore();
  const labels: Record<string, string> = { a: "1" };
  const created = store.create("pods", pod("a", { metadata: { name: "a", namespace: "default", labels } }));
  labels["a"] = "2";
  expect(created.metadata.labels).toEqual({ a: "1" });
  expect(Object.isFrozen(created.metadata.labels)).toBe(true);
});

test("an update that ends a deletion removes the object", () => {
  const store = newStore();
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  store.create("pods", pod("a", { metadata: { name: "a", namespace: "default", finalizers: ["x/y"] } }));
  store.update(
    "pods",
    pod("a", { metadata: { name: "a", namespace: "default", finalizers: ["x/y"], deletionTimestamp } }),
  );
  expect(store.get("pods", "default", "a")).toBeDefined();
  store.update("pods", pod("a", { metadata: { name: "a", namespace: "default", deletionTimestamp } }));
  expect(store.get("pods", "default", "a")).toBeUndefined();
});

test("a listener that writes or fails does not disturb the order for the others", () => {
  const store = newStore();
  const seen: string[] = [];
  store.subscribe((event) => {
    if (event.type === "ADDED" && event.object.metadata.name === "a") store.create("pods", pod("b"));
  });
  store.subscribe(() => {
    throw new Error("broken");
  });
  store.subscribe((event) => seen.push(event.object.metadata.name));
  expect(() => store.create("pods", pod("a"))).toThrow("a listener of the store failed");
  expect(seen).toEqual(["a", "b"]);
});

type Operation = readonly [action: "create" | "update" | "delete", name: string, value: number];

const operations = fc.array(
  fc.tuple(fc.constantFrom("create", "update", "delete"), fc.constantFrom("a", "b", "c"), fc.nat(3)),
  { maxLength: 60 },
) as fc.Arbitrary<Operation[]>;

function perform(store: VersionedStore, [action, name, value]: Operation): void {
  if (action === "delete") store.delete("pods", "default", name);
  else reasonOf(() => store[action]("pods", pod(name, { spec: { value } })));
}

test("events from any version lead from the state then to the state now", () => {
  assertProperty(
    fc.property(operations, fc.nat(60), (all, split) => {
      const store = newStore();
      for (const one of all.slice(0, split)) perform(store, one);
      const state = new Map(store.list("pods").map((object) => [object.metadata.name, object]));
      const from = store.version;
      for (const one of all.slice(split)) perform(store, one);
      for (const event of store.eventsSince("pods", from) ?? []) {
        const { name } = event.object.metadata;
        expect(event.version).toBeGreaterThan(from);
        expect(event.type === "ADDED").toBe(!state.has(name));
        if (event.type === "DELETED") state.delete(name);
        else state.set(name, event.object);
      }
      expect([...state.values()].toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1))).toEqual(
        store.list("pods"),
      );
    }),
  );
});

test("a bounded history either replays everything or says that it cannot", () => {
  assertProperty(
    fc.property(operations, fc.integer({ min: 1, max: 8 }), (all, limit) => {
      const store = newStore(limit);
      const published: number[] = [];
      store.subscribe((event) => published.push(event.version));
      for (const one of all) perform(store, one);
      for (let from = 1; from <= store.version; from += 1) {
        const events = store.eventsSince("pods", from);
        if (events === undefined) continue;
        expect(events.map((event) => event.version)).toEqual(published.filter((version) => version > from));
      }
      expect(store.eventsSince("pods", store.version)).toEqual([]);
    }),
  );
});

test("changes that are undone leave objects, versions and generations as they were, and no history", () => {
  const changes: StoreEvent[] = [];
  const store = createObjectStore({
    clock: manualClock(startMs),
    onChange: (change) => changes.unshift(change),
  });
  const kept = store.create("pods", pod("kept", { spec: { x: 1 } }));
  const gone = store.create(
    "pods",
    pod("gone", { metadata: { name: "gone", namespace: "default", finalizers: ["a/b"] } }),
  );
  const { version } = store;
  changes.length = 0;
  store.create("pods", pod("new"));
  store.update("pods", { ...kept, spec: { x: 2 } });
  const deletionTimestamp = "2026-01-01T00:00:00Z";
  store.update("pods", { ...gone, metadata: { ...gone.metadata, deletionTimestamp } });
  store.update("pods", {
    ...gone,
    metadata: { name: "gone", namespace: "default", deletionTimestamp, finalizers: [] },
  });
  expect(store.list("pods").map(({ metadata }) => metadata.name)).toEqual(["kept", "new"]);
  store.rewind(changes);
  expect(store.version).toBe(version);
  expect(store.list("pods")).toEqual([gone, kept]);
  expect(store.get("pods", "default", "kept")).toBe(kept);
  expect(store.eventsSince("pods", version)).toEqual([]);
  expect(store.eventsSince("pods", version - 1)).toBeUndefined();
});

test("what is sealed is what a JSON round trip gives, frozen, and what equals the former is the former", () => {
  assertProperty(
    fc.property(fc.jsonValue(), fc.jsonValue(), (value, other) => {
      const copy = JSON.parse(JSON.stringify(value)) as unknown;
      const sealed = seal(value);
      expect(sealed).toEqual(copy);
      expect(seal(copy, sealed)).toBe(sealed);
      const changed = seal({ same: copy, other }, seal({ same: value, other: null }));
      expect(changed).toEqual(JSON.parse(JSON.stringify({ same: value, other })));
      expect(isDeepFrozen(changed)).toBe(true);
    }),
  );
  const odd = { a: undefined, b: Number.NaN, c: -0, d: [undefined], e: new Date(0), ["__proto__"]: 1 };
  expect(JSON.stringify(seal(odd))).toBe(JSON.stringify(odd));
  expect(Object.is(seal(odd).c, 0)).toBe(true);
});

function isDeepFrozen(value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.isFrozen(value) && Object.values(value).every(isDeepFrozen);
}
