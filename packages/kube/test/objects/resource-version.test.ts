import { isOlder } from "@plimsoll/kube";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";

test("decimal versions compare as numbers of any length", () => {
  assertProperty(
    fc.property(fc.bigInt({ min: 1n, max: 2n ** 130n }), fc.bigInt({ min: 1n, max: 2n ** 130n }), (a, b) => {
      expect(isOlder(String(a), String(b))).toBe(a < b);
    }),
  );
});

test.each([
  [undefined, "2"],
  ["1", undefined],
  ["a", "b"],
  ["1", "2a"],
  ["01", "2"],
  ["", "2"],
  ["-1", "2"],
])("%s and %s are not comparable", (version, than) => {
  expect(isOlder(version, than)).toBe(false);
});
