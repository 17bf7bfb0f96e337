// Schemas of schedules in the specification and the status of a WorkloadAutoscaler.
import { instant, int32, list, object, oneOf, text } from "./schema.ts";

const day = (description: string) => text(description, { pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" });
const cron = (description: string) => text(description, { minLength: 9, maxLength: 256 });
const duration = (description: string) =>
  text(description, { maxLength: 64, pattern: "^([0-9]+(\\.[0-9]+)?(h|m|s))+$" });

const exclusion = object(
  "Something to exclude.",
  {
    date: day('A day, such as "2026-12-25".'),
    from: day("The first day of a range."),
    to: day("The last day of the range."),
    weekdays: list("Days of the week, such as SAT or Saturday.", text("", { maxLength: 9 }), {
      minItems: 1,
      maxItems: 7,
      "x-kubernetes-list-type": "set",
    }),
    calendar: text("iCalendar text (RFC 5545); each of its events is excluded.", { maxLength: 65_536 }),
    calendarName: text("Name of an iCalendar file among those that the controller was given.", {
      maxLength: 253,
      pattern: "^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$",
    }),
  },
  {
    rules: [
      {
        rule: "has(self.from) == has(self.to) && [has(self.date), has(self.from), has(self.weekdays), has(self.calendar), has(self.calendarName)].filter(x, x).size() == 1",
        message: "must have exactly one of date, from with to, weekdays, calendar, calendarName",
      },
    ],
  },
);

const entry = object(
  "Limits that hold from each start to the end that follows it.",
  {
    name: text("Name of the entry.", { minLength: 1, maxLength: 63 }),
    timeZone: text('IANA name, such as "Europe/Berlin"; start, end and exclusions are local there.', {
      minLength: 1,
      maxLength: 64,
    }),
    start: cron('Minute, hour, day of month, month, day of week, such as "0 8 * * MON-FRI".'),
    end: cron("The same for the end."),
    duration: duration('In place of end: how long it holds, such as "8h30m".'),
    minReplicas: int32("A floor: minReplicas is at least this.", { minimum: 1 }),
    maxReplicas: int32("A ceiling: maxReplicas is at most this, and minReplicas with it.", { minimum: 0 }),
    replicas: int32("A fixed count: floor and ceiling in one; 0 turns the target off.", { minimum: 0 }),
    ramp: object(
      "The floor is reached in steps, from minReplicas of the specification.",
      {
        over: duration('Time from the first step, at the start, to the last, such as "30m".'),
        steps: int32("How many steps; 5 when absent.", { minimum: 2, maximum: 100 }),
      },
      { required: ["over"] },
    ),
    precedence: oneOf(
      "What counts when this entry's ceiling is below the floor of another.",
      ["Floor", "Ceiling"],
      { default: "Floor" },
    ),
    exclusions: list("Times at which the entry imposes nothing, in its time zone.", exclusion, {
      minItems: 1,
      maxItems: 100,
      "x-kubernetes-list-type": "atomic",
    }),
  },
  {
    required: ["name", "timeZone", "start"],
    rules: [
      { rule: "has(self.end) != has(self.duration)", message: "must have exactly one of end and duration" },
      {
        rule: "has(self.replicas) != (has(self.minReplicas) || has(self.maxReplicas))",
        message: "must have minReplicas, maxReplicas or both, or else replicas",
      },
      {
        rule: "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
        message: "maxReplicas must be greater than or equal to minReplicas",
      },
      {
        rule: "!has(self.ramp) || has(self.minReplicas) || has(self.replicas)",
        message: "ramp needs minReplicas or replicas",
      },
    ],
  },
);

export const schedules = list(
  "Limits that hold at certain times. The highest floor and the lowest ceiling count.",
  entry,
  { maxItems: 50, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
);

/** Rules of a specification that has schedules. */
export const scheduleRules = [
  {
    rule: "!has(self.schedules) || self.schedules.all(s, (!has(s.minReplicas) || s.minReplicas <= self.maxReplicas) && (!has(s.replicas) || s.replicas <= self.maxReplicas))",
    message: "schedules must not set more than maxReplicas",
  },
] as const;

export const schedulesStatus = object("What the schedules impose.", {
  active: list(
    "Those that hold now.",
    object(
      "One of them.",
      {
        name: text("Name of the entry."),
        since: instant("Since when it holds."),
        until: instant("Until when."),
        minReplicas: int32("Its floor; on a ramp, the step that is reached."),
        maxReplicas: int32("Its ceiling."),
      },
      { required: ["name"] },
    ),
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  ),
  minReplicas: int32("The lower limit that counts now."),
  maxReplicas: int32("The upper limit that counts now."),
  nextTransition: instant("When something in this changes; absent when that is too far ahead to be known."),
});
