import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { FakeApi } from "../../fake-api.ts";
import { hpa, type Rig, rig, wanting, within, workload } from "../../harness.ts";
import { conditions as conditionsOf, setUp } from "../workload-autoscalers.ts";

const periodMs = 15_000;

const entry = (manager: string, subresource: string) => ({
  manager,
  subresource,
  operation: "Update",
  time: "2030-01-01T00:00:00Z",
  fieldsV1: subresource === "scale" ? { "f:spec": { "f:replicas": {} } } : { "f:status": {} },
});

const replicas = (api: FakeApi) =>
  (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;

/** Sets the replicas as another client would. */
function scaleBy(api: FakeApi, manager: string, to: number): void {
  const known = api.get("deployments", "default", "shop");
  const metadata = { ...known.metadata, managedFields: [entry(manager, "scale")] };
  api.put("deployments", { ...known, metadata, spec: { ...(known.spec as object), replicas: to } });
}

let statuses = 0;

/** Writes a status, unlike any before unless the test says which. */
function statusBy(
  api: FakeApi,
  manager: string,
  kind = "horizontalpodautoscalers",
  status: object = {
    currentReplicas: 5,
    desiredReplicas: 5,
    observedGeneration: ++statuses,
    conditions: [],
  },
): void {
  const known = api.get(kind, "default", "shop");
  const metadata = { ...known.metadata, managedFields: [entry(manager, "status")] };
  api.put(kind, { ...known, metadata, status });
}

const reasons = (api: FakeApi) => api.list("events").map(({ reason }) => reason);

/** A process that evaluates one HPA each period. */
async function world(options: { readonly spec?: object; readonly decide?: Parameters<typeof rig>[0] } = {}) {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const process = await rig({
    clock,
    config: { syncPeriodMs: periodMs },
    before(api) {
      workload(api, "shop", { value: "100" });
      api.put("horizontalpodautoscalers", hpa("shop", { spec: options.spec ?? {} }));
    },
    ...options.decide,
  });
  return { ...process, clock, last: () => process.autoscaler.decisions.of("default", "shop").at(-1) };
}

const toFive = { decide: { decide: wanting(() => 5) } };

async function metrics({ url }: Pick<Rig, "url">): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

test("replicas that are set back again and again never end the management, and the writes become rare", async () => {
  const { api, clock, last, url } = await world({ spec: { minReplicas: 1 } });
  await within(clock, periodMs, () => expect(replicas(api)).toBeGreaterThan(3));
  const wanted = replicas(api);
  const writes = () => api.scaled.length;
  const perHour: number[] = [];
  for (let hour = 0; hour < 2; hour++) {
    const before = writes();
    for (let n = 0; n < 240; n++) {
      if (replicas(api) === wanted) scaleBy(api, "argocd-controller", 3);
      await clock.advance(periodMs);
      expect(last()?.mode).toBe("active");
    }
    perHour.push(writes() - before);
  }
  // A write in five minutes; upstream would have written 240 times an hour.
  expect(perHour[1]).toBeLessThanOrEqual(13);
  expect(perHour[1]).toBeGreaterThanOrEqual(10);
  expect(last()?.otherWriter).toMatchObject({
    by: "argocd-controller",
    writes: "replicas",
    since: expect.stringMatching(/^2030-01-01T00:0/) as string,
  });
  const status = api.get("horizontalpodautoscalers", "default", "shop").status as { conditions: unknown };
  expect(status.conditions).toContainEqual(
    expect.objectContaining({
      type: "AbleToScale",
      status: "False",
      message: expect.stringMatching(
        /argocd-controller changed the replicas back \d+ times since 2030-01-01T00:0\d:\d\dZ; next attempt at/,
      ) as string,
    }),
  );
  expect(await metrics({ url })).toMatch(/plimsoll_foreign_writers_total\{what="scale"\} \d\d/);
  // The client is gone.
  await within(clock, 6 * 60_000, () => expect(replicas(api)).toBe(wanted));
  await clock.advance(12 * 60_000);
  expect(last()?.otherWriter).toBeUndefined();
});

test("a target that is set below its minimum is written at each evaluation", async () => {
  const { api, clock } = await world({ spec: { minReplicas: 4 } });
  await within(clock, periodMs, () => expect(replicas(api)).toBeGreaterThanOrEqual(4));
  for (let n = 0; n < 40; n++) {
    scaleBy(api, "argocd-controller", 1);
    await within(clock, periodMs, () => expect(replicas(api)).toBeGreaterThanOrEqual(4));
    await clock.advance(2000);
  }
});

test("the status, the summary and a metric say who sets a target below its minimum, while it does", async () => {
  const { api, clock, url } = await world({ spec: { minReplicas: 4 } });
  await within(clock, periodMs, () => expect(replicas(api)).toBeGreaterThanOrEqual(4));
  const able = () => {
    const { conditions } = api.get("horizontalpodautoscalers", "default", "shop").status as {
      readonly conditions: readonly {
        readonly type: string;
        readonly status: string;
        readonly message: string;
      }[];
    };
    return conditions.find(({ type }) => type === "AbleToScale");
  };
  const problem = async () => {
    const page = await fetch(`${url}/apis/decisions/v1/summary?problem=true`);
    return ((await page.json()) as { readonly items: readonly unknown[] }).items[0];
  };
  scaleBy(api, "argocd-controller", 1);
  await clock.advance(periodMs + 1000);
  expect(able()?.message).not.toContain("argocd-controller");
  expect(await problem()).toBeUndefined();
  for (let n = 0; n < 4; n++) {
    scaleBy(api, "argocd-controller", 1);
    await clock.advance(periodMs + 1000);
  }
  expect(able()).toMatchObject({
    status: "True",
    message: expect.stringMatching(
      /^[^.]+\. Another client: argocd-controller changed the replicas back \d times since 2030-01-01T00:00:\d\dZ$/,
    ) as string,
  });
  expect(await problem()).toMatchObject({
    otherWriter: { by: "argocd-controller", writes: "replicas" },
    note: expect.stringMatching(/^argocd-controller changed the replicas back \d times$/) as string,
  });
  expect(await metrics({ url })).toMatch(
    /plimsoll_horizontalpodautoscaler_replicas_overwritten\{[^}]*"shop"[^}]*\} \d/,
  );
  // The client is gone.
  await clock.advance(12 * 60_000);
  expect(able()?.message).not.toContain("argocd-controller");
  expect(await problem()).not.toHaveProperty("otherWriter");
  expect(await metrics({ url })).not.toMatch(/replicas_overwritten\{/);
  const before = api.count("PUT", /status$/);
  await clock.advance(4 * periodMs);
  expect(api.count("PUT", /status$/)).toBe(before);
});

test("a person's replicas are corrected by the next evaluation, and the same an hour later", async () => {
  const { api, clock, last } = await world({ spec: { minReplicas: 1 } });
  await within(clock, periodMs, () => expect(replicas(api)).toBeGreaterThan(3));
  const wanted = replicas(api);
  for (let n = 0; n < 3; n++) {
    scaleBy(api, "kubectl-scale", 3);
    await within(clock, periodMs, () => expect(replicas(api)).toBe(wanted));
    await clock.advance(3_600_000);
    expect(last()?.mode).toBe("active");
  }
});

test("another controller has the object while it writes the status, and three periods longer", async () => {
  const { api, clock, last, url } = await world(toFive);
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  const write = async () => {
    statusBy(api, "kube-controller-manager");
    scaleBy(api, "kube-controller-manager", 7);
    await clock.advance(periodMs);
  };
  await write();
  for (let n = 1; n < 20; n++) {
    await write();
    expect(last()).toMatchObject({ mode: "shadow", yieldedTo: "kube-controller-manager" });
  }
  expect(replicas(api)).toBe(7);
  expect(last()?.otherWriter).toMatchObject({ by: "kube-controller-manager", writes: "status" });
  expect(last()?.otherWriter?.count).toBeGreaterThanOrEqual(19);
  expect(reasons(api).filter((reason) => reason === "ForeignWriter")).toHaveLength(1);
  expect(await metrics({ url })).toContain("plimsoll_yielded_objects 1");
  const tookMs = await within(clock, 6 * periodMs, () => expect(replicas(api)).toBe(5));
  expect(tookMs).toBeGreaterThan(2 * periodMs);
  expect(last()).toMatchObject({ mode: "active" });
  expect(last()?.otherWriter).toBeUndefined();
  expect(await metrics({ url })).toContain("plimsoll_yielded_objects 0");
});

test("a controller that writes once a minute has the object, but for the first minute", async () => {
  const { api, clock, last } = await world(toFive);
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  statusBy(api, "kube-controller-manager");
  await clock.advance(4 * periodMs);
  for (let minute = 1; minute < 60; minute++) {
    statusBy(api, "kube-controller-manager");
    for (let n = 0; n < 4; n++) {
      await clock.advance(periodMs);
      expect([minute, n, last()?.mode]).toEqual([minute, n, "shadow"]);
    }
  }
  expect(last()?.otherWriter).toMatchObject({ by: "kube-controller-manager", count: 60 });
  // It has ended.
  await clock.advance(4 * 60_000);
  expect(last()?.mode).toBe("active");
});

test("one status under our own name does not count, a second one is another installation's", async () => {
  const { api, clock, last } = await world(toFive);
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  statusBy(api, "plimsoll-autoscaler");
  await clock.advance(4 * periodMs);
  expect(last()?.mode).toBe("active");
  statusBy(api, "plimsoll-autoscaler");
  await clock.advance(2 * periodMs);
  expect(last()).toMatchObject({ mode: "shadow", yieldedTo: "another plimsoll-autoscaler" });
});

test("a status under our own name that nobody overwrites holds up no scale write, however long it stays", async () => {
  let want = 5;
  const { api, clock } = await world({ decide: { decide: wanting(() => want) } });
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  await clock.advance(2 * periodMs);
  statusBy(api, "plimsoll-autoscaler");
  await clock.advance(6 * 60_000);
  want = 8;
  await within(clock, 2 * periodMs, () => expect(replicas(api)).toBe(8));
});

test("another installation that writes the same status over ours each time is noticed", async () => {
  const { api, clock, last } = await world(toFive);
  await within(clock, periodMs, () => expect(replicas(api)).toBe(5));
  const status = { currentReplicas: 5, desiredReplicas: 7 };
  for (let n = 0; n < 2; n++) {
    await clock.advance(2 * periodMs);
    statusBy(api, "plimsoll-autoscaler", "horizontalpodautoscalers", status);
  }
  await clock.advance(periodMs);
  expect(last()).toMatchObject({ mode: "shadow", yieldedTo: "another plimsoll-autoscaler" });
});

test("a WorkloadAutoscaler that another installation has says so once, and is ours again when that ends", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, autoscaler } = await setUp({ tuning: { syncPeriodSeconds: 15 } }, "20", clock);
  const active = () => conditionsOf(api)["Active"];
  await within(clock, 2 * periodMs, () => expect(active()).toBe("True Managing"));
  const writes = () => api.count("PUT", /workloadautoscalers\/shop\/status$/);
  for (let n = 0; n < 2; n++) {
    statusBy(api, "plimsoll-autoscaler", "workloadautoscalers");
    await clock.advance(periodMs + 1000);
  }
  await within(clock, periodMs, () => expect(active()).toBe("False ForeignWriter"));
  const before = writes();
  for (let n = 0; n < 10; n++) {
    statusBy(api, "plimsoll-autoscaler", "workloadautoscalers");
    await clock.advance(periodMs);
  }
  expect(writes()).toBe(before);
  const last = autoscaler.decisions.of("default", "shop", "workloadautoscalers").at(-1);
  expect(last).toMatchObject({ mode: "shadow", otherWriter: { writes: "status" } });
  // The process has a period of an hour: a writer that is silent for three minutes has ended.
  await within(clock, 14 * periodMs, () => expect(active()).toBe("True Managing"));
});
