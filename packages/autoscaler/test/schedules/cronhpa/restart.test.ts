import { nextFiring, parseCron } from "@plimsoll/core/schedules";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { isFullRun } from "../../harness.ts";
import { createWorld } from "./world.ts";

const office = [
  { name: "open", schedule: "0 0 9 * * *", targetSize: 8 },
  { name: "close", schedule: "0 0 18 * * *", targetSize: 2 },
];

type World = ReturnType<typeof createWorld>;

async function started(world: World, settings?: Parameters<World["start"]>[0]) {
  const process = world.start(settings);
  await world.clock.advance(1000);
  return process;
}

test("a run that was missed by less than the limit is caught up, and reported as out of date", async () => {
  const world = createWorld("2026-03-02T08:50:00Z");
  world.scheduled(2, office);
  (await started(world)).kill();
  await world.until("2026-03-02T09:40:00Z");
  expect(world.replicas()).toBe(2);
  await started(world);
  expect(world.replicas()).toBe(8);
  expect(world.events).toMatchObject([
    { type: "Warning", reason: "OutOfDate", message: "rerun out of date job: open" },
    { type: "Normal", reason: "Succeed" },
  ]);
});

test("a run that was missed for longer is not caught up, and its condition says so", async () => {
  const world = createWorld("2026-03-02T08:50:00Z");
  world.scheduled(2, [...office, { ...office[0], name: "once", runOnce: true }]);
  (await started(world)).kill();
  await world.until("2026-03-02T10:00:01Z");
  await started(world);
  expect(world.replicas()).toBe(2);
  const message =
    "cron hpa failed to execute, because of the run of 2026-03-02T09:00:00.000Z was missed: it was due too long ago";
  expect(world.condition("open")).toMatchObject({ state: "Failed", message });
  // What runs once has not run yet.
  expect(world.condition("once")).toMatchObject({ state: "Submitted", message });
  await world.until("2026-03-03T09:00:05Z");
  expect([world.replicas(), world.condition("once")?.state]).toEqual([8, "Succeed"]);
});

test("of all that was missed on a target only what came last is caught up, in several objects too", async () => {
  const world = createWorld("2026-03-02T08:50:00Z");
  world.scheduled(5, [{ name: "early", schedule: "0 0 9 * * *", targetSize: 100 }]);
  world.cronHpa({ jobs: [{ name: "late", schedule: "0 30 9 * * *", targetSize: 3 }] }, { name: "second" });
  (await started(world)).kill();
  await world.until("2026-03-02T09:45:00Z");
  const before = world.requests.length;
  await started(world);
  expect(world.replicas()).toBe(3);
  expect(world.requests.slice(before).filter((line) => line.startsWith("PUT"))).toHaveLength(1);
  expect(world.condition("early")?.message).toContain(
    "was missed: a later run on the same target replaces it",
  );
  expect(world.condition("late", "second")?.state).toBe("Succeed");
});

test("a run that was excluded replaces none that was missed", async () => {
  const world = createWorld("2026-03-02T23:20:00Z");
  world.scheduled(5, [{ name: "evening", schedule: "0 30 23 * * *", targetSize: 3 }]);
  const night = [{ name: "night", schedule: "0 10 0 * * *", targetSize: 100 }];
  world.cronHpa({ jobs: night, excludeDates: ["* * * 3 3 *"] }, { name: "second" });
  (await started(world)).kill();
  await world.until("2026-03-03T00:20:00Z");
  await started(world);
  expect([world.replicas(), world.condition("evening")?.state]).toEqual([3, "Succeed"]);
});

test("conditions of kubernetes-cronhpa-controller are taken over as they are", async () => {
  const world = createWorld("2026-03-02T09:05:00Z");
  world.deployment(2);
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: "shop" };
  const condition = (job: object, rest: object) => ({ runOnce: false, ...job, ...rest });
  const conditions = [
    condition(office[1] ?? {}, {
      jobId: "b",
      state: "Succeed",
      lastProbeTime: "2026-03-01T18:00:00Z",
      message: "m",
    }),
    condition(office[0] ?? {}, { jobId: "a", state: "Submitted", lastProbeTime: "2026-03-02T08:00:00Z" }),
  ];
  world.cronHpa({ jobs: office }, { status: { scaleTargetRef, conditions } });
  await started(world);
  expect(world.replicas()).toBe(8);
  expect(world.condition("open")).toMatchObject({ jobId: "a", state: "Succeed" });
  expect(world.condition("close")).toMatchObject({ jobId: "b", state: "Succeed", message: "m" });
});

test("a process whose watch is behind reads the object before it runs a job", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  const first = world.start();
  const second = world.start();
  second.loseLease();
  await world.clock.advance(11_000);
  expect(world.replicas()).toBe(8);
  world.deployment(4);
  first.loseLease();
  second.gainLease();
  await world.clock.advance(60_000);
  expect(world.replicas()).toBe(4);
});

test("what came while the lease was invalid for a moment is carried out once it is valid again", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  const process = world.start();
  process.setLease(false);
  world.cronHpa({ jobs: office });
  await world.clock.advance(500);
  expect(world.condition("open")).toBeUndefined();
  process.setLease(true);
  await world.clock.advance(15_000);
  expect([world.replicas(), world.condition("open")?.state]).toEqual([8, "Succeed"]);
});

test("a job runs although the lease was invalid for a moment when it was due", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  const process = world.start();
  await world.clock.advance(9000);
  let isFirst = true;
  world.failWith(() => {
    if (isFirst) process.setLease(false);
    isFirst = false;
  });
  await world.clock.advance(1500);
  expect(isFirst).toBe(false);
  process.setLease(true);
  await world.clock.advance(15_000);
  expect([world.replicas(), world.condition("open")?.state]).toEqual([8, "Succeed"]);
});

test("who loses the lease during its attempts writes nothing more; the next one does", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.cronHpa({ jobs: office });
  const first = world.start();
  await world.clock.advance(12_000);
  first.loseLease();
  world.deployment(2);
  await world.clock.advance(20_000);
  expect([world.replicas(), world.condition("open")?.state]).toEqual([2, "Submitted"]);
  await started(world);
  expect([world.replicas(), world.condition("open")?.state]).toEqual([8, "Succeed"]);
});

test("a deleted object's jobs end with it, also where the watch is behind", async () => {
  const world = createWorld("2026-03-02T08:59:00Z");
  world.scheduled(2, office);
  await started(world);
  world.deleteCronHpa();
  await world.until("2026-03-02T12:00:00Z");
  expect(world.replicas()).toBe(2);
});

test("@every goes on in step after a restart", async () => {
  const world = createWorld("2026-03-02T09:00:00Z");
  world.scheduled(2, [{ name: "tick", schedule: "@every 10m", targetSize: 8 }]);
  const first = world.start();
  await world.until("2026-03-02T09:12:00Z");
  expect(world.condition("tick")?.lastProbeTime).toBe("2026-03-02T09:10:00Z");
  first.kill();
  await world.until("2026-03-02T09:47:00Z");
  await started(world);
  expect(world.condition("tick")?.lastProbeTime).toBe("2026-03-02T09:40:00Z");
  world.deployment(1);
  await world.until("2026-03-02T09:50:01Z");
  expect(world.replicas()).toBe(8);
});

/** A clock that is set during the test, as the wall clock is; its timers do not notice. */
function settable(world: ReturnType<typeof createWorld>) {
  let aheadMs = 0;
  return {
    set: (ms: number) => {
      aheadMs = ms;
    },
    clock: { nowMs: () => world.clock.nowMs() + aheadMs, after: world.clock.after },
  };
}

test("a clock that is set ahead over a run has it within seconds; set back over it, it is not run again", async () => {
  const world = createWorld("2026-03-02T08:30:00Z");
  world.scheduled(2, office);
  const wall = settable(world);
  await started(world, { clock: wall.clock });
  wall.set(3_600_000);
  await world.clock.advance(6000);
  expect(world.replicas()).toBe(8);
  expect(world.condition("open")?.state).toBe("Succeed");
  world.deployment(3);
  wall.set(0);
  await world.clock.advance(3_600_000);
  expect(world.replicas()).toBe(3);
  await world.until("2026-03-02T18:00:10Z");
  expect(world.replicas()).toBe(2);
});

test("a clock that was a year ahead for a while does not silence the jobs for a year", async () => {
  const world = createWorld("2026-03-02T08:30:00Z");
  world.scheduled(2, office);
  const wall = settable(world);
  wall.set(365 * 86_400_000);
  (await started(world, { clock: wall.clock })).kill();
  world.start();
  await world.until("2026-03-02T09:00:10Z");
  expect(world.replicas()).toBe(8);
});

const schedules = ["0 */7 * * * *", "30 */11 * * * *", "0 5,25,45 * * * *", "0 0 * * * *", "@every 13m"];

test("whatever dies and when, no run is lost and none is done twice", async () => {
  const step = fc.record({
    minutes: fc.integer({ min: 1, max: 25 }),
    // It dies at once, in the middle of its next writes, or not at all.
    dies: fc.constantFrom(undefined, undefined, 0, 1, 2, 3, 4, 5, 6),
    awayMinutes: fc.integer({ min: 0, max: 30 }),
  });
  await assertProperty(
    fc.asyncProperty(
      fc.uniqueArray(fc.constantFrom(...schedules), { minLength: 1, maxLength: 3 }),
      fc.array(step, { minLength: 1, maxLength: 12 }),
      async (chosen, steps) => {
        const world = createWorld("2026-03-02T08:00:13Z");
        world.deployment(50);
        const jobs = chosen.map((schedule, index) => ({
          name: `job${index}`,
          schedule,
          targetSize: index + 1,
        }));
        world.cronHpa({ jobs });
        let process = await started(world);
        const bornMs = Date.parse("2026-03-02T08:00:13Z");
        const expectedAt = (ms: number) => expectedSize(jobs, bornMs, ms);
        for (const { minutes, dies, awayMinutes } of steps) {
          if (dies !== undefined) process.kill(dies);
          await world.clock.advance(minutes * 60_000);
          if (!process.isAlive || dies !== undefined) {
            process.kill();
            await world.clock.advance(awayMinutes * 60_000);
            process = world.start({ missedRunsMs: 24 * 3_600_000 });
          }
          await world.clock.advance(1000);
          const nowMs = world.clock.nowMs();
          const expected = expectedAt(nowMs);
          expect(world.replicas()).toBe(expected?.size ?? 50);
          // A person sets the count; only a run that is due later may change it.
          world.deployment(77);
          process.kill();
          process = await started(world, { missedRunsMs: 24 * 3_600_000 });
          const later = expectedAt(world.clock.nowMs());
          expect(world.replicas()).toBe(later?.atMs === expected?.atMs ? 77 : later?.size);
          if (expected !== undefined) world.deployment(later?.size ?? expected.size);
          else world.deployment(50);
        }
      },
    ),
    { numRuns: isFullRun ? 60 : 15 },
  );
});

/** What the last run before an instant left: each job by itself, second by second of its schedule. */
function expectedSize(
  jobs: readonly { readonly schedule: string; readonly targetSize: number }[],
  bornMs: number,
  nowMs: number,
): { readonly size: number; readonly atMs: number } | undefined {
  let last: { size: number; atMs: number } | undefined;
  for (const { schedule, targetSize } of jobs) {
    const parsed = parseCron(schedule, "cronhpa");
    if (parsed === undefined) throw new Error(`no schedule: ${schedule}`);
    for (
      let at = nextFiring(parsed, bornMs, () => 0);
      at !== undefined && at <= nowMs;
      at = nextFiring(parsed, at, () => 0)
    ) {
      // Of two in one second the second in the list comes last.
      if (last === undefined || at >= last.atMs) last = { size: targetSize, atMs: at };
    }
  }
  return last;
}
