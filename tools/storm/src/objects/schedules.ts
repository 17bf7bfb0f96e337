// Draws schedules that begin and end within a run, in time zones that change their clocks.
import type { ScheduleExclusion, ScheduleSpec } from "@plimsoll/core/schedules";
import type { Random } from "../random/random.ts";

export const timeZones = [
  "UTC",
  "Europe/Berlin",
  "America/New_York",
  "Australia/Lord_Howe",
  "Asia/Kathmandu",
  "America/St_Johns",
] as const;

/** One to three entries, none above `maxReplicas`. */
export function drawSchedules(random: Random, maxReplicas: number): readonly ScheduleSpec[] {
  return Array.from({ length: random.pick([1, 1, 2, 3]) }, (_, index) =>
    drawSchedule(random.stream(String(index)), `entry-${String(index)}`, maxReplicas),
  );
}

function drawSchedule(random: Random, name: string, maxReplicas: number): ScheduleSpec {
  const every = random.pick([10, 15, 20, 30]);
  const isHourly = random.chance(0.3);
  const start = isHourly ? `${String(random.between(0, 59))} * * * *` : `*/${String(every)} * * * *`;
  const lasts = random.between(2, every - 2);
  const floor = random.between(1, maxReplicas);
  const imposes = random.pick<Pick<ScheduleSpec, "minReplicas" | "maxReplicas" | "replicas">>([
    { minReplicas: floor },
    { maxReplicas: floor },
    { minReplicas: random.between(1, floor), maxReplicas: floor },
    { replicas: random.chance(0.2) ? 0 : floor },
  ]);
  const hasRamp = imposes.minReplicas !== undefined && random.chance(0.3);
  return {
    name,
    timeZone: random.pick(timeZones),
    start,
    ...(isHourly && random.chance(0.5)
      ? { end: `${String(random.between(0, 59))} * * * *` }
      : { duration: `${String(lasts)}m${random.chance(0.3) ? "30s" : ""}` }),
    ...imposes,
    ...(hasRamp ? { ramp: { over: `${String(Math.max(1, lasts - 1))}m`, steps: random.between(2, 5) } } : {}),
    ...(random.chance(0.2) ? { precedence: "Ceiling" } : {}),
    ...(random.chance(0.25) ? { exclusions: [drawExclusion(random.stream("exclusion"))] } : {}),
  };
}

function drawExclusion(random: Random): ScheduleExclusion {
  return random.pick<ScheduleExclusion>([
    { weekdays: [random.pick(["MON", "WED", "Sunday"])] },
    { date: "2026-10-25" },
    { from: "2027-12-24", to: "2028-01-06" },
    { calendar },
  ]);
}

const calendar = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//storm//EN",
  "BEGIN:VEVENT",
  "UID:noon@storm",
  "DTSTAMP:20260101T000000Z",
  "DTSTART:20260101T120000Z",
  "DTEND:20260101T130000Z",
  "RRULE:FREQ=DAILY",
  "END:VEVENT",
  "END:VCALENDAR",
].join("\r\n");
