import {
  nextFiring,
  parseCron,
  readSchedules,
  type ScheduleSpec,
  scheduleState,
  zoneOffset,
} from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { stringify } from "yaml";
import { cron, scaledObject } from "./keda-objects.ts";
import { convert, nowMs, specOf } from "./rig.ts";

/** KEDA's own rule: active while the next end comes before the next start, or at the same time. */
function isActive(start: string, end: string, atMs: number): boolean {
  const next = (text: string) => {
    const parsed = parseCron(text, "standard");
    return parsed === undefined ? undefined : nextFiring(parsed, atMs, () => 0);
  };
  const [startMs, endMs] = [next(start), next(end)];
  return startMs !== undefined && endMs !== undefined && endMs <= startMs;
}

const minute = fc.constantFrom("0", "15", "30", "*/20", "59");
const hour = fc.constantFrom("0", "8", "9", "18", "23", "8,12", "*/6");
const weekday = fc.constantFrom("*", "1-5", "MON", "0,6", "SAT,SUN", "*/2");
const schedule = fc
  .tuple(minute, hour, fc.constantFrom("*", "1", "*/2"), fc.constantFrom("*", "1,7"), weekday)
  .map((fields) => fields.join(" "));

/** Once on each of the same days: such a start and end take turns, also over midnight. */
const turns = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 0, max: 1439 }), { minLength: 2, maxLength: 2 }),
    fc.constantFrom("* * *", "* * 1-5", "* * SAT,SUN", "1 * *", "*/2 * *", "*/2 * 1-5", "* 1,7 *"),
  )
  .map(([minutes, days]) => minutes.map((at) => `${at % 60} ${Math.floor(at / 60)} ${days}`));
const pair = fc.oneof(turns, fc.tuple(schedule, schedule));

test("where starts and ends take turns the floor holds exactly while KEDA's trigger is active; else a note says so", async () => {
  let exact = 0;
  await assertProperty(
    fc.asyncProperty(
      pair,
      fc.array(fc.integer({ min: 0, max: 525_600 }), { minLength: 20 }),
      async ([start = "", end = ""], minutes) => {
        fc.pre(start !== end);
        const trigger = cron({ timezone: "UTC", start, end, desiredReplicas: "7" });
        const converted = await convert(stringify(scaledObject({ triggers: [trigger] })));
        expect(converted.problems).toEqual([]);
        const isNoted = converted.notes.some(({ path }) => path === "spec.triggers[0].metadata.start");
        const entries = specOf(converted)["schedules"] as readonly ScheduleSpec[];
        const bounds = { minReplicas: 1, maxReplicas: 100 };
        const { schedules, problems } = readSchedules(entries, { zone: zoneOffset, bounds });
        expect(problems).toEqual([]);
        const [first] = entries;
        const instants = minutes.map((at) => nowMs + at * 60_000 + 30_000);
        const differ = instants.filter(
          (atMs) =>
            (scheduleState(schedules, atMs).floor === 7) !==
            isActive(first?.start ?? "", first?.end ?? "", atMs),
        );
        if (isNoted) return;
        exact++;
        expect(differ).toEqual([]);
      },
    ),
    { numRuns: 1000 },
  );
  expect(exact).toBeGreaterThan(10);
});

test("a star with a step is no star beside the other kind of day, as for KEDA's parser", async () => {
  const trigger = cron({ timezone: "UTC", start: "0 8 */2 * 1-5", end: "0 18 */2,, * 1-5" });
  const [entry] = specOf(await convert(stringify(scaledObject({ triggers: [trigger] }))))[
    "schedules"
  ] as readonly ScheduleSpec[];
  expect(entry).toMatchObject({ start: "0 8 1-31/2 * 1-5", end: "0 18 1-31/2 * 1-5" });
  const { schedules } = readSchedules([entry as ScheduleSpec], {
    zone: zoneOffset,
    bounds: { minReplicas: 1, maxReplicas: 100 },
  });
  const at = (day: string) => scheduleState(schedules, Date.parse(`${day}T12:00:00Z`)).floor;
  // Odd days, and working days: the even Saturday 2026-06-06 is neither.
  expect([at("2026-06-02"), at("2026-06-06"), at("2026-06-07")]).toEqual([10, undefined, 10]);
});
