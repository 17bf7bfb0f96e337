import { expect, test } from "vitest";
import { createRandom, type Random } from "../../src/random/random.ts";

function drawn(random: Random, count = 5): readonly number[] {
  return Array.from({ length: count }, () => random.next());
}

test("the same seed gives the same numbers, another seed others", () => {
  expect(drawn(createRandom(7))).toEqual(drawn(createRandom(7)));
  expect(drawn(createRandom(7))).not.toEqual(drawn(createRandom(8)));
  expect(drawn(createRandom(1))).not.toEqual(drawn(createRandom(1 + 2 ** 32)));
});

test("a stream depends on its names only, not on what was drawn before", () => {
  const random = createRandom(7);
  const before = drawn(random.stream("event").stream("1"));
  drawn(random);
  expect(drawn(random.stream("event").stream("1"))).toEqual(before);
  const names = ["a", "b", "ab", "ba", "1", "11", "autoscaler-0/1/1", "autoscaler-0/1/2"];
  const first = names.map((name) => random.stream(name).next());
  expect(new Set(first).size).toBe(names.length);
});

test("numbers are spread evenly", () => {
  const random = createRandom(3);
  const counts = [0, 0, 0, 0, 0];
  // The first number of many streams, which is what most of them are used for.
  for (let at = 0; at < 10_000; at += 1) {
    const value = random.stream(String(at)).between(0, 4);
    counts[value] = (counts[value] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 2000)).toBeLessThan(250);
});
