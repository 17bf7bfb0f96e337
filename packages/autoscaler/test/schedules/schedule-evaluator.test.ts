import { readInline, shareSchedules } from "@plimsoll/calendars";
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";
import { createScheduleEvaluator } from "../../src/schedules/schedule-evaluator.ts";

test("an entry that changes every ten milliseconds wakes its object ten times at once, then every fifteen seconds", async () => {
  const clock = manualClock(Date.parse("2026-06-17T11:59:59.500Z"));
  const object = projectWla({
    metadata: { name: "shop", namespace: "default", uid: "u" },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 1,
      maxReplicas: 1000,
      schedules: [
        {
          name: "steep",
          timeZone: "UTC",
          start: "* * * * *",
          duration: "59s",
          minReplicas: 1000,
          ramp: { over: "1s", steps: 100 },
        },
      ],
    },
  } as never);
  const shared = shareSchedules({ clock, calendarDirectory: undefined, runTask: readInline });
  let wakes = 0;
  const evaluator = createScheduleEvaluator({ clock, shared });
  evaluator.subscribe(() => {
    wakes++;
    evaluator.withSchedules(object);
  });
  evaluator.withSchedules(object);
  for (let n = 0; n < 1000; n++) await clock.advance(10);
  expect(wakes).toBeGreaterThan(0);
  expect(wakes).toBeLessThanOrEqual(10);
  for (let n = 0; n < 600; n++) await clock.advance(1000);
  expect(wakes).toBeGreaterThan(10);
  expect(wakes).toBeLessThanOrEqual(51);
  evaluator.stop();
});
