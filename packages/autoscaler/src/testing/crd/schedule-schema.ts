// Schemas of schedules in the specification and the status of a WorkloadAutoscaler.
import { instant, int32, list, object, oneOf, text } from "./schema.ts";

const day = (description: string) => text(description, { pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}$" });
const cron = (description: string) => text(description, { minLength: 9, maxLength: 256 });
const duration = (description: string) =>
  text(description, { maxLength: 64, pattern: "^([0-9]+(\\.[0-9]+)?(h|m|s))+$" });

const exclusion = object(
  "One exclusion.",
  {
    date: day('A day, such as "2026-12-25".'),
    from: day("First day of a range of days."),
    to: day("Last day of the range."),
    weekdays: list("Days of the week, such as SAT or Saturday.", text("", { maxLength: 9 }), {
      minItems: 1,
      maxItems: 7,
      "x-kubernetes-list-type": "set",
    }),
    calendar: text("iCalendar text (RFC 5545). Its events are excluded.", { maxLength: 65_536 }),
    calendarName: text("Name of a file in the autoscaler's --calendar-directory, without .ics.", {
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
  "Limits that are active from each start to the next end.",
  {
    name: text("Name of the entry.", { minLength: 1, maxLength: 63 }),
    timeZone: text('IANA name, such as "Europe/Berlin". It applies to start, end, and exclusions.', {
      minLength: 1,
      maxLength: 64,
    }),
    start: cron(
      'Cron schedule of five fields: minute, hour, day of month, month, day of week, such as "0 8 * * MON-FRI".',
    ),
    end: cron("Cron schedule of the end."),
    duration: duration('Time from start to end, such as "8h30m". Use it instead of end.'),
    minReplicas: int32("Floor: raises minReplicas to this.", { minimum: 1 }),
    maxReplicas: int32("Ceiling: lowers maxReplicas, and minReplicas if needed, to this.", { minimum: 0 }),
    replicas: int32("Floor and ceiling at once. 0 scales to zero.", { minimum: 0 }),
    ramp: object(
      "Raises the floor in steps from spec.minReplicas.",
      {
        over: duration('Time from the first step (at start) to the last, such as "30m".'),
        steps: int32("Number of steps; 5 if unset.", { minimum: 2, maximum: 100 }),
      },
      { required: ["over"] },
    ),
    precedence: oneOf(
      "Which one wins if this entry's ceiling is below another entry's floor.",
      ["Floor", "Ceiling"],
      { default: "Floor" },
    ),
    exclusions: list("Times at which the entry has no effect.", exclusion, {
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
  "Limits at certain times. The highest floor and the lowest ceiling of all active entries apply.",
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

export const schedulesStatus = object("Active schedules and the resulting limits.", {
  active: list(
    "Active entries.",
    object(
      "One active entry.",
      {
        name: text("Name of the entry."),
        since: instant("Start of the entry."),
        until: instant("End of the entry."),
        minReplicas: int32("Its floor; with a ramp, the step that is reached."),
        maxReplicas: int32("Its ceiling."),
      },
      { required: ["name"] },
    ),
    { "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"] },
  ),
  minReplicas: int32("Current lower limit."),
  maxReplicas: int32("Current upper limit."),
  nextTransition: instant("When this status changes next. Unset if no change was found."),
});
