import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { podsMetric, rig, writes } from "../harness.ts";
import { conditions, replicas, setUp, target, wla } from "./workload-autoscalers.ts";

test("a refused object gets conditions and one event, with a short message however much is wrong", async () => {
  const wrong = (n: number) => ({ ...podsMetric("hits"), onMetricFailure: { policy: `P${n}`.repeat(500) } });
  const { api, autoscaler } = await setUp({ metrics: Array.from({ length: 400 }, (_, n) => wrong(n)) });
  await autoscaler.sync();
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
  expect(api.list("events")).toMatchObject([
    { type: "Warning", reason: "InvalidSpec", count: 1, involvedObject: { kind: "WorkloadAutoscaler" } },
  ]);
  const [{ message = "" } = {}] = api.list("events") as readonly { readonly message?: string }[];
  expect(message).toContain(
    "spec.metrics: 400: must have at most 100 metrics; spec.metrics[0].onMetricFailure.policy",
  );
  expect(message).toContain("must be one of Block, HoldLast, Ignore, Assume, Fallback");
  expect(message).toMatch(/; and 96 more \(PLM5001\)$/);
  expect(message.length).toBeLessThanOrEqual(1001 + " (PLM5001)".length);
  // Asked together, since they are all the same: the list that is worked through is no longer than it may be.
  expect(
    autoscaler.decisions.of("default", "shop", "workloadautoscalers")[0]?.decision.trace.length,
  ).toBeLessThan(120);

  api.put("workloadautoscalers", wla("shop", { tuning: { toleranc: 1, syncPeriodSeconds: 0 } }));
  await autoscaler.sync();
  await eventually(() => expect(api.list("events")).toHaveLength(2));
  expect(JSON.stringify(api.list("events"))).toContain(
    "spec.tuning.syncPeriodSeconds: 0: must be a whole number from 1 to 3600",
  );
});

test("with scaling to zero off, minReplicas 0 is refused", async () => {
  const external = { metric: { name: "queue" }, target: { type: "AverageValue", averageValue: "10" } };
  const { api, autoscaler } = await rig({
    config: { scaleToZero: false },
    before: (api) => {
      target(api, "shop", "20");
      api.put(
        "workloadautoscalers",
        wla("shop", { minReplicas: 0, metrics: [{ type: "External", external }] }),
      );
    },
  });
  await autoscaler.sync();
  expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
});

test("an invalid specification that the schema let through is not acted on", async () => {
  const { api, autoscaler } = await setUp({ maxReplicas: 2, minReplicas: 5 });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
});

test.each([
  [{ type: "Resource", resource: {} }],
  [{ type: "Resource" }],
  [{ type: "Pods", pods: { target: {} } }],
  [{ type: "Object", object: "shop" }],
  ["cpu"],
])("a metric that lacks what it needs is refused with a condition: %j", async (metric) => {
  const { api, autoscaler } = await setUp({ metrics: [metric] });
  await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(conditions(api)).toMatchObject({ Ready: "False InvalidSpec", Active: "False InvalidSpec" });
});

test("its status has the targets in one field for the printer column, and a definition that drops it causes no writes", async () => {
  const { api, autoscaler } = await setUp({}, "10");
  await autoscaler.sync();
  const written = api.get("workloadautoscalers", "default", "shop");
  expect(written).toMatchObject({ status: { targets: "10/10" } });

  // A CRD of an older release drops the field.
  const { targets: _, ...status } = (written as { status?: object }).status as { targets?: string };
  const later = await rig({
    before: (api) => {
      target(api, "shop", "10");
      api.put("workloadautoscalers", { ...written, status });
    },
  });
  for (let n = 0; n < 3; n++) await later.autoscaler.sync();
  expect(writes(later.api)).toEqual([]);
});

test("targets that are out of date, as after an edit that changes nothing else, are written once", async () => {
  const { api, autoscaler } = await setUp({}, "10");
  await autoscaler.sync();
  const written = api.get("workloadautoscalers", "default", "shop");
  const status = { ...(written as { status?: object }).status, targets: "10/9" };
  const later = await rig({
    before: (api) => {
      target(api, "shop", "10");
      api.put("workloadautoscalers", { ...written, status });
    },
  });
  for (let n = 0; n < 3; n++) await later.autoscaler.sync();
  expect(writes(later.api)).toHaveLength(1);
  expect(later.api.get("workloadautoscalers", "default", "shop")).toMatchObject({
    status: { targets: "10/10" },
  });
});
