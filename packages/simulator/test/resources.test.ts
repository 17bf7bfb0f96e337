// Memory and cpu of pods, as the resource metrics show them.
import type { ResourceSample } from "@plimsoll/core";
import { expect, test } from "vitest";
import { type PodModel, simulate } from "../src/index.ts";
import { coreSeconds } from "../src/measure/pod-window.ts";
import { newLife } from "../src/plant/pod-life.ts";
import { hpa, pod, scenario, startMs, steps, workload } from "../src/testing/index.ts";

const megabyte = 2 ** 20;

/** The memory that the only pod shows at a second after the start, in bytes; 180 requests arrive from 300 s to 600 s. */
function memoryOf(model: Partial<PodModel>): (second: number) => number | undefined {
  const found: { readonly second: number; readonly used: number }[] = [];
  const scaled = workload({
    load: steps([-3600, 100], [300, 180], [600, 100]),
    pod: { ...pod, requests: { memory: 200 * megabyte }, ...model },
    autoscaler: hpa({
      maxReplicas: 1,
      metrics: [
        {
          type: "Resource",
          resource: { name: "memory", target: { type: "Utilization", averageUtilization: 60 } },
        },
      ],
    }),
  });
  simulate(scenario({ durationMs: 900_000 }, [scaled]), {
    onSync({ atMs, input }) {
      const [sample] = input.samples;
      const pods = sample !== undefined && "pods" in sample ? sample.pods : [];
      const text = (pods[0] as ResourceSample | undefined)?.containers["app"]?.["memory"] ?? "";
      found.push({ second: (atMs - startMs) / 1000, used: Number.parseInt(text, 10) * 1024 });
    },
  });
  return (second) => found.filter((one) => one.second <= second).at(-1)?.used;
}

test("memory has a part for each request in flight, which goes or stays", () => {
  const memory = { base: 100 * megabyte, perInFlight: megabyte, isReleased: true };
  const released = memoryOf({ memory });
  const kept = memoryOf({ memory: { ...memory, isReleased: false } });
  // 40 ms of 100 a second are 4 requests at a time, of 180 a second 7.2.
  const [low, high] = [104 * megabyte, 107.2 * megabyte];
  for (const [second, whenReleased, whenKept] of [
    [250, low, low],
    [500, high, high],
    [800, low, high],
  ] as const) {
    expect(Math.abs((released(second) ?? 0) - whenReleased)).toBeLessThan(1024);
    expect(Math.abs((kept(second) ?? 0) - whenKept)).toBeLessThan(1024);
  }
});

test("containers end at the limit of their memory, and start again when they are out of it", () => {
  const crashesWith = (limit: number): number | undefined => {
    const model = {
      ...pod,
      limits: { memory: limit * megabyte },
      memory: { base: 100 * megabyte, perInFlight: megabyte, isReleased: true },
      queueLimit: 0,
    };
    // Four requests at a time, and 7.2 from the fifth minute to the tenth.
    const load = steps([-3600, 100], [300, 180], [600, 100]);
    const run = simulate(scenario({ durationMs: 3_600_000 }, [workload({ load, pod: model })]));
    return run.workloads[0]?.scores.crashes;
  };
  expect(crashesWith(108)).toBe(0);
  expect(crashesWith(106)).toBeGreaterThan(2);
  // The delay until the next start doubles: 10 s, 20 s, 40 s, 80 s, 160 s.
  expect(crashesWith(106)).toBeLessThan(8);
});

test("a container burns cpu at its start, beside what it uses without requests", () => {
  const model = {
    ...pod,
    idleCpu: 0.1,
    start: { ...pod.start, burn: { cores: 0.8, forMs: 25_000 } },
  };
  const life = newLife(1000);
  const used = (second: number) => coreSeconds(life, 1000 + second * 1000, { served: 0, model });
  expect(used(0)).toBe(0);
  expect(used(10)).toBeCloseTo(9, 9);
  expect(used(25)).toBeCloseTo(22.5, 9);
  expect(used(60)).toBeCloseTo(26, 9);
  expect(coreSeconds(life, 61_000, { served: 100, model })).toBeCloseTo(26.6, 9);
});
