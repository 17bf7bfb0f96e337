import { describe, expect, test } from "vitest";
import {
  type CronHpaSource,
  compileCronHpa,
  cronHpaBoundsPolicies,
  groupOfApiVersion,
  readCronHpaSchedule,
} from "../src/decide/cronhpa/index.ts";

const job = { name: "up", schedule: "0 0 8 * * *", targetSize: 3, runOnce: false };
const target = { apiVersion: "apps/v1", kind: "Deployment", name: "web" };
const zones = (name: string) =>
  new Map([
    ["UTC", () => 0],
    ["Plus/Two", () => 7_200_000],
  ]).get(name);

interface Changes {
  readonly annotations?: Readonly<Record<string, string>>;
  readonly target?: Partial<CronHpaSource["spec"]["scaleTargetRef"]>;
  readonly excludeDates?: readonly string[];
  readonly jobs?: readonly Partial<typeof job>[];
}

function compiled(changes: Changes = {}) {
  const { annotations, target: changed, excludeDates = [], jobs = [{}] } = changes;
  const spec = {
    scaleTargetRef: { ...target, ...changed },
    excludeDates,
    jobs: jobs.map((one) => ({ ...job, ...one })),
  };
  const metadata = annotations === undefined ? {} : { annotations };
  return compileCronHpa({ metadata, spec }, { timeZone: "UTC", bounds: "Move" }, zones);
}

const messages = (changes: Changes) =>
  compiled(changes).jobs.map(({ plan }) => (plan.ok ? undefined : plan.message));
const long = "x".repeat(5000);

test("a job has its schedule, and the defaults hold without annotations", () => {
  const { jobs, bounds, timeZone, exclusionAt } = compiled();
  expect(jobs).toEqual([
    {
      ...job,
      isSingle: false,
      plan: { ok: true, schedule: expect.anything(), hasFiveFields: false },
      warnings: [],
    },
  ]);
  expect([bounds, timeZone, exclusionAt(0)]).toEqual(["Move", "UTC", undefined]);
});

test.each(cronHpaBoundsPolicies)("an annotation sets the policy for bounds: %s", (policy) => {
  const annotations = { "autoscaling.plimsoll.dev/cron-hpa-bounds": policy };
  expect(compiled({ annotations })).toMatchObject({ bounds: policy, jobs: [{ plan: { ok: true } }] });
});

test("policies for bounds are the three that users can set", () => {
  expect(cronHpaBoundsPolicies).toEqual(["Move", "Keep", "Within"]);
});

test.each<readonly [problem: string, changes: Changes, message: string]>([
  ["time zone", { annotations: { "autoscaling.plimsoll.dev/time-zone": "Mars" } }, "Mars"],
  [
    "policy for bounds",
    { annotations: { "autoscaling.plimsoll.dev/cron-hpa-bounds": "Push" } },
    '"Push", but must be one of Move, Keep, Within',
  ],
  ["number of jobs", { jobs: Array.from({ length: 5000 }, (_, n) => ({ name: `job-${n}` })) }, "jobs"],
  ["number of days", { excludeDates: Array.from({ length: 5000 }, () => "0 0 0 1 1 *") }, "excludeDates"],
  ["kind", { target: { kind: "" } }, "scaleTargetRef"],
  ["name", { target: { name: "" } }, "scaleTargetRef"],
  ["apiVersion", { target: { apiVersion: "apps" } }, '"apps" must have the form group/version'],
  ["length of the apiVersion", { target: { apiVersion: long } }, "scaleTargetRef.apiVersion"],
  ["length of the kind", { target: { kind: long } }, "scaleTargetRef.kind"],
  ["length of the name", { target: { name: long } }, "scaleTargetRef.name"],
])("a wrong %s of the object stops each job and says why", (_problem, changes, message) => {
  const found = messages(changes);
  expect(found.length).toBeGreaterThan(0);
  for (const one of found) expect(one).toContain(message);
});

test("an object with a problem keeps bounds and ignores the zone", () => {
  const annotations = {
    "autoscaling.plimsoll.dev/cron-hpa-bounds": "Push",
    "autoscaling.plimsoll.dev/time-zone": "Mars",
  };
  const { bounds, offset } = compiled({ annotations });
  expect([bounds, offset(0)]).toEqual(["Keep", 0]);
});

test("the problem of one job leaves the others alone", () => {
  expect(
    messages({
      jobs: [
        {},
        { targetSize: 2 },
        { name: "negative", targetSize: -1 },
        { name: "zero", targetSize: 0 },
        { name: long },
        { name: "odd", schedule: "often" },
      ],
    }),
  ).toEqual([
    undefined,
    'the name "up" is already used by another job',
    "targetSize -1 is negative",
    undefined,
    expect.stringMatching(/^name /),
    '"often" is not a schedule',
  ]);
});

test.each([
  ["0 0 8 * * *", false, false],
  ["0 0 8 * * *", true, true],
  [" @date 2026-01-02 03:04:05", false, true],
])("a job of schedule %j with runOnce %j runs once: %j", (schedule, runOnce, isSingle) => {
  expect(compiled({ jobs: [{ schedule, runOnce }] }).jobs).toMatchObject([{ isSingle, plan: { ok: true } }]);
});

test("five fields are read with seconds first, and the user hears of it", () => {
  expect(compiled({ jobs: [{ schedule: "0 8 * * *" }] }).jobs[0]?.warnings).toEqual([
    {
      reason: "SecondsFirst",
      message: '"0 8 * * *" has five fields, so its first field is read as seconds',
    },
  ]);
});

describe("excluded days", () => {
  const exclusions = ["odd", "0 0 0 24 12 *", "@every 1h", "a", "b", "c", "d"];

  test("entries that name no day are warnings, five at most", () => {
    const { warnings } = compiled({ excludeDates: exclusions }).jobs[0] ?? {};
    expect(warnings?.map(({ reason }) => reason)).toEqual(Array(5).fill("ExclusionIgnored"));
    expect(warnings?.map(({ message }) => message.split(" ")[0])).toEqual(
      ["odd", "@every", "a", "b", "c"].map((text) => expect.stringContaining(text)),
    );
  });

  test("the entry that names the day of an instant is told, by the object's time zone", () => {
    const annotations = { "autoscaling.plimsoll.dev/time-zone": "Plus/Two" };
    const { exclusionAt } = compiled({ annotations, excludeDates: exclusions });
    const at = (text: string) => exclusionAt(Date.parse(text));
    expect(at("2026-12-23T21:59:59Z")).toBeUndefined();
    expect(at("2026-12-23T22:00:00Z")).toBe("0 0 0 24 12 *");
    expect(at("2026-12-24T21:59:59Z")).toBe("0 0 0 24 12 *");
    expect(at("2026-12-24T22:00:00Z")).toBeUndefined();
    expect(at("2027-12-24T12:00:00Z")).toBe("0 0 0 24 12 *");
  });
});

test.each([
  ["0 0 8 * * *", { ok: true, hasFiveFields: false }],
  ["0 8 * * *", { ok: true, hasFiveFields: true }],
  ["0 0 0 29 2 *", { ok: true, hasFiveFields: false }],
  ["0 0 0 30 2 *", { ok: false, reason: "NeverOccurs", message: '"0 0 0 30 2 *" never occurs' }],
  ["@date 2026-01-02 03:04:05", { ok: true, hasFiveFields: false }],
  ["", { ok: false, reason: "NotASchedule", message: '"" is not a schedule' }],
  [long, { ok: false, reason: "TooLong", message: expect.stringContaining("schedule") }],
])("a schedule is read: %#", (text, expected) => {
  expect(readCronHpaSchedule(text)).toMatchObject(expected);
});

test.each([
  ["v1", ""],
  ["v1beta1", ""],
  ["apps/v1", "apps"],
  ["apps/", undefined],
  ["/v1", undefined],
  ["apps", undefined],
  ["vx", undefined],
  ["dev1", undefined],
  ["a/b/c", undefined],
])("the group of the apiVersion %j is %j", (apiVersion, group) => {
  expect(groupOfApiVersion(apiVersion)).toBe(group);
});
