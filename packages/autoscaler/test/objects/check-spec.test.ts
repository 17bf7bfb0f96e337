import { problemsText } from "@plimsoll/core/api";
import { expect, test } from "vitest";
import { extraProblems } from "../../src/objects/check-spec.ts";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";

const metric = (onMetricFailure: unknown, type = "External") => ({ metrics: [{ type, onMetricFailure }] });

test.each<[spec: unknown, problem: string]>([
  [{ mode: "Off" }, 'spec.mode: "Off": must be one of Active, Shadow, Paused'],
  [{ pause: { until: "soon" } }, 'spec.pause.until: "soon": must be a time, such as 2030-01-01T00:00:00Z'],
  [
    { tuning: { upscaleDelaySeconds: -1 } },
    "spec.tuning.upscaleDelaySeconds: -1: must be a whole number from 0 to 3600",
  ],
  [
    { tuning: { syncPeriodSeconds: "5" } },
    'spec.tuning.syncPeriodSeconds: "5": must be a whole number from 1 to 3600',
  ],
  [
    { tuning: { tolerance: "-0.1" } },
    'spec.tuning.tolerance: "-0.1": must be a quantity of 0 or more, such as "0.05"',
  ],
  [{ metrics: { type: "Pods" } }, "spec.metrics: must be a list"],
  [{ adopt: "Always" }, 'spec.adopt: "Always": must be one of Never, FromZero'],
  [
    metric({ policy: "Ignore", afterSeconds: -1 }),
    "spec.metrics[0].onMetricFailure.afterSeconds: -1: must be a whole number from 0 to 86400",
  ],
  [
    metric({ policy: "Fallback", replicas: 1, allowScaleDown: "yes" }),
    'spec.metrics[0].onMetricFailure.allowScaleDown: "yes": must be true or false',
  ],
  [
    metric({ policy: "HoldLast", forSeconds: 60, allowScaleDown: true }),
    "spec.metrics[0].onMetricFailure.allowScaleDown: true: applies to policy Fallback only: remove it",
  ],
  [
    metric({ afterSeconds: 30 }),
    "spec.metrics[0].onMetricFailure.afterSeconds: 30: doesn't apply to policy Block: remove it",
  ],
  [metric({ policy: "HoldLast" }), "spec.metrics[0].onMetricFailure.forSeconds: is required by this policy"],
  [
    metric({ policy: "HoldLast", forSeconds: 0 }),
    "spec.metrics[0].onMetricFailure.forSeconds: 0: must be a whole number from 1 to 86400",
  ],
  [
    metric({ policy: "HoldLast", forSeconds: 86_401 }),
    "spec.metrics[0].onMetricFailure.forSeconds: 86401: must be a whole number from 1 to 86400",
  ],
  [
    metric({ policy: "Fallback", replicas: 0 }),
    "spec.metrics[0].onMetricFailure.replicas: 0: must be a whole number from 1 to 2147483647",
  ],
  [
    metric({ policy: "Assume", value: "many" }),
    'spec.metrics[0].onMetricFailure.value: "many": must be a quantity, such as "10"',
  ],
  [
    metric({ policy: "Assume", value: 1 }, "Resource"),
    'spec.metrics[0].onMetricFailure.policy: "Assume": applies to Pods, Object, External, and Query metrics only',
  ],
  [
    metric({ policy: "Wait" }),
    'spec.metrics[0].onMetricFailure.policy: "Wait": must be one of Block, HoldLast, Ignore, Assume, Fallback',
  ],
])("%j is refused with its field, its value and what it has to be", (spec, problem) => {
  expect(problemsText(extraProblems(spec))).toBe(problem);
});

test.each([
  undefined,
  {},
  { mode: "Paused", pause: { until: "2030-01-01T00:00:00Z" } },
  { tuning: { syncPeriodSeconds: 1, tolerance: 0.05, downscaleDelaySeconds: 0 } },
  metric({ policy: "Assume", value: 10 }),
  metric({ policy: "HoldLast", forSeconds: 1 }),
  metric({ policy: "HoldLast", forSeconds: 86_400 }),
  metric({ policy: "Fallback", replicas: 1 }),
  metric({ policy: "Fallback", replicas: 1, allowScaleDown: true, afterSeconds: 30 }),
  metric({ policy: "Block", allowScaleDown: false, afterSeconds: 0 }),
  metric(undefined),
  metric({}),
])("%j is not", (spec) => {
  expect(extraProblems(spec)).toEqual([]);
});

test.each([
  null,
  7,
  "x",
  [],
  { metrics: "x" },
  { metrics: [null, 7] },
  { tuning: 7, pause: [], metrics: null },
])("an object with the spec %j is read, and refused, not lost", (spec) => {
  const object = { metadata: { name: "shop", namespace: "default" }, spec };
  expect(projectWla(object as never).wla?.problems.length).toBeGreaterThan(0);
});

test("a period that is refused does not count, so that the object has its turn and says so", () => {
  const metadata = { name: "shop", namespace: "default" };
  for (const syncPeriodSeconds of [0, 3601, 1e308]) {
    const { wla } = projectWla({ metadata, spec: { tuning: { syncPeriodSeconds } } } as never);
    expect(wla?.tuning).toEqual({});
    expect(wla?.problems.map(({ path }) => path)).toContain("spec.tuning.syncPeriodSeconds");
  }
});

test("an object with live queries is evaluated as often as the pods are read, unless it or a flag says otherwise", () => {
  const metadata = { name: "shop", namespace: "default" };
  const query = (interval: string, port: unknown = "metrics") => ({
    type: "Query",
    query: { promql: "a", live: { port, interval }, target: { type: "AverageValue", averageValue: "1" } },
  });
  const tuningOf = (metrics: readonly object[], tuning?: object, minSyncPeriodMs?: number) =>
    projectWla({ metadata, spec: { metrics, tuning } } as never, { minSyncPeriodMs }).wla?.tuning;
  expect(tuningOf([query("5s"), query("2s"), query("1s", 0)])).toEqual({ syncPeriodMs: 2000 });
  expect(tuningOf([query("2s")], { syncPeriodSeconds: 10 })).toEqual({ syncPeriodMs: 10_000 });
  expect(tuningOf([query("2s")], {}, 3_000)).toEqual({ syncPeriodMs: 3_000 });
  expect(tuningOf([], { syncPeriodSeconds: 1 }, 3_000)).toEqual({ syncPeriodMs: 3_000 });
  expect(tuningOf([], {}, 3_000)).toEqual({});
});

const valid = {
  scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
  maxReplicas: 3,
  metrics: [
    { type: "Resource", resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 50 } } },
  ],
};

test.each<[behavior: unknown, problems: string]>([
  [{ scaleDown: { stabilizationWindowSeconds: 60 } }, ""],
  [{ scaleUp: { tolerance: 0.2 } }, ""],
  [{ scaleUp: { selectPolicy: "Disabled", policies: null }, scaleDown: {} }, ""],
  [{ scaleUp: null }, ""],
  [{}, ""],
  [{ scaleDown: { policies: [] } }, "spec.behavior.scaleDown.policies: must specify at least one Policy"],
  [
    { scaleUp: { selectPolicy: "Most" }, scaleDown: {} },
    'spec.behavior.scaleUp.selectPolicy: "Most": supported values: "Disabled", "Max", "Min"',
  ],
  [{ scaleUp: ["fast"] }, "spec.behavior.scaleUp.policies: must specify at least one Policy"],
])("of the behavior %j what is left out has the defaults of an HPA", (behavior, problems) => {
  const object = { metadata: { name: "shop", namespace: "default" }, spec: { ...valid, behavior } };
  const { spec, wla } = projectWla(object);
  expect(problemsText(wla?.problems ?? [])).toBe(problems);
  expect(spec.behavior).toEqual(JSON.parse(JSON.stringify(behavior).replace("0.2", '"0.2"')));
});
