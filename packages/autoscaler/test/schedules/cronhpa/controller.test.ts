import { expect, test } from "vitest";
import { office } from "./jobs.ts";
import { createWorld } from "./world.ts";

test("a new job is Submitted, and Succeed with the counts once it has run", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  world.start();
  await world.clock.advance(1000);
  expect(world.conditions()).toEqual([
    {
      name: "open",
      jobId: "id-1",
      schedule: "0 0 9 * * *",
      targetSize: 8,
      runOnce: false,
      state: "Submitted",
      lastProbeTime: "2026-03-02T08:59:50Z",
    },
    expect.objectContaining({ name: "close", jobId: "id-2", state: "Submitted" }),
  ]);
  expect(world.replicas()).toBe(2);
  await world.clock.advance(20_000);
  expect(world.replicas()).toBe(8);
  const message = "cron hpa job open executed successfully. current replicas:2, desired replicas:8.";
  expect(world.condition("open")).toMatchObject({
    jobId: "id-1",
    state: "Succeed",
    lastProbeTime: "2026-03-02T09:00:00Z",
    message,
  });
  expect(world.events).toEqual([{ object: "jobs", type: "Normal", reason: "Succeed", message }]);
  await world.until("2026-03-03T12:00:00Z");
  expect(world.replicas()).toBe(8);
  expect(world.events.map(({ message }) => message.split(" ")[3])).toEqual(["open", "close", "open"]);
});

test("an HPA as target: bounds first, then the count, upwards only", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(5);
  world.hpa({ minReplicas: 1, maxReplicas: 6, currentReplicas: 5 });
  world.cronHpa({
    scaleTargetRef: { apiVersion: "autoscaling/v1", kind: "HorizontalPodAutoscaler", name: "shop" },
    jobs: office,
  });
  world.start();
  await world.clock.advance(20_000);
  expect([world.bounds(), world.replicas()]).toEqual([[8, 8], 8]);
  world.hpa({ minReplicas: 8, maxReplicas: 8, currentReplicas: 8 });
  await world.until("2026-03-02T18:00:10Z");
  expect([world.bounds(), world.replicas()]).toEqual([[2, 8], 8]);
  expect(world.condition("close")?.message).toBe(
    "cron hpa job close executed successfully. Skip scale replicas because HPA shop in namespace default current replicas:8 >= desired replicas:2.",
  );
});

test("two jobs of one second both run, in their order, and neither's condition is lost", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  world.cronHpa({
    jobs: [
      { name: "one", schedule: "0 0 9 * * *", targetSize: 5 },
      { name: "two", schedule: "0 0 9 * * *", targetSize: 7 },
    ],
  });
  world.start();
  await world.clock.advance(20_000);
  expect(world.conditions().map(({ name, state }) => [name, state])).toEqual([
    ["one", "Succeed"],
    ["two", "Succeed"],
  ]);
  expect(world.condition("two")?.message).toContain("current replicas:5, desired replicas:7.");
});

test("jobs that cannot run say why and stop no others", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  world.cronHpa({
    jobs: [
      { name: "typo", schedule: "0 0 25 * * *", targetSize: 1 },
      { name: "never", schedule: "0 0 0 31 2 *", targetSize: 1 },
      { name: "empty", schedule: "0 , * * * *", targetSize: 1 },
      { name: "negative", schedule: "0 0 9 * * *", targetSize: -1 },
      { name: "open", schedule: "0 0 9 * * *", targetSize: 8 },
      { name: "open", schedule: "0 0 9 * * *", targetSize: 9 },
    ],
  });
  world.start();
  await world.until("2026-03-02T12:00:00Z");
  const prefix = (name: string) =>
    `Failed to create cron hpa job ${name} in jobs namespace default,because of`;
  expect(world.conditions().map(({ state, message }) => [state, message])).toEqual([
    ["Failed", `${prefix("typo")} "0 0 25 * * *" is not a schedule`],
    ["Failed", `${prefix("never")} "0 0 0 31 2 *" never occurs`],
    ["Failed", `${prefix("empty")} "0 , * * * *" never occurs`],
    ["Failed", `${prefix("negative")} targetSize -1 is negative`],
    ["Succeed", "cron hpa job open executed successfully. current replicas:2, desired replicas:8."],
    ["Failed", `${prefix("open")} the name "open" is already used by another job`],
  ]);
  expect(world.events.filter(({ reason }) => reason === "Failed")).toHaveLength(5);
  expect(world.replicas()).toBe(8);
});

test("a schedule that never occurs scales nothing, however long one waits", async () => {
  const world = createWorld("2026-03-02T00:00:00Z");
  world.scheduled(3, [{ name: "never", schedule: "0 0 0 31 2 *", targetSize: 1 }]);
  world.start();
  await world.clock.advance(2 * 86_400_000);
  expect(world.replicas()).toBe(3);
  expect(world.requests.filter((line) => line.startsWith("PUT"))).toEqual([]);
});

test("an apiVersion without a slash is one object's error, and core kinds have none", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  world.cronHpa(
    { scaleTargetRef: { apiVersion: "apps", kind: "Deployment", name: "shop" }, jobs: office },
    { name: "bad" },
  );
  world.cronHpa(
    { scaleTargetRef: { apiVersion: "v1", kind: "Deployment", name: "shop" }, jobs: office },
    { name: "core" },
  );
  world.cronHpa({ jobs: office });
  world.start();
  await world.clock.advance(30_000);
  expect(world.condition("open", "bad")).toMatchObject({
    state: "Failed",
    message: expect.stringContaining('scaleTargetRef.apiVersion "apps" must have the form group/version'),
  });
  // A core kind is looked for in the core group.
  expect(world.condition("open", "core")?.message).toContain('no matches for kind "Deployment" in "v1"');
  expect(world.condition("open")?.state).toBe("Succeed");
});

test("a five-field line is read with seconds first, and says so", async () => {
  const world = createWorld("2026-03-02T12:00:00Z");
  world.scheduled(2, [{ name: "nine", schedule: "0 9 * * *", targetSize: 8 }]);
  world.start();
  await world.clock.advance(1000);
  const warning = '"0 9 * * *" has five fields, so its first field is read as seconds';
  expect(world.condition("nine")).toMatchObject({ state: "Submitted", message: `Warning: ${warning}.` });
  expect(world.events).toEqual([
    { object: "jobs", type: "Warning", reason: "SecondsFirst", message: `nine: ${warning}` },
  ]);
  await world.until("2026-03-02T12:09:01Z");
  expect(world.replicas()).toBe(8);
  expect(world.condition("nine")?.message).toBe(
    `cron hpa job nine executed successfully. current replicas:2, desired replicas:8. Warning: ${warning}.`,
  );
});

test("excludeDates go by the calendar day of the object's zone, every hour of it and no other day", async () => {
  const world = createWorld("2026-11-13T00:00:30Z");
  world.deployment(2);
  world.cronHpa(
    {
      excludeDates: ["* * * 15 11 *", "not a date"],
      jobs: [{ name: "hourly", schedule: "0 0 * * * *", targetSize: 2 }],
    },
    { annotations: { "autoscaling.plimsoll.dev/time-zone": "Asia/Shanghai" } },
  );
  world.start();
  const skipped: string[] = [];
  for (let hour = 1; hour <= 96; hour++) {
    await world.clock.advance(3_600_000);
    const { message = "", lastProbeTime = "" } = world.condition("hourly") ?? {};
    if (message.includes("skip scaling activity,because of excludeDate (* * * 15 11 *)."))
      skipped.push(lastProbeTime);
  }
  expect(skipped).toHaveLength(24);
  expect([skipped[0], skipped[23]]).toEqual(["2026-11-14T16:00:00Z", "2026-11-15T15:00:00Z"]);
  expect(world.events.filter(({ reason }) => reason === "ExclusionIgnored")).toHaveLength(1);
});

test("a runOnce job and a date run once; an edit restarts them", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  const jobs = [
    { name: "sale", schedule: "@date 2020-03-02 09:00:00", targetSize: 9 },
    { name: "once", schedule: "0 0 10 * * *", targetSize: 4, runOnce: true },
  ];
  world.cronHpa({ jobs });
  world.start();
  await world.until("2026-03-02T09:00:05Z");
  expect(world.replicas()).toBe(9);
  await world.until("2026-03-02T10:00:05Z");
  expect(world.replicas()).toBe(4);
  world.deployment(1);
  await world.until("2028-03-05T00:00:00Z");
  expect(world.replicas()).toBe(1);
  world.cronHpa({ jobs: [jobs[0], { ...jobs[1], targetSize: 5 }] });
  await world.until("2028-03-05T10:00:05Z");
  expect(world.replicas()).toBe(5);
  expect(world.condition("once")).toMatchObject({ jobId: "id-3", runOnce: true, state: "Succeed" });
});

test("an edited schedule is the only one that counts", async () => {
  const world = createWorld("2026-03-02T08:00:00Z");
  world.scheduled(2, [{ name: "open", schedule: "0 0 9 * * *", targetSize: 8 }]);
  world.start();
  await world.clock.advance(1000);
  world.cronHpa({ jobs: [{ name: "open", schedule: "0 0 11 * * *", targetSize: 8 }] });
  await world.until("2026-03-02T10:59:00Z");
  expect(world.replicas()).toBe(2);
  await world.until("2026-03-02T11:00:01Z");
  expect(world.replicas()).toBe(8);
  expect(world.condition("open")).toMatchObject({ jobId: "id-2", state: "Succeed" });
});

test("a new target or new exclusions restart all jobs", async () => {
  const world = createWorld("2026-03-02T08:59:00Z");
  world.deployment(2);
  world.deployment(2, "other");
  const once = { name: "once", schedule: "0 0 9 * * *", targetSize: 8, runOnce: true };
  world.cronHpa({ jobs: [once] });
  world.start();
  await world.until("2026-03-02T09:30:00Z");
  expect(world.condition("once")?.state).toBe("Succeed");
  world.cronHpa({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "other" },
    jobs: [once],
  });
  await world.clock.advance(1000);
  expect(world.condition("once")).toMatchObject({ jobId: "id-2", state: "Submitted" });
  await world.until("2026-03-03T09:00:05Z");
  expect([world.replicas(), world.replicas("other")]).toEqual([8, 8]);
  world.cronHpa({
    scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "other" },
    excludeDates: ["* * * * * 0"],
    jobs: [once],
  });
  await world.clock.advance(1000);
  expect(world.condition("once")).toMatchObject({ jobId: "id-3", state: "Submitted" });
});

test("each object may have its own time zone; an unknown one is its own error", async () => {
  const world = createWorld("2026-07-01T06:59:50Z");
  world.deployment(2);
  const zone = (name: string) => ({ annotations: { "autoscaling.plimsoll.dev/time-zone": name } });
  world.cronHpa({ jobs: office }, zone("Europe/Berlin"));
  world.cronHpa(
    { jobs: office, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" } },
    { name: "bad", ...zone("Europe/Atlantis") },
  );
  world.start();
  await world.clock.advance(20_000);
  expect(world.replicas()).toBe(8);
  expect(world.condition("open", "bad")?.message).toContain('unknown time zone "Europe/Atlantis"');
  // Once it is put right, the jobs begin.
  world.cronHpa(
    { jobs: office, scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "x" } },
    { name: "bad", ...zone("Asia/Tokyo") },
  );
  await world.clock.advance(1000);
  expect(world.condition("open", "bad")?.state).toBe("Submitted");
});

test("an hour that clocks repeat has one run, and one that they skip has it after the gap", async () => {
  const world = createWorld("2026-11-01T05:00:00Z");
  world.deployment(2);
  const jobs = [{ name: "night", schedule: "0 30 1 * * *", targetSize: 8 }];
  world.cronHpa({ jobs }, { annotations: { "autoscaling.plimsoll.dev/time-zone": "America/New_York" } });
  world.start();
  await world.until("2026-11-01T05:31:00Z");
  expect(world.replicas()).toBe(8);
  world.deployment(3);
  await world.until("2026-11-01T08:00:00Z");
  expect(world.replicas()).toBe(3);

  const spring = createWorld("2027-03-14T06:00:00Z");
  spring.deployment(2);
  spring.cronHpa(
    { jobs: [{ name: "night", schedule: "0 30 2 * * *", targetSize: 8 }] },
    { annotations: { "autoscaling.plimsoll.dev/time-zone": "America/New_York" } },
  );
  spring.start();
  await spring.until("2027-03-14T06:59:59Z");
  expect(spring.replicas()).toBe(2);
  await spring.until("2027-03-14T07:00:01Z");
  expect(spring.replicas()).toBe(8);
});
