import { expect, test } from "vitest";
import { ageText, humanDuration } from "../src/values/time/age.ts";

const minute = 60;
const hour = 3600;
const day = 86_400;

test.each([
  [-2, "<invalid>"],
  [Number.NaN, "<invalid>"],
  [-1, "0s"],
  [0, "0s"],
  [5, "5s"],
  [119, "119s"],
  [120, "2m"],
  [200, "3m20s"],
  [599, "9m59s"],
  [600, "10m"],
  [3 * hour - 1, "179m"],
  [3 * hour, "3h"],
  [3 * hour + 20 * minute, "3h20m"],
  [8 * hour - 1, "7h59m"],
  [8 * hour, "8h"],
  [47 * hour, "47h"],
  [2 * day, "2d"],
  [2 * day + 4 * hour, "2d4h"],
  [8 * day - 1, "7d23h"],
  [8 * day, "8d"],
  [729 * day, "729d"],
  [730 * day, "2y"],
  [800 * day, "2y70d"],
  [8 * 365 * day, "8y"],
])("%i s is %s", (seconds, text) => {
  expect(humanDuration(seconds * 1000)).toBe(text);
});

test("an age is not negative, as clocks differ", () => {
  expect([humanDuration(-5_000), ageText(-5_000)]).toEqual(["<invalid>", "0s"]);
});
