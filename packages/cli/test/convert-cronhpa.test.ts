import { readSchedules, type ScheduleSpec, scheduleState, zoneOffset } from "@plimsoll/core/schedules";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { runCli } from "../src/index.ts";

interface Converted {
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly scaleTargetRef: object;
    readonly minReplicas: number;
    readonly maxReplicas: number;
    readonly schedules: readonly ScheduleSpec[];
  };
}

const convert = (text: string, ...flags: string[]) =>
  convertPlainly(text, "--time-zone=Europe/Berlin", ...flags);

async function convertPlainly(text: string, ...flags: string[]) {
  let out = "";
  let errors = "";
  const code = await runCli({
    args: ["convert", "f.yaml", ...flags],
    name: "plimsoll",
    version: "0.0.0",
    readText: () => Promise.resolve(text),
    writeOut: (part) => (out += part),
    writeError: (part) => (errors += part),
    nowMs: () => Date.parse("2026-06-01T00:00:00Z"),
    signal: new AbortController().signal,
  });
  const objects = parseAllDocuments(out).map((document) => document.toJS() as Converted);
  return { code, out, errors, objects, object: objects.at(-1) };
}

const cronHpa = (
  jobs: readonly string[],
  { ref, excludeDates }: { readonly ref?: string; readonly excludeDates?: string } = {},
) => `# The shop's hours.
apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: shop, namespace: web, labels: { team: a } }
spec:
  scaleTargetRef: ${ref ?? "{ apiVersion: apps/v1, kind: Deployment, name: shop }"}
  ${excludeDates === undefined ? "" : `excludeDates: ${excludeDates}`}
  jobs:
${jobs.map((job) => `    - { ${job} }`).join("\n")}
`;

/** What the schedules make of an instant, outside of which the minimum is the count. */
function countAt({ spec }: Converted, at: string): number {
  const { schedules, problems } = readSchedules(spec.schedules, { zone: zoneOffset, bounds: spec });
  expect(problems).toEqual([]);
  return scheduleState(schedules, Date.parse(at)).floor ?? spec.minReplicas;
}

test("two jobs are one stretch of time, from the one to the other", async () => {
  const { code, object, out } = await convert(
    cronHpa([
      'name: open, schedule: "0 0 9 * * 1-5", targetSize: 8',
      'name: close, schedule: "0 30 18 ? * 1-5", targetSize: 2',
    ]),
  );
  expect(code).toBe(0);
  expect(out).toMatch(/^# The shop's hours\.\n/);
  expect(object).toEqual({
    apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
    kind: "WorkloadAutoscaler",
    metadata: { name: "shop", namespace: "web", labels: { team: "a" } },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      minReplicas: 2,
      maxReplicas: 8,
      schedules: [
        { name: "open", timeZone: "Europe/Berlin", start: "0 9 * * 1-5", end: "30 18 * * 1-5", replicas: 8 },
      ],
    },
  });
});

test("the counts are those that the jobs would have set, hour by hour", async () => {
  const { object } = await convert(
    cronHpa([
      'name: morning, schedule: "0 0 6 * * *", targetSize: 4',
      'name: noon, schedule: "0 0 11 * * *", targetSize: 9',
      'name: evening, schedule: "0 0 14 * * *", targetSize: 4',
      'name: night, schedule: "0 0 22 * * *", targetSize: 1',
    ]),
  );
  const counts = Array.from({ length: 24 }, (_, hour) => {
    const local = Date.parse("2026-06-03T00:30:00+02:00") + hour * 3_600_000;
    return object === undefined ? 0 : countAt(object, new Date(local).toISOString());
  });
  expect(counts.join(" ")).toBe("1 1 1 1 1 1 4 4 4 4 4 9 9 9 4 4 4 4 4 4 4 4 1 1");
});

test("hours that differ by weekday become one schedule for each length", async () => {
  const { object } = await convert(
    cronHpa([
      'name: open, schedule: "0 0 9 * * MON-SAT", targetSize: 8',
      'name: close, schedule: "0 0 18 * * MON-FRI", targetSize: 2',
      'name: close-saturday, schedule: "0 0 14 * * SAT", targetSize: 2',
    ]),
  );
  expect(object?.spec.schedules).toMatchObject([
    { name: "open", start: "0 9 * * 1,2,3,4,5", duration: "9h" },
    { name: "open-2", start: "0 9 * * 6", duration: "5h" },
  ]);
});

test("an HPA as target has floors, inside bounds that hold its own and all sizes", async () => {
  const ref = "{ apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: shop }";
  const jobs = [
    'name: up, schedule: "0 0 9 * * *", targetSize: 20',
    'name: down, schedule: "0 0 18 * * *", targetSize: 3',
  ];
  const hpa = `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop, namespace: web }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }, minReplicas: 2, maxReplicas: 10 }
`;
  const alone = await convert(cronHpa(jobs, { ref }));
  expect(alone.errors).toContain(
    "is the HorizontalPodAutoscaler shop, whose own minReplicas holds outside of the schedules: see that it is 3",
  );
  expect(alone.object).toMatchObject({
    metadata: { name: "shop" },
    spec: {
      scaleTargetRef: { apiVersion: "autoscaling/v2" },
      minReplicas: 3,
      maxReplicas: 20,
      schedules: [{ minReplicas: 20, start: "0 9 * * *", end: "0 18 * * *" }],
    },
  });
  const both = await convert(hpa.slice(4) + `---\n${cronHpa(jobs, { ref })}`);
  expect(both.objects.map(({ metadata }) => metadata.name)).toEqual(["shop", "shop-schedules"]);
  expect(both.object?.spec).toMatchObject({ minReplicas: 2, maxReplicas: 20 });
  expect(both.errors).toContain("has minReplicas 2, which holds outside of the schedules where a job says 3");
  expect(both.errors).toContain("its WorkloadAutoscaler can have these schedules");
});

test("excludeDates become weekdays, or dates with a note", async () => {
  const jobs = [
    'name: open, schedule: "0 0 9 * * *", targetSize: 8',
    'name: close, schedule: "0 0 18 * * *", targetSize: 2',
  ];
  const { object, errors } = await convert(
    cronHpa(jobs, { excludeDates: '["* * * * * 0,6", "* * * 25 12 *", "x"]' }),
  );
  expect(object?.spec.schedules[0]?.exclusions).toEqual([
    { weekdays: ["SUN", "SAT"] },
    { date: "2026-12-25" },
    { date: "2027-12-25" },
    { date: "2028-12-25" },
  ]);
  expect(errors).toContain("is written as the 3 dates that it names in three years");
  expect(errors).toContain('"x" names no day and is left out');
});

test("a count of nothing has a schedule of its own", async () => {
  const { object } = await convert(
    cronHpa([
      'name: up, schedule: "0 0 9 * * *", targetSize: 3',
      'name: down, schedule: "0 0 18 * * *", targetSize: 0',
    ]),
  );
  expect(object?.spec).toMatchObject({
    minReplicas: 1,
    schedules: [
      { name: "up", replicas: 3 },
      { name: "down", replicas: 0, start: "0 18 * * *", end: "0 9 * * *" },
    ],
  });
});

test("what is lost is noted: seconds, dates, jobs that run once", async () => {
  const { code, object, errors } = await convert(
    cronHpa([
      'name: sale, schedule: "@date 2026-11-27 08:00:30", targetSize: 50',
      'name: over, schedule: "@date 2026-11-30 00:00:00", targetSize: 5',
    ]),
  );
  expect(code).toBe(0);
  expect(object?.spec.schedules).toMatchObject([{ start: "0 8 27 11 *", end: "0 0 30 11 *", replicas: 50 }]);
  expect(errors).toContain("is due 30 seconds after the minute");
  // A date comes round every year; the sale does not.
  expect(object?.spec.schedules[0]?.exclusions).toEqual([{ from: "2026-12-01", to: "2099-12-31" }]);
  const once = await convert(
    cronHpa([
      'name: up, schedule: "0 0 9 * * *", targetSize: 3, runOnce: true',
      'name: down, schedule: "0 0 18 * * *", targetSize: 1',
    ]),
  );
  expect(once.errors).toContain(
    "runs once, and the schedule every time: remove the schedule when it is over",
  );
});

test("a zone that is only that of this process is reported", async () => {
  const text = cronHpa([
    'name: up, schedule: "0 0 9 * * *", targetSize: 3',
    'name: down, schedule: "0 0 18 * * *", targetSize: 1',
  ]);
  const assumed = await convertPlainly(text);
  expect(assumed.errors).toContain("give the zone that the controller ran in as --time-zone");
  expect((await convert(text)).errors).toBe("");
});

test.each([
  [
    "an interval",
    ['name: a, schedule: "@every 5m", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "is an interval",
  ],
  [
    "every second",
    ['name: a, schedule: "* * * * * *", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "is due in several seconds of a minute",
  ],
  ["one job alone", ['name: a, schedule: "0 0 9 * * *", targetSize: 8'], "never goes back to another size"],
  [
    "never due",
    ['name: a, schedule: "0 0 0 31 2 *", targetSize: 8', 'name: b, schedule: "0 0 1 * * *", targetSize: 1'],
    "cannot run",
  ],
  [
    "no rule of weekdays",
    [
      'name: a, schedule: "0 0 9 * * *", targetSize: 8',
      'name: b, schedule: "0 0 18 1-15 * *", targetSize: 1',
      'name: c, schedule: "0 0 20 16-31 * *", targetSize: 1',
    ],
    "ends at times that follow no rule of weekdays",
  ],
])("%s cannot be expressed, and says so", async (_, jobs, message) => {
  const { code, out, errors } = await convert(cronHpa(jobs));
  expect([code, out]).toEqual([1, ""]);
  expect(errors).toContain(message);
});
