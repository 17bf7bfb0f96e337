import { expect, test } from "vitest";
import { lookAt, takeSeen } from "../../src/network/parsed.ts";

test("a response is read once for all who look at it, and is then its client's alone", () => {
  const text = '{"kind":"Lease","looked":1}';
  const seen = lookAt(text);
  expect(seen).toEqual({ kind: "Lease", looked: 1 });
  expect(lookAt(text)).toBe(seen);
  expect(takeSeen(text)).toBe(seen);
  expect(takeSeen(text)).toBeUndefined();
  expect(lookAt(text)).not.toBe(seen);
});

test("responses that no client gets are forgotten", () => {
  lookAt('{"lost":true}');
  for (let number = 0; number < 200; number += 1) lookAt(`{"number":${String(number)}}`);
  expect(takeSeen('{"lost":true}')).toBeUndefined();
  expect(takeSeen('{"number":199}')).toEqual({ number: 199 });
});
