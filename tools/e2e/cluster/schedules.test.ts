import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { HpaStatus } from "@plimsoll/core";
import { minuteMs } from "@plimsoll/core/internal/values";
import { ApiError, type KubeObject } from "@plimsoll/kube";
import { type PlimsollProcess, startPlimsoll, until } from "@plimsoll/testbed";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ownLease, shipped } from "./fixture.ts";
import { type Stage, stages } from "./stages.ts";
import { depthFor, perReplica, queue, workload } from "./targets.ts";

const collection = "/apis/autoscaling.plimsoll.dev/v1alpha1/namespaces/default/workloadautoscalers";
const target = "/apis/apps/v1/namespaces/default/deployments/shop";
const lastsMs = 25_000;

/** A minute that begins soon, and not too soon for what has to be ready by then. */
function comingMinute(minMs: number): { readonly startMs: number; readonly start: string } {
  const startMs = Math.ceil((Date.now() + minMs) / minuteMs) * minuteMs;
  const at = new Date(startMs);
  return { startMs, start: `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} * *` };
}

/** One entry that begins and ends within the test, and one that cannot be used. */
const shop = (start: string) => `
apiVersion: autoscaling.plimsoll.dev/v1alpha1
kind: WorkloadAutoscaler
metadata: { name: shop, namespace: default }
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: shop }
  maxReplicas: 10
  tuning: { syncPeriodSeconds: 1, downscaleStabilizationSeconds: 1 }
  behavior:
    scaleUp: { stabilizationWindowSeconds: 0, policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
    scaleDown: { policies: [{ type: Pods, value: 10, periodSeconds: 1 }] }
  metrics:
    - type: Pods
      pods: { metric: { name: packets-per-second }, target: { type: AverageValue, averageValue: "${perReplica}" } }
  schedules:
    - { name: rush, timeZone: UTC, start: "${start}", duration: ${lastsMs / 1000}s, minReplicas: 5 }
    - { name: nowhere, timeZone: Europe/Atlantis, start: "0 0 * * *", duration: 1h, replicas: 9 }
`;

interface Stored extends KubeObject {
  readonly status?: HpaStatus & { readonly schedules?: { readonly active: readonly { name: string }[] } };
}

async function served({ mapper }: Stage): Promise<void> {
  await until("WorkloadAutoscalers to be served", async () => {
    await mapper.refresh();
    return (await mapper.byKind("autoscaling.plimsoll.dev", "WorkloadAutoscaler")).length > 0 || undefined;
  });
}

describe.each(stages)("on %s", (_, start) => {
  let stage: Stage;
  let autoscaler: PlimsollProcess;

  beforeAll(async () => {
    stage = await start({
      loads: [{ ...queue("shop", depthFor(2)), kind: "Deployment", metric: "packets" }],
      workloads:
        shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml") + workload("Deployment", "shop"),
    });
    await served(stage);
    autoscaler = await startPlimsoll("autoscaler", [
      `--kubeconfig=${await stage.kubeconfigForAutoscaler("driver")}`,
      ownLease,
      "--port=0",
    ]);
  });

  afterAll(async () => {
    await autoscaler?.stop();
    await stage?.stop();
  });

  test("a floor begins and ends on time, and the metric rules above and after it", async () => {
    const { startMs, start } = comingMinute(12_000);
    await stage.apply(shop(start));
    await becomes(2, startMs);
    const before = await until("the conditions", async () => {
      const object = await read();
      return condition(object, "SchedulesValid") && condition(object, "ScheduleActive") ? object : undefined;
    });
    expect(condition(before, "SchedulesValid")).toMatchObject({
      status: "False",
      message: expect.stringContaining(
        'nowhere: spec.schedules[1].timeZone "Europe/Atlantis" is not a time zone',
      ) as string,
    });
    expect(condition(before, "ScheduleActive")).toMatchObject({ status: "False" });

    const raised = await until("the floor", async () => ((await replicas()) === 5 ? Date.now() : undefined));
    expect(raised).toBeGreaterThanOrEqual(startMs);
    expect(raised).toBeLessThan(startMs + 5000);
    const during = await until("the status", async () => {
      const object = await read();
      return object.status?.schedules?.active.length === 1 ? object : undefined;
    });
    expect(condition(during, "ScheduleActive")).toMatchObject({ status: "True", reason: "ScheduleActive" });
    stage.load.set("default/shop", depthFor(7), "packets");
    await becomes(7, startMs + lastsMs);
    stage.load.set("default/shop", depthFor(2), "packets");
    await becomes(5, startMs + lastsMs);
    await until("the end", async () => ((await replicas()) === 2 ? true : undefined));
    expect(Date.now()).toBeGreaterThanOrEqual(startMs + lastsMs);
    expect(Date.now()).toBeLessThan(startMs + lastsMs + 10_000);
    const after = await until("the end in the status", async () => {
      const object = await read();
      return condition(object, "ScheduleActive")?.status === "False" ? object : undefined;
    });
    expect(after.spec).toMatchObject({ maxReplicas: 10 });
    // Events are written after the status.
    const text = await until(
      "the last event",
      async () => {
        const described = await stage.kubectl("describe", "wla", "shop");
        return /ScheduleEnded\s.*rush/.test(described) ? described : undefined;
      },
      { everyMs: 500 },
    );
    expect(text).toMatch(/ScheduleStarted\s.*rush: at least 5/);
    expect(text).toMatch(/Warning\s+InvalidSchedule\s.*nowhere/);
  });

  function read(): Promise<Stored & { readonly spec: object }> {
    return stage.client.request({ path: `${collection}/shop` });
  }

  async function replicas(): Promise<number> {
    const { spec } = await stage.client.request<{ spec: { replicas: number } }>({ path: target });
    return spec.replicas;
  }

  async function becomes(count: number, byMs: number): Promise<void> {
    await until(`${count} replicas`, async () => ((await replicas()) === count ? true : undefined), {
      timeoutMs: Math.max(byMs - Date.now(), 1),
    });
  }
});

describe("the schema", () => {
  const [[, start] = []] = stages;
  let stage: Stage;

  beforeAll(async () => {
    if (start === undefined) throw new Error("no stage");
    stage = await start({
      loads: [],
      workloads: shipped("crds/workloadautoscalers.autoscaling.plimsoll.dev.yaml"),
    });
    await served(stage);
  });

  afterAll(() => stage?.stop());

  const entry = { name: "office", timeZone: "UTC", start: "0 8 * * *", end: "0 18 * * *", minReplicas: 5 };

  function dryRun(schedules: readonly object[], spec: object = {}): Promise<string> {
    const body = {
      apiVersion: "autoscaling.plimsoll.dev/v1alpha1",
      kind: "WorkloadAutoscaler",
      metadata: { name: "tried", namespace: "default" },
      spec: { scaleTargetRef: { kind: "Deployment", name: "shop" }, maxReplicas: 10, schedules, ...spec },
    };
    return stage.client
      .request({
        method: "POST",
        path: collection,
        query: { dryRun: "All", fieldValidation: "Strict" },
        body,
      })
      .then(
        () => "accepted",
        (error: unknown) => {
          if (error instanceof ApiError) return error.message;
          throw error;
        },
      );
  }

  test("takes the examples as they are", async () => {
    const folder = fileURLToPath(new URL("../../../examples/schedules", import.meta.url));
    for (const name of readdirSync(folder)) {
      await stage.apply(readFileSync(`${folder}/${name}`, "utf8"));
    }
    expect(await stage.kubectl("get", "wla", "-o", "name")).toContain(
      "workloadautoscaler.autoscaling.plimsoll.dev/shop",
    );
  });

  test.each([
    ["an entry", [entry], {}],
    ["a fixed count of 0", [{ ...entry, minReplicas: undefined, replicas: 0 }], {}],
    ["minReplicas 0 with schedules alone", [entry], { minReplicas: 0 }],
    [
      "exclusions",
      [{ ...entry, exclusions: [{ date: "2026-12-24" }, { from: "2026-12-25", to: "2026-12-26" }] }],
      {},
    ],
  ])("takes %s", async (_, schedules, spec) => {
    expect(await dryRun(schedules, spec)).toBe("accepted");
  });

  test.each([
    ["two of one name", [entry, entry], {}, "Duplicate value"],
    ["end and duration", [{ ...entry, duration: "1h" }], {}, "must have exactly one of end and duration"],
    ["neither", [{ ...entry, end: undefined }], {}, "must have exactly one of end and duration"],
    [
      "nothing to impose",
      [{ ...entry, minReplicas: undefined }],
      {},
      "must have minReplicas, maxReplicas or both",
    ],
    [
      "a floor and a fixed count",
      [{ ...entry, replicas: 3 }],
      {},
      "must have minReplicas, maxReplicas or both",
    ],
    [
      "a floor above maxReplicas",
      [{ ...entry, minReplicas: 11 }],
      {},
      "schedules must not set more than maxReplicas",
    ],
    [
      "a ramp to a ceiling",
      [{ ...entry, minReplicas: undefined, maxReplicas: 3, ramp: { over: "1h" } }],
      {},
      "ramp needs",
    ],
    ["an empty exclusion", [{ ...entry, exclusions: [{}] }], {}, "must have exactly one of date"],
    ["no exclusions in a list", [{ ...entry, exclusions: [] }], {}, "should have at least 1 items"],
    ["no zone", [{ ...entry, timeZone: undefined }], {}, "timeZone"],
    ["a name of no field", [{ ...entry, timezone: "UTC" }], {}, "unknown field"],
    [
      "minReplicas 0 with a metric of pods",
      [entry],
      {
        minReplicas: 0,
        metrics: [
          {
            type: "Resource",
            resource: { name: "cpu", target: { type: "Utilization", averageUtilization: 60 } },
          },
        ],
      },
      "minReplicas 0 needs",
    ],
  ])("refuses %s", async (...[, schedules, spec, expected]) => {
    expect(await dryRun(schedules, spec)).toContain(expected);
  });
});

function condition(object: Stored, type: string) {
  return object.status?.conditions.find((each) => each.type === type);
}
