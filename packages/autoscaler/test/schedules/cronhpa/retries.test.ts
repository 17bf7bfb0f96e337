import { ApiError } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { conflict, office } from "./jobs.ts";
import { createWorld } from "./world.ts";

test("a status that another client changed meanwhile is kept, and ours added", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  world.start();
  await world.clock.advance(1000);
  let conflicts = 2;
  world.failWith(({ method, path }) => {
    if (method !== "PATCH" || !path.endsWith("/jobs") || conflicts-- <= 0) return;
    throw conflict();
  });
  await world.clock.advance(20_000);
  expect(world.condition("open")?.state).toBe("Succeed");
  expect(world.replicas()).toBe(8);
});

test("a status that cannot be written is tried again, and the job not run a second time", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  world.start();
  await world.clock.advance(1000);
  let isDown = true;
  world.failWith(({ method, path }) => {
    if (isDown && method === "PATCH" && path.endsWith("/jobs"))
      throw new ApiError({ code: 500, reason: "InternalError", message: "etcd" });
  });
  await world.clock.advance(30_000);
  world.deployment(4);
  isDown = false;
  await world.clock.advance(30_000);
  expect(world.condition("open")).toMatchObject({ state: "Succeed", lastProbeTime: "2026-03-02T09:00:00Z" });
  expect(world.replicas()).toBe(4);
});

test("a status that may not be written is tried less and less often, and no run waits for that", async () => {
  const world = createWorld("2026-03-02T08:00:00Z");
  world.scheduled(2, office);
  world.failWith(({ method, path }) => {
    if (method === "PATCH" && path.endsWith("/jobs"))
      throw new ApiError({ code: 403, reason: "Forbidden", message: "no" });
  });
  world.start();
  await world.until("2026-03-02T08:59:00Z");
  expect(world.requests.filter((request) => request.startsWith("PATCH")).length).toBeLessThan(25);
  await world.until("2026-03-02T09:00:02Z");
  expect(world.replicas()).toBe(8);
  world.failWith(() => {});
  await world.until("2026-03-02T09:06:00Z");
  expect(world.condition("open")?.state).toBe("Succeed");
});

test("what is wrong with a job is reported later where its status could not be written at first", async () => {
  const world = createWorld("2026-03-02T08:00:00Z");
  world.cronHpa({ jobs: [{ name: "odd", schedule: "never", targetSize: 1 }] });
  world.failWith(() => {
    throw new ApiError({ code: 500, reason: "InternalError", message: "etcd" });
  });
  world.start();
  await world.clock.advance(2000);
  world.failWith(() => {});
  await world.clock.advance(10_000);
  expect(world.condition("odd")?.state).toBe("Failed");
});

test("a run that cannot be looked up is retried less than once a second, and made when it can", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.scheduled(2, office);
  world.start();
  await world.clock.advance(1000);
  world.failWith(() => {
    throw new ApiError({ code: 403, reason: "Forbidden", message: "no" });
  });
  world.requests.length = 0;
  await world.until("2026-03-02T09:10:00Z");
  expect(world.requests.length).toBeLessThan(100);
  world.failWith(() => {});
  await world.clock.advance(16_000);
  expect(world.replicas()).toBe(8);
});

test("four attempts in nine seconds, and then Failed with the reason; the next run is tried again", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.cronHpa({ jobs: office });
  world.start();
  await world.clock.advance(15_000);
  expect(world.condition("open")?.state).toBe("Submitted");
  await world.clock.advance(10_000);
  const message =
    "cron hpa failed to execute, because of failed to scale Deployment shop in default namespace to 8 after retrying 4 times and exit,because of failed to find source target Deployment shop in default namespace: shop not found";
  expect(world.condition("open")).toMatchObject({ state: "Failed", message });
  expect(world.events).toEqual([{ object: "jobs", type: "Warning", reason: "Failed", message }]);
  expect(world.requests.filter((line) => line === "GET shop/scale")).toHaveLength(4);
  world.deployment(2);
  await world.until("2026-03-03T09:00:10Z");
  expect(world.condition("open")?.state).toBe("Succeed");
});

test("a target that appears between two attempts is scaled", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.cronHpa({ jobs: office });
  world.start();
  await world.clock.advance(14_000);
  world.deployment(1);
  await world.clock.advance(10_000);
  expect([world.replicas(), world.condition("open")?.state]).toEqual([8, "Succeed"]);
});

test("an HPA that was deleted under its jobs: Failed with the reason, and the other objects go on", async () => {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(2);
  world.deployment(2, "other");
  world.cronHpa({
    scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "shop" },
    jobs: office,
  });
  world.cronHpa(
    { scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "other" }, jobs: office },
    { name: "second" },
  );
  world.start();
  await world.clock.advance(11_000);
  expect(world.replicas("other")).toBe(8);
  await world.clock.advance(20_000);
  expect(world.condition("open")).toMatchObject({
    state: "Failed",
    message: expect.stringContaining("Failed to get HorizontalPodAutoscaler Ref,because of shop not found"),
  });
});
