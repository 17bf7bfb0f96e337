import { expect, test } from "vitest";
import { someCase } from "../src/oracle/generate/case.ts";
import { createRandom } from "../src/oracle/random.ts";
import { kinds, type VectorCase } from "../src/oracle/vector-file.ts";

test("a seed makes the same cases every time, and another seed others", () => {
  for (const kind of kinds) {
    const first = Array.from({ length: 20 }, (_, at) => someCase(kind, "a", at));
    const again = Array.from({ length: 20 }, (_, at) => someCase(kind, "a", at));
    const other = Array.from({ length: 20 }, (_, at) => someCase(kind, "b", at));
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
  }
});

test("cases are plain JSON", () => {
  for (const kind of kinds) {
    for (let at = 0; at < 100; at += 1) {
      const vector = someCase(kind, "json", at);
      expect(JSON.parse(JSON.stringify(vector))).toEqual(vector);
    }
  }
});

test("trajectories have one sample per metric at every step and never go back in time", () => {
  for (let at = 0; at < 200; at += 1) {
    const { hpa, steps } = someCase("trajectory", "steps", at) as VectorCase & Trajectory;
    let metrics = metricsOf(hpa);
    let previous = Number.NEGATIVE_INFINITY;
    expect(steps.length).toBeLessThanOrEqual(40);
    for (const step of steps) {
      if (step.hpa !== undefined) metrics = metricsOf(step.hpa);
      expect(step.samples).toHaveLength(metrics);
      expect(Date.parse(step.at)).toBeGreaterThanOrEqual(previous);
      previous = Date.parse(step.at);
    }
  }
});

/** An object that names no metric gets one by default. */
function metricsOf(hpa: Trajectory["hpa"]): number {
  return hpa.spec.metrics?.length ?? 1;
}

interface Trajectory {
  readonly hpa: { readonly spec: { readonly metrics?: readonly unknown[] } };
  readonly steps: readonly {
    readonly at: string;
    readonly samples: readonly unknown[];
    readonly hpa?: Trajectory["hpa"];
  }[];
}

test("proposals cover every source, target and pod state", () => {
  const seen = new Set<string>();
  for (let at = 0; at < 1500; at += 1) {
    const text = JSON.stringify(someCase("proposal", "cover", at));
    for (const feature of features) if (text.includes(feature)) seen.add(feature);
  }
  expect([...seen].sort()).toEqual([...features].sort());
});

const features = [
  '"type":"Resource"',
  '"type":"ContainerResource"',
  '"type":"Pods"',
  '"type":"Object"',
  '"type":"External"',
  '"averageUtilization":',
  '"averageValue":',
  '"value":',
  '"phase":"Pending"',
  '"phase":"Failed"',
  '"phase":"Succeeded"',
  '"deletionTimestamp":',
  '"restartPolicy":"Always"',
  '"status":"False"',
  '"status":"Unknown"',
  '"error":',
  '"values":[]',
  '"pods":[]',
  '"tolerance":{',
  '"matchExpressions":',
  '"0001-01-01T00:00:00Z"',
];

test("choices are spread evenly", () => {
  const random = createRandom("even");
  const counts = Array.from({ length: 10 }, () => 0);
  for (let draw = 0; draw < 10_000; draw += 1) {
    const choice = random.int(0, 9);
    counts[choice] = (counts[choice] ?? 0) + 1;
  }
  for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  expect(random.digits(30)).toMatch(/^[1-9]\d{29}$/);
});
