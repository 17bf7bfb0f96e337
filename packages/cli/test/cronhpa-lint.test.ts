import { expect, test } from "vitest";
import { plimsoll, reading } from "./run-plimsoll.ts";

async function lint(text: string, ...flags: string[]) {
  const args = ["cronhpa", "lint", "f.yaml", "--time-zone=UTC", ...flags];
  const seams = { readText: reading({ "f.yaml": text }), nowMs: () => Date.parse("2025-12-31T23:59:59Z") };
  const { code, out, err: errors } = await plimsoll(args, seams);
  return { code, errors, lines: out.trimEnd().split("\n") };
}

interface Parts {
  readonly jobs?: readonly string[];
  readonly annotations?: string;
  readonly excludeDates?: string;
  readonly ref?: string;
}

function cronHpa({ jobs = [], annotations, excludeDates, ref }: Parts): string {
  return `apiVersion: autoscaling.alibabacloud.com/v1beta1
kind: CronHorizontalPodAutoscaler
metadata: { name: shop${annotations === undefined ? "" : `, annotations: { ${annotations} }`} }
spec:
  scaleTargetRef: ${ref ?? "{ apiVersion: apps/v1, kind: Deployment, name: shop }"}
${excludeDates === undefined ? "" : `  excludeDates: ${excludeDates}\n`}  jobs:
${jobs.map((job) => `    - { ${job} }`).join("\n")}
`;
}

let jobs = 0;
const job = (schedule: string, rest = "targetSize: 3") =>
  `name: j${++jobs}, schedule: "${schedule}", ${rest}`;

test("an object that means the same under both has no findings", async () => {
  const { code, lines } = await lint(
    cronHpa({ jobs: [job("0 0 9 * * *"), job("0 30 18 * * 1-5", "targetSize: 1")] }),
  );
  expect([code, lines]).toEqual([0, ["1 object, no findings"]]);
});

test.each([
  [
    "0 9 * * *",
    /f.yaml:7:\d+: document 1: spec.jobs\[0\].schedule "0 9 \* \* \*" has five fields, and both controllers read seconds first.*next at 2026-01-01 00:09:00: use "0 0 9 \* \* \*"/,
  ],
  [
    "0 0 0 31 2 *",
    /never occurs: kubernetes-cronhpa-controller scales to its targetSize every ten minutes, but Plimsoll never does/,
  ],
  ["0 0 0 30 2 *", /never occurs/],
  ["0 0 25 * * *", /is not a schedule, and its job fails/],
  ["CRON_TZ=UTC 0 0 9 * * *", /is not a schedule/],
  ["@date 2020-10-27 21:54:00", /is due on 2026-10-27: neither controller reads the year/],
])("%s", async (schedule, message) => {
  const { code, lines } = await lint(cronHpa({ jobs: [job(schedule)] }));
  expect(code).toBe(2);
  expect(lines).toHaveLength(2);
  expect(lines[0]).toMatch(message);
});

test("a date of this year is what it says", async () => {
  expect((await lint(cronHpa({ jobs: [job("@date 2026-10-27 21:54:00")] }))).code).toBe(0);
});

test("times that clocks skip or repeat", async () => {
  const zone = "autoscaling.plimsoll.dev/time-zone: America/New_York";
  const { lines } = await lint(
    cronHpa({ annotations: zone, jobs: [job("0 30 2 * * *"), job("0 30 1 * * 0-6")] }),
  );
  expect(lines[0]).toContain(
    "is due at 2026-03-08 02:30, which clocks skip: kubernetes-cronhpa-controller skips that run, Plimsoll runs it right after the gap",
  );
  expect(lines[1]).toContain(
    "is due at 2026-11-01 01:30, which occurs twice: kubernetes-cronhpa-controller runs it twice, Plimsoll once",
  );
  expect(lines).toHaveLength(3);
});

test.each([
  // Of all hours of 2026; measured on the other controller's own code.
  ["* * * 15 11 *", ["29 on other days that it skips and Plimsoll runs, the first at 2026-11-01 00:00:00"]],
  ["* * * * * 5", ["277 on other days that it skips and Plimsoll runs, the first at 2026-01-01 00:00:00"]],
  [
    "0 0 0 15 11 *",
    [
      "on excluded days that it runs and Plimsoll skips",
      "29 on other days that it skips and Plimsoll runs, the first at 2026-11-01 00:00:00",
    ],
  ],
])("excludeDates %s by day, and as the other controller reads it", async (rule, parts) => {
  const jobs = [0, 4, 8, 12, 16, 20].map(
    (hour) => `name: h${hour}, schedule: "0 0 ${hour}-${hour + 3} * * *", targetSize: 3`,
  );
  const { lines } = await lint(cronHpa({ excludeDates: `["${rule}"]`, jobs }));
  for (const part of parts) expect(lines.join("\n")).toContain(part);
});

test("entries of excludeDates that mean something else", async () => {
  const { lines } = await lint(
    cronHpa({
      excludeDates: '["* * 25 12 *", "@every 5m", "Christmas", "@date 2026-12-25 00:00:00"]',
      jobs: [job("0 0 9 * * *")],
    }),
  );
  expect(lines[0]).toContain('spec.excludeDates[0] "* * 25 12 *" is not a schedule');
  expect(lines[1]).toContain("is an interval, not a day");
  expect(lines[2]).toContain("is not a schedule and excludes nothing");
  expect(lines[3]).toContain("excludes that day of every year");
  const five = await lint(cronHpa({ excludeDates: '["* * 23 12 *"]', jobs: [job("0 0 9 * * *")] }));
  expect(five.lines[0]).toContain(
    "has five fields and is read with seconds first: its fourth field is the day of the month",
  );
});

test("an apiVersion without a slash", async () => {
  const { lines } = await lint(
    cronHpa({ ref: "{ apiVersion: apps, kind: Deployment, name: shop }", jobs: [job("0 0 9 * * *")] }),
  );
  expect(lines[0]).toContain("kubernetes-cronhpa-controller crashes on it, for all objects");
  expect(lines[1]).toContain("must have the form group/version");
});

const hpa = (target: string) => `---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata: { name: shop }
spec: { scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: ${target} }, minReplicas: 2, maxReplicas: 10 }
`;
const onHpa = "{ apiVersion: autoscaling/v1, kind: HorizontalPodAutoscaler, name: shop }";

test("sizes beyond the bounds of an HPA in the same file, by policy", async () => {
  const jobs = [
    job("0 0 9 * * *", "targetSize: 12"),
    job("0 0 18 * * *", "targetSize: 1"),
    job("0 0 12 * * *", "targetSize: 5"),
  ];
  const { lines } = await lint(cronHpa({ ref: onHpa, jobs }) + hpa("shop"));
  expect(lines).toHaveLength(3);
  expect(lines[0]).toContain(
    "is above maxReplicas 10 of the HorizontalPodAutoscaler: that is raised to it, and stays so",
  );
  expect(lines[1]).toContain(
    "is below minReplicas 2 of the HorizontalPodAutoscaler: that is lowered to it, and stays so",
  );
  const within = await lint(
    cronHpa({ ref: onHpa, jobs, annotations: "autoscaling.plimsoll.dev/cron-hpa-bounds: Within" }) +
      hpa("shop"),
  );
  expect(within.lines[0]).toContain("10 is used instead");
});

test("a workload that an HPA in the same file scales too", async () => {
  const { lines } = await lint(cronHpa({ jobs: [job("0 0 9 * * *")] }) + hpa("shop"));
  expect(lines[0]).toContain("is also scaled by the HorizontalPodAutoscaler shop, which undoes the jobs");
  const ref = "{ apiVersion: extensions/v1beta1, kind: Deployment, name: shop }";
  expect((await lint(cronHpa({ jobs: [job("0 0 9 * * *")], ref }) + hpa("shop"))).lines[0]).toBe(lines[0]);
  expect((await lint(cronHpa({ jobs: [job("0 0 9 * * *")] }) + hpa("other"))).code).toBe(0);
});

test("two jobs of one instant with different sizes", async () => {
  const { lines } = await lint(cronHpa({ jobs: [job("0 0 * * * *"), job("0 0 9 * * 1", "targetSize: 12")] }));
  expect(lines[0]).toContain("spec.jobs[1] is due at 2026-01-05 09:00:00, as is j");
});

test("what the API server refuses or drops", async () => {
  const refused = await lint(cronHpa({ jobs: ["name: a, schedule: 5, targetSize: many"] }));
  expect(refused.lines.slice(0, 2)).toEqual([
    expect.stringContaining('spec.jobs[0].targetSize "many" is not a whole number'),
    expect.stringContaining("spec.jobs[0].schedule 5 is not a string"),
  ]);
  const dropped = await lint(cronHpa({ jobs: [job("0 0 9 * * *", "targetSize: 3, excludeDates: []")] }));
  expect(dropped.lines[0]).toContain("spec.jobs[0].excludeDates is not a field and has no effect");
});

test("files that cannot be linted end with 1", async () => {
  expect(await lint("kind: Pod\napiVersion: v1\n")).toMatchObject({
    code: 1,
    errors: "error: no CronHorizontalPodAutoscaler in f.yaml\n",
  });
  expect((await lint(cronHpa({}), "--time-zone=Mars")).code).toBe(1);
  expect((await lint("{")).code).toBe(1);
});
