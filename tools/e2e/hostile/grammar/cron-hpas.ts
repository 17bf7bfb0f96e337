import type { Arbitrary } from "fast-check";
import * as fc from "fast-check";
import { int32, listOf, metadata, nastyName, object, target } from "./words.ts";

const schedule: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(
    "0 0 0 1 1 *",
    "* * * * * *",
    "0 {i} * * * *",
    "0 0 0 31 2 *",
    "@every 1s",
    "@every 0s",
    "@every 9999999999h",
    "@date 9999-12-31 00:00:00",
    "@yearly",
    "0-59/0 * * * * *",
    "59-0 * * * * *",
    "{e} * * * * *",
  ),
  nastyName,
  fc
    .integer({ min: 1000, max: 450_000 })
    .map((times) => ({ $text: [{ $repeat: "1,", times }, "0 * * * * *"] })),
  fc
    .integer({ min: 1000, max: 450_000 })
    .map((times) => ({ $text: ["* * * * * ", { $repeat: "1-", times }, "*"] })),
  fc
    .integer({ min: 1000, max: 450_000 })
    .map((times) => ({ $text: ["* * * * *", { $repeat: " *", times }] })),
);

const job = fc.tuple(schedule, int32, fc.boolean()).map(([text, targetSize, runOnce]) => ({
  name: "job-{i}",
  schedule: text,
  targetSize: Math.min(targetSize, 10),
  runOnce,
}));

/** A long text is there once, short ones by the thousand. */
function few(what: Arbitrary<unknown>): Arbitrary<unknown> {
  return fc.oneof(fc.array(what, { minLength: 1, maxLength: 2 }), listOf(fc.constant("* * * 25 12 *"), 4000));
}

export const cronHpa = object(
  "autoscaling.alibabacloud.com/v1beta1",
  "CronHorizontalPodAutoscaler",
  fc.record({
    scaleTargetRef: target,
    excludeDates: few(schedule),
    jobs: fc.oneof(
      fc.array(job, { minLength: 1, maxLength: 2 }),
      listOf(fc.constant({ name: "job-{i}", schedule: "{e} 0 0 1 1 *", targetSize: 2 }), 3000),
    ),
  }),
  metadata,
);
