import { expect, test } from "vitest";
import { DurationError, parsePrometheusDuration } from "../src/index.ts";

test.each([
  ["5m", 300_000],
  ["1h30m", 5_400_000],
  ["1d", 86_400_000],
  ["0", 0],
  ["0s", 0],
  ["1y2w3d4h5m6s7ms", 33_019_506_007],
  ["250ms", 250],
])("the Prometheus duration %s", (text, expected) => {
  expect(parsePrometheusDuration(text)).toBe(expected);
});

test.each(["", "300", "1.5h", "-5m", "5m1h", "1m1m", "m", " 5m", "300000y"])(
  "no Prometheus duration: %j",
  (text) => {
    expect(() => parsePrometheusDuration(text)).toThrow(DurationError);
  },
);
