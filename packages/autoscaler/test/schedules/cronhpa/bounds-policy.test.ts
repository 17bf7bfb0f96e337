import type { CronHpaBoundsPolicy } from "@plimsoll/core/cronhpa";
import { expect, test } from "vitest";
import { compileConfig, readCommandLine } from "../../../src/index.ts";
import { createWorld } from "./world.ts";

const annotation = "autoscaling.plimsoll.dev/cron-hpa-bounds";

/** A job of some size meets an HPA of 4 to 10 that has 5. */
async function jobOf(targetSize: number, example: { flag?: CronHpaBoundsPolicy; annotation?: string }) {
  const world = createWorld("2026-03-02T08:59:50Z");
  world.deployment(5);
  world.hpa({ minReplicas: 4, maxReplicas: 10, currentReplicas: 5 });
  world.cronHpa(
    {
      scaleTargetRef: { apiVersion: "autoscaling/v2", kind: "HorizontalPodAutoscaler", name: "shop" },
      jobs: [{ name: "job", schedule: "0 0 9 * * *", targetSize }],
    },
    example.annotation === undefined ? {} : { annotations: { [annotation]: example.annotation } },
  );
  world.start(example.flag === undefined ? {} : { defaults: { bounds: example.flag } });
  await world.clock.advance(20_000);
  const recorded = world.events.filter(({ reason }) => reason === "TargetSizeOutOfBounds");
  return { bounds: world.bounds(), replicas: world.replicas(), recorded, ...world.condition("job") };
}

test.each([
  { policy: "Move", size: 12, bounds: [12, 12], replicas: 12, warning: undefined },
  { policy: "Move", size: 7, bounds: [7, 10], replicas: 7, warning: undefined },
  { policy: "Move", size: 2, bounds: [2, 10], replicas: 5, warning: undefined },
  {
    policy: "Keep",
    size: 12,
    bounds: [4, 10],
    replicas: 12,
    warning: "targetSize 12 is above maxReplicas 10, so the HPA will undo it.",
  },
  { policy: "Keep", size: 7, bounds: [4, 10], replicas: 7, warning: undefined },
  {
    policy: "Within",
    size: 12,
    bounds: [4, 10],
    replicas: 10,
    warning: "targetSize 12 is above maxReplicas 10, so 10 is used.",
  },
  { policy: "Within", size: 7, bounds: [4, 10], replicas: 7, warning: undefined },
  {
    policy: "Within",
    size: 2,
    bounds: [4, 10],
    replicas: 5,
    warning: "targetSize 2 is below minReplicas 4, so 4 is used.",
  },
] as const)("$policy with targetSize $size", async ({ policy, size, bounds, replicas, warning }) => {
  for (const example of [
    { flag: policy },
    { annotation: policy },
    { flag: "Move", annotation: policy },
  ] as const) {
    const result = await jobOf(size, example);
    expect([result.bounds, result.replicas, result.state]).toEqual([bounds, replicas, "Succeed"]);
    const recorded = /Warning: (.*)$/.exec(result.message ?? "")?.[1];
    expect(recorded).toBe(warning);
    const isOutside = size < 4 || size > 10;
    expect(result.recorded.map(({ type }) => type)).toEqual(isOutside ? ["Warning"] : []);
  }
});

test("a policy that is none is an error of that object, and nothing is scaled", async () => {
  const result = await jobOf(12, { annotation: "keep" });
  expect([result.bounds, result.replicas, result.state]).toEqual([[4, 10], 5, "Failed"]);
  expect(result.message).toContain(`${annotation} is "keep", but must be one of Move, Keep, Within`);
});

test("the flags", () => {
  const compile = (...flags: readonly string[]) =>
    compileConfig(readCommandLine(flags), { timeZone: "Asia/Tokyo" });
  const config = (...flags: readonly string[]) => {
    const compiled = compile(...flags);
    return compiled.ok ? compiled.config.cronHpa : compiled.problems;
  };
  expect(config()).toBeUndefined();
  expect(config("--cron-hpa")).toEqual({ timeZone: "Asia/Tokyo", bounds: "Move", missedRunsMs: 3_600_000 });
  expect(
    config("--cron-hpa", "--cron-hpa-time-zone=UTC", "--cron-hpa-bounds=Within", "--cron-hpa-missed-runs=0"),
  ).toEqual({ timeZone: "UTC", bounds: "Within", missedRunsMs: 0 });
  expect(config("--cron-hpa", "--cron-hpa-time-zone=Mars", "--cron-hpa-bounds=no")).toEqual([
    expect.stringContaining('--cron-hpa-time-zone "Mars" is not a time zone'),
    expect.stringContaining('--cron-hpa-bounds "no"'),
  ]);
});
