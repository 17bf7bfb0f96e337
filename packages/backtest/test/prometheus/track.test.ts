// Parts of a history as one: halves and days share the instant where they meet.
import { expect, test } from "vitest";
import { joined, stepsOf, type Track } from "../../src/prometheus/track.ts";

function track(points: readonly (readonly [number, number])[], labels: Track["labels"] = {}): Track {
  return { labels, atMs: points.map(([at]) => at), values: points.map(([, value]) => value) };
}

test("a sample where two parts meet counts once, whatever the order of the labels", () => {
  const first = track(
    [
      [10, 1],
      [20, 2],
    ],
    { pod: "a", job: "ksm" },
  );
  const second = track(
    [
      [20, 2],
      [30, 3],
    ],
    { job: "ksm", pod: "a" },
  );
  expect(joined([[first], [second]])).toEqual([
    { labels: { pod: "a", job: "ksm" }, atMs: [10, 20, 30], values: [1, 2, 3] },
  ]);
});

test("parts that overlap by more give each instant once, the first that was read", () => {
  const parts = [
    [
      track([
        [10, 1],
        [20, 2],
        [30, 3],
      ]),
    ],
    [
      track([
        [20, 9],
        [30, 9],
        [40, 4],
      ]),
    ],
    [],
    [track([[40, 9]])],
  ];
  const [whole, ...others] = joined(parts);
  expect(others).toEqual([]);
  expect(whole).toMatchObject({ atMs: [10, 20, 30, 40], values: [1, 2, 3, 4] });
});

test("series that differ in a label stay apart", () => {
  const [one, other] = [track([[10, 1]], { pod: "a" }), track([[10, 2]], { pod: "b" })];
  expect(joined([[one], [other]])).toHaveLength(2);
});

test("the same sample of two processes is no second change", () => {
  const both = [
    track([
      [10, 3],
      [20, 4],
    ]),
    track([
      [10, 3],
      [20, 4],
    ]),
  ];
  expect(stepsOf(both)).toEqual([
    { atMs: 10, earliestMs: 10, value: 3 },
    { atMs: 20, earliestMs: 10, value: 4 },
  ]);
});
