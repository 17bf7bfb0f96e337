import { manualClock } from "@plimsoll/component-base/testing";
import { createMutationCache, type Versioned } from "@plimsoll/kube";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

const maxAgeMs = 300_000;

function version(resourceVersion: number | string, uid = "u1"): Versioned {
  return { metadata: { uid, resourceVersion: String(resourceVersion) } };
}

function setUp(maxEntries = 100) {
  const clock = manualClock(1_800_000_000_000);
  return { clock, cache: createMutationCache({ clock, maxAgeMs, maxEntries }) };
}

test("what was written wins over an older watched version until the watch shows it", () => {
  const { cache } = setUp();
  const [before, written, after] = [version(10), version(12), version(12)];
  expect(cache.newest("ns/a", before)).toBe(before);
  expect(cache.put("ns/a", written)).toBe(true);
  expect(cache.newest("ns/a", before)).toBe(written);
  expect(cache.isBehind("ns/a", before)).toBe(true);
  expect(cache.newest("ns/b", before)).toBe(before);
  expect(cache.newest("ns/a", after)).toBe(after);
  expect(cache.entries.size).toBe(0);
});

test("an older state than the saved one is refused", () => {
  const { cache } = setUp();
  cache.put("ns/a", version(12));
  expect(cache.put("ns/a", version(11))).toBe(false);
  expect(cache.put("ns/a", version(12))).toBe(true);
  expect(cache.put("ns/a", version(13))).toBe(true);
  expect(cache.newest("ns/a", version(12)).metadata.resourceVersion).toBe("13");
});

test("after its maximum age a saved state is believed no more: the server was restored from a backup", async () => {
  const { cache, clock } = setUp();
  cache.put("ns/a", version(5000));
  const restored = version(20);
  await clock.advance(maxAgeMs - 1);
  expect(cache.newest("ns/a", restored)).not.toBe(restored);
  await clock.advance(1);
  expect(cache.newest("ns/a", restored)).toBe(restored);
  expect(cache.isBehind("ns/a", restored)).toBe(false);
  expect(cache.entries.size).toBe(0);
  cache.put("ns/a", version(5000));
  await clock.advance(maxAgeMs);
  expect(cache.put("ns/a", version(21))).toBe(true);
});

test("ages are measured on the steady clock: setting the wall clock changes nothing", () => {
  let [wallMs, steadyMs] = [1_800_000_000_000, 1000];
  const cache = createMutationCache({ clock: { nowMs: () => wallMs, steadyMs: () => steadyMs }, maxAgeMs });
  const watched = version(1);
  cache.put("ns/a", version(2));
  for (const jumpMs of [7_200_000, -86_400_000]) {
    wallMs += jumpMs;
    expect(cache.newest("ns/a", watched)).not.toBe(watched);
  }
  steadyMs += maxAgeMs;
  expect(cache.newest("ns/a", watched)).toBe(watched);
});

test("an object of another uid replaces the saved one, whatever its version", () => {
  const { cache } = setUp();
  cache.put("ns/a", version(12, "old"));
  const replaced = version(11, "new");
  expect(cache.newest("ns/a", replaced)).toBe(replaced);
  expect(cache.entries.size).toBe(0);
  cache.put("ns/a", version(12, "old"));
  expect(cache.put("ns/a", replaced)).toBe(true);
  expect(cache.isBehind("ns/a", replaced)).toBe(false);
});

test("a dropped object is watched only", () => {
  const { cache } = setUp();
  cache.put("ns/a", version(12));
  cache.drop("ns/a");
  cache.drop("ns/a");
  expect(cache.isBehind("ns/a", version(11))).toBe(false);
});

test("after an uncertain write the watch is behind until the server returned the object", async () => {
  const { cache, clock } = setUp();
  cache.put("ns/a", version(12));
  cache.putUncertain("ns/a");
  const shown = version(13);
  expect(cache.isBehind("ns/a", shown)).toBe(true);
  expect(cache.newest("ns/a", shown)).toBe(shown);
  expect(cache.newest("ns/a", version(11)).metadata.resourceVersion).toBe("12");
  expect(cache.put("ns/a", version(11))).toBe(false);
  expect(cache.isBehind("ns/a", shown)).toBe(true);
  expect(cache.put("ns/a", version(14))).toBe(true);
  expect(cache.isBehind("ns/a", shown)).toBe(true);
  expect(cache.isBehind("ns/a", version(14))).toBe(false);
  cache.putUncertain("ns/b");
  await clock.advance(maxAgeMs);
  expect(cache.isBehind("ns/b", shown)).toBe(false);
});

test("versions that cannot be compared never win", () => {
  const { cache } = setUp();
  cache.put("ns/a", version("x9"));
  const watched = version("x1");
  expect(cache.newest("ns/a", watched)).toBe(watched);
  expect(cache.put("ns/a", { metadata: {} })).toBe(true);
  expect(cache.entries.size).toBe(0);
});

test("entries are bounded, those saved first go first, and expired ones go with the next", async () => {
  const { cache, clock } = setUp(3);
  for (const name of ["a", "b", "c", "a", "d"]) cache.put(name, version(9));
  expect(cache.entries.size).toBe(3);
  expect(["a", "b", "c", "d"].filter((name) => cache.isBehind(name, version(1)))).toEqual(["a", "c", "d"]);
  await clock.advance(maxAgeMs);
  cache.put("e", version(9));
  expect(cache.entries.size).toBe(1);
});

test("whatever a lagging watch and a restored server show, the newest is never older than what is known of the server", async () => {
  const action = fc.oneof(
    fc.record({ kind: fc.constantFrom("write", "watch", "uncertain", "restore") }),
    fc.record({ kind: fc.constant("wait"), ms: fc.integer({ min: 1, max: maxAgeMs }) }),
  );
  await assertProperty(
    fc.asyncProperty(fc.array(action, { maxLength: 60 }), async (actions) => {
      const { cache, clock } = setUp();
      const server = { version: 10, watched: 10 };
      let restoredAtMs = Number.NEGATIVE_INFINITY;
      for (const step of actions) {
        if (step.kind === "write") cache.put("k", version((server.version += 1)));
        if (step.kind === "watch") server.watched = server.version;
        if (step.kind === "uncertain") cache.putUncertain("k");
        if (step.kind === "restore") {
          server.version = server.watched = Math.max(1, server.version - 5);
          restoredAtMs = clock.nowMs();
        }
        if ("ms" in step) await clock.advance(step.ms);
        const shown = Number(cache.newest("k", version(server.watched)).metadata.resourceVersion);
        expect(shown).toBeGreaterThanOrEqual(server.watched);
        const isHealed = clock.nowMs() - restoredAtMs >= maxAgeMs;
        expect(isHealed ? shown : 0).toBeLessThanOrEqual(server.version);
      }
    }),
  );
});
