import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { minuteMs } from "@plimsoll/core/internal/values";
import { ApiError, type KubeRequest } from "@plimsoll/kube";
import { testFolder } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { begin, createBoundsWorld, forbidden, office } from "./world.ts";

/** Every patch of one resource fails. */
const noPatchOf =
  (resource: string) =>
  ({ method, path }: KubeRequest) => {
    if (method === "PATCH" && path.includes(`/${resource}/`)) throw forbidden("patch", resource);
  };

test("a clock that is set back over a start is noticed within seconds, as one that is set ahead is", async () => {
  const world = createBoundsWorld();
  await begin(world);
  expect(world.bounds()).toEqual([8, 10]);
  world.setTime("2026-03-02T08:00:00Z");
  await world.clock.advance(6000);
  expect(world.bounds()).toEqual([2, 10]);
  world.setTime("2026-03-02T09:30:00Z");
  await world.clock.advance(6000);
  expect(world.bounds()).toEqual([8, 10]);
});

test("a start that falls into the writing of what saved before is not missed", async () => {
  const world = createBoundsWorld("2026-03-02T08:59:59Z");
  world.failWith(({ method }) => {
    if (method === "PUT") world.setTime("2026-03-02T09:00:01Z");
  });
  await begin(world, 6000);
  expect(world.bounds()).toEqual([8, 10]);
});

test("a calendar that is mounted again counts before the next transition", async () => {
  const folder = testFolder();
  const event = (day: string) =>
    [
      "BEGIN:VCALENDAR",
      "BEGIN:VEVENT",
      "UID:a",
      `DTSTART;VALUE=DATE:${day}`,
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n");
  writeFileSync(join(folder, "off.ics"), event("20260101"));
  const world = createBoundsWorld(undefined, folder);
  world.hpa();
  world.wla("hours", { schedules: [{ ...office, exclusions: [{ calendarName: "off" }] }] });
  world.start();
  await world.clock.advance(1000);
  expect(world.bounds()).toEqual([8, 10]);
  writeFileSync(join(folder, "off.ics"), `${event("20260302")}\r\n`);
  await world.clock.advance(2 * minuteMs);
  expect(world.bounds()).toEqual([2, 10]);
});

test.each([
  ["workloadautoscalers", "patch"],
  ["horizontalpodautoscalers", "patch"],
])("without the right to patch %s it says which one is missing and where to get it", async (resource) => {
  const world = createBoundsWorld();
  world.failWith(noPatchOf(resource));
  await begin(world);
  expect(world.bounds()).toEqual([2, 10]);
  const ready = world.condition("Ready", "hours");
  expect(ready).toMatchObject({ status: "False", reason: "FailedUpdate" });
  expect(ready?.message).toContain(`cannot patch resource "${resource}"`);
  expect(ready?.message).toContain("hpa-schedules");
  expect(ready?.message).toContain("docs/cronhpa.md#permissions");
  expect(world.condition("ScheduleActive", "hours")?.message).toContain("limits are now [2, 10]");

  world.failWith(() => {});
  await world.clock.advance(5 * minuteMs);
  expect(world.bounds()).toEqual([8, 10]);
  expect(world.condition("Ready", "hours")?.status).toBe("True");
});

test("what fails for good is retried ever less often, and reported once", async () => {
  const world = createBoundsWorld();
  world.failWith(noPatchOf("horizontalpodautoscalers"));
  await begin(world, 60 * minuteMs);
  const patches = world.requests.filter(
    ({ verb, path }) => verb === "PATCH" && path.startsWith("horizontal"),
  );
  expect(patches.length).toBeGreaterThan(10);
  expect(patches.length).toBeLessThan(25);
  expect(world.events.map(({ reason }) => reason)).toEqual(["ScheduleStarted", "FailedUpdate"]);
  expect(world.warnings.length).toBeLessThan(25);
});

test("a failure that reads differently each time does not go round at once", async () => {
  const world = createBoundsWorld();
  let count = 0;
  world.failWith(({ method, path }) => {
    if (method === "PATCH" && path.includes("/horizontalpodautoscalers/"))
      throw new ApiError({ code: 500, reason: "InternalError", message: `etcd ${(count += 1)}` });
  });
  await begin(world, 5 * minuteMs);
  expect(count).toBeLessThan(8);
});

test("events are recorded once, also where the status cannot be written", async () => {
  const world = createBoundsWorld();
  let isDown = true;
  world.failWith(({ method, path }) => {
    if (isDown && method === "PUT" && path.endsWith("/status"))
      throw forbidden("update", "workloadautoscalers/status");
  });
  await begin(world, 10 * minuteMs);
  expect(world.bounds()).toEqual([8, 10]);
  isDown = false;
  await world.clock.advance(6 * minuteMs);
  const reasons = world.events.map(({ reason }) => reason);
  expect(reasons.filter((reason) => reason === "ScheduleStarted")).toHaveLength(1);
  expect(reasons.filter((reason) => reason === "BoundsMoved")).toHaveLength(1);
});

test("one that is paused or wrong does not keep another from the HPA", async () => {
  const world = createBoundsWorld();
  world.hpa();
  world.wla("a-paused", { mode: "Paused" });
  world.wla("b-wrong", { schedules: [] });
  world.wla("c-hours");
  world.start();
  await world.clock.advance(1000);
  expect(world.bounds()).toEqual([8, 10]);
  expect(world.condition("Ready", "c-hours")?.reason).toBe("Scheduled");
  // The one that moved the bounds keeps them, whatever its name.
  world.wla("a-paused", { schedules: [{ ...office, minReplicas: 9 }] });
  await world.clock.advance(1000);
  expect(world.bounds()).toEqual([8, 10]);
  expect(world.condition("Conflict", "a-paused")?.reason).toBe("SharedTarget");
  world.wla("c-hours", { mode: "Paused" });
  await world.clock.advance(1000);
  expect(world.bounds()).toEqual([9, 10]);
});

test("a finalizer that another client removes while bounds are moved is set again", async () => {
  const world = createBoundsWorld();
  await begin(world);
  const finalizers = () =>
    (world.stored("hours")?.metadata as { finalizers?: readonly string[] } | undefined)?.finalizers;
  const set = finalizers();
  expect(set).toHaveLength(1);
  world.release("hours");
  await world.clock.advance(1000);
  expect(finalizers()).toEqual(set);
  expect(world.condition("Ready", "hours")?.status).toBe("True");
});

test("deletion is not kept by an HPA that is gone", async () => {
  const world = createBoundsWorld();
  await begin(world);
  world.deleteHpa();
  world.deleteWla("hours");
  await world.clock.advance(1000);
  expect(world.stored("hours")).toBeUndefined();
});

test.each(["horizontalpodautoscalers", "workloadautoscalers"])(
  "a deletion that waits because %s may not be patched any more says so, and ends with the right",
  async (resource) => {
    const world = createBoundsWorld();
    await begin(world);
    world.failWith(noPatchOf(resource));
    world.deleteWla("hours");
    await world.clock.advance(1000);
    expect(world.stored("hours")).toBeDefined();
    const [recorded] = world.events.filter(({ reason }) => reason === "DeletionWaits");
    expect(recorded?.message).toContain(`cannot patch resource "${resource}"`);
    world.failWith(() => {});
    await world.clock.advance(5 * minuteMs);
    expect(world.stored("hours")).toBeUndefined();
    expect(world.bounds()).toEqual([2, 10]);
  },
);

test("deletion is not kept by an HPA that is deleted before the response to our write arrives", async () => {
  const world = createBoundsWorld();
  world.beforeResponse(({ method, path }) => {
    if (method === "PATCH" && path.endsWith("/horizontalpodautoscalers/shop")) world.deleteHpa();
  });
  await begin(world);
  world.deleteWla("hours");
  await world.clock.advance(minuteMs);
  expect(world.stored("hours")).toBeUndefined();
});

test("what came while the lease was invalid for a moment is carried out once it is valid again", async () => {
  const world = createBoundsWorld();
  world.hpa();
  world.start();
  await world.clock.advance(1000);
  world.setLease(false);
  world.wla("hours");
  await world.clock.advance(500);
  expect(world.requests.map(({ verb }) => verb)).not.toContain("PATCH");
  world.setLease(true);
  await world.clock.advance(6000);
  expect(world.bounds()).toEqual([8, 10]);
});

test("bounds are moved although the lease was invalid for a moment in the middle of the run", async () => {
  const world = createBoundsWorld();
  let requests = 0;
  world.failWith(() => {
    requests += 1;
    if (requests !== 1) return;
    world.setLease(false);
    world.clock.after(500, () => world.setLease(true));
  });
  await begin(world, 20_000);
  expect(world.bounds()).toEqual([8, 10]);
});

test("after the lease is lost in the middle, nothing is written, recorded or logged", async () => {
  const world = createBoundsWorld();
  world.beforeResponse(({ path }) => path.endsWith("/horizontalpodautoscalers/shop") && world.lose());
  await begin(world, minuteMs);
  expect(world.requests.map(({ verb }) => verb)).toEqual(["GET"]);
  expect([world.events, world.warnings]).toEqual([[], []]);
});

test("a crash is logged with its HPA, and stops no other", async () => {
  const world = createBoundsWorld();
  world.beforeEvent((object) => {
    if (object === "bad") throw new TypeError("a bug");
  });
  world.hpa("bad");
  world.wla("bad", {
    schedules: [office],
    scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "bad" },
  });
  await begin(world);
  expect(world.bounds()).toEqual([8, 10]);
  expect(new Set(world.warnings)).toEqual(
    new Set(['changing limits crashed; other objects are not affected: {"hpa":"default/bad","err":{}}']),
  );
});

test("one object that cannot be read stops no other", async () => {
  const world = createBoundsWorld();
  world.hpa();
  world.hpa("other");
  world.wla("a-odd", {
    schedules: [null, 3, { name: {} }],
    scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "other" },
  });
  world.wla("hours");
  world.start();
  await world.clock.advance(1000);
  expect(world.bounds()).toEqual([8, 10]);
  expect(world.condition("SchedulesValid", "a-odd")?.status).toBe("False");
});

test("nothing is left of what comes and goes", async () => {
  const world = createBoundsWorld();
  world.hpa();
  world.start();
  for (let n = 0; n < 20; n++) {
    world.wla(`hours-${n}`);
    await world.clock.advance(1000);
    world.deleteWla(`hours-${n}`);
    await world.clock.advance(1000);
    expect(world.stored(`hours-${n}`)).toBeUndefined();
  }
  const before = world.requests.length;
  await world.clock.advance(30 * minuteMs);
  expect(world.requests.length).toBe(before);
  expect(world.bounds()).toEqual([2, 10]);
  expect(world.kept()).not.toContainEqual(expect.stringMatching(/hours|uid/));
});

test("nothing is kept of a WorkloadAutoscaler that goes in the middle of a run", async () => {
  const world = createBoundsWorld();
  // It has no finalizer yet: its bounds are about to be moved.
  world.beforeResponse(({ method, path }) => {
    if (method === undefined && path.endsWith("/horizontalpodautoscalers/shop")) world.deleteWla("hours");
  });
  await begin(world, minuteMs);
  expect(world.stored("hours")).toBeUndefined();
  expect(world.kept()).not.toContainEqual(expect.stringMatching(/hours|uid/));
  expect(world.bounds()).toEqual([2, 10]);
});
