import { expect, test } from "vitest";
import type { NativeHpa } from "../../src/hpa/native-hpa.ts";
import { createRecords, freshest, isQuiet, keepQuiet } from "../../src/hpa/records.ts";

function stored(resourceVersion: string, uid = "u1"): NativeHpa {
  return {
    metadata: { name: "shop", namespace: "default", uid, resourceVersion },
    spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 3 },
  };
}

test("our own write is decided upon while the watch is behind it", () => {
  expect(freshest(stored("9"), stored("10")).metadata.resourceVersion).toBe("10");
  expect(freshest(stored("11"), stored("10")).metadata.resourceVersion).toBe("11");
  expect(freshest(stored("9"), undefined).metadata.resourceVersion).toBe("9");
});

test("what was written of a former namesake does not count", () => {
  expect(freshest(stored("9", "u2"), stored("10", "u1")).metadata.uid).toBe("u2");
});

test("versions that are not numbers cannot be compared: the watch is believed", () => {
  expect(freshest(stored("abc"), stored("10")).metadata.resourceVersion).toBe("abc");
});

test("a record belongs to one object and ends with it", () => {
  const records = createRecords();
  const first = records.of(stored("1"));
  expect(records.of(stored("2"))).toBe(first);
  expect(records.of(stored("3", "u2"))).not.toBe(first);
  records.drop("default/shop");
  expect(records.size).toBe(0);
});

test("an object rests as long as it is told to, and a clock that is set back ends the rest", () => {
  const record = createRecords().of(stored("1"));
  keepQuiet(record, 1_000_000, 5000);
  expect([isQuiet(record, 1_004_999), isQuiet(record, 1_005_000)]).toEqual([true, false]);
  expect(isQuiet(record, 1_000_000 - 3_600_000)).toBe(false);
  keepQuiet(record, 1_000_000, 86_400_000);
  expect(isQuiet(record, 1_000_000 + 600_000)).toBe(false);
});
