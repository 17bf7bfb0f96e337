import { cronHpaLimits } from "@plimsoll/core/cronhpa";
import { expect, test } from "vitest";
import { projectCronHpa } from "../../../src/schedules/cronhpa/cron-hpa.ts";
import { createJobStore } from "../../../src/schedules/cronhpa/job-store.ts";
import { createWorld } from "./world.ts";

const job = { name: "open", schedule: "0 0 9 * * *", targetSize: 8 };
const long = "0,".repeat(450_000);

test.each([
  ["schedule", { jobs: [{ ...job, schedule: long }] }, "schedule "],
  ["schedule of an interval", { jobs: [{ ...job, schedule: `@every ${long}s` }] }, "schedule "],
  ["schedule of a date", { jobs: [{ ...job, schedule: `@date ${long}` }] }, "schedule "],
  ["name", { jobs: [{ ...job, name: long }] }, "name "],
  [
    "jobs",
    { jobs: Array.from({ length: 5000 }, (_, n) => ({ ...job, name: `job-${n}` })) },
    "spec.jobs has more than 100",
  ],
  [
    "excludeDates",
    { jobs: [job], excludeDates: Array(20_000).fill("* * * 1 1 *") },
    "spec.excludeDates has more than 100",
  ],
])(
  "a %s of hundreds of thousands of characters is refused, with condition and event",
  async (_, spec, why) => {
    const world = createWorld("2026-03-02T08:59:50Z");
    world.deployment(2);
    world.cronHpa(spec);
    world.start();
    await world.clock.advance(30_000);
    const [condition] = world.conditions();
    expect(condition?.state).toBe("Failed");
    expect(condition?.message).toContain(why);
    expect(condition?.message?.length).toBeLessThan(1000);
    expect(world.conditions().length).toBeLessThanOrEqual(cronHpaLimits.jobs);
    expect(world.events.filter(({ reason }) => reason === "Failed").length).toBeGreaterThan(0);
    for (const { message } of world.events) expect(message.length).toBeLessThan(1000);
    // Nothing that is kept, stored or logged holds the text.
    expect(JSON.stringify(world.conditions()).length).toBeLessThan(100_000);
    expect(world.replicas()).toBe(2);
  },
);

test("a long exclusion is not a day and is left out of its object's exclusions; the jobs run", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  world.cronHpa({ jobs: [job], excludeDates: [long] });
  world.start();
  await world.clock.advance(30_000);
  expect(world.replicas()).toBe(8);
  const ignored = world.events.filter(({ reason }) => reason === "ExclusionIgnored");
  expect(ignored).toHaveLength(1);
  expect(ignored[0]?.message.length).toBeLessThan(300);
});

test("an object is compiled once for each specification, whatever its status and however often it is looked at", () => {
  const store = createJobStore({
    defaults: { timeZone: "UTC", bounds: "Keep" },
    clock: { nowMs: () => 0 },
    newId: () => "id",
  });
  const raw = (resourceVersion: string, targetSize: number, status: object) => ({
    metadata: { name: "cron", namespace: "default", uid: "u", resourceVersion },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "web" },
      jobs: [{ ...job, targetSize }],
    },
    status,
  });
  const compiledOf = (object: ReturnType<typeof raw>) => store.take(projectCronHpa(object)).compiled;
  store.apply({ type: "added", object: projectCronHpa(raw("1", 8, {})) });
  const first = compiledOf(raw("1", 8, {}));
  const [target = ""] = store.targets();
  for (let n = 0; n < 5; n++) expect(store.recordsOf(target)[0]?.compiled).toBe(first);
  expect(compiledOf(raw("2", 8, { conditions: [] }))).toBe(first);
  expect(compiledOf(raw("3", 9, { conditions: [] }))).not.toBe(first);
});
