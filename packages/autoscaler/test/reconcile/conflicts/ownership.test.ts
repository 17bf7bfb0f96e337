import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import type { FakeApi } from "../../fake-api.ts";
import { hpa, rig, wanting, workload, writes } from "../../harness.ts";

const five = wanting(() => 5);

/** Writes the HPA's status as another controller would. */
function statusBy(api: FakeApi, manager: string, desiredReplicas: number): void {
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", {
    ...known,
    metadata: { ...known.metadata, managedFields: [entry(manager, "status")] },
    status: { currentReplicas: 5, desiredReplicas, conditions: [] },
  });
}

/** Sets the count as another client would. */
function scaleBy(api: FakeApi, manager: string, replicas: number): void {
  const known = api.get("deployments", "default", "shop");
  api.put("deployments", {
    ...known,
    metadata: { ...known.metadata, managedFields: [entry(manager, "scale")] },
    spec: { ...(known.spec as object), replicas },
  });
}

function entry(manager: string, subresource: string): object {
  const fieldsV1 = subresource === "scale" ? { "f:spec": { "f:replicas": {} } } : { "f:status": {} };
  return { manager, subresource, operation: "Update", time: new Date().toISOString(), fieldsV1 };
}

function replicas(api: FakeApi): number {
  return (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;
}

function warnings(api: FakeApi): readonly string[] {
  return api
    .list("events")
    .flatMap((event) => (event["reason"] === "ForeignWriter" ? [String(event["message"])] : []));
}

async function metrics(url: string): Promise<string> {
  return (await fetch(`${url}/metrics`)).text();
}

test("the reclaim annotation takes an object back", async () => {
  const { api, autoscaler } = await rig({ decide: five, before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  statusBy(api, "kube-controller-manager", 9);
  await eventually(async () => {
    await autoscaler.sync();
    expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("shadow");
  });
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", {
    ...known,
    metadata: { ...known.metadata, annotations: { "autoscaling.plimsoll.dev/reclaim": "now" } },
  });
  await eventually(() => expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active"));
  await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
  expect(warnings(api)).toHaveLength(1);
});

test("our own status, and an equal status, are not taken for a foreign writer's", async () => {
  const { api, autoscaler } = await rig({ decide: five, before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", { ...known, metadata: { ...known.metadata, labels: { team: "a" } } });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
  expect(warnings(api)).toEqual([]);
});

test.each(["plimsoll-cronhpa", "plimsoll-schedules"])(
  "%s is no foreign writer, however often it scales",
  async (manager) => {
    const { api, autoscaler, log, url } = await rig({ decide: five, before: (api) => workload(api, "shop") });
    await autoscaler.sync();
    for (let n = 0; n < 4; n++) {
      scaleBy(api, manager, 2);
      await autoscaler.sync();
      await eventually(() => expect(replicas(api)).toBe(5));
    }
    expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
    expect(warnings(api)).toEqual([]);
    expect(log.filter(({ level }) => level === "warn")).toEqual([]);
    expect(await metrics(url)).toContain("plimsoll_yielded_objects 0");
  },
);

test("two HPAs that name one target: neither scales it, also without pods and outside the bounds", async () => {
  const { api, autoscaler } = await rig({
    before: (api) => {
      workload(api, "shop", { replicas: 3, value: "90" });
      for (let n = 0; n < 3; n++) api.remove("pods", "default", `shop-${n}`);
      api.put("horizontalpodautoscalers", hpa("shop", { spec: { minReplicas: 6 } }));
      api.put("horizontalpodautoscalers", hpa("other", { target: "shop", spec: { maxReplicas: 2 } }));
    },
  });
  for (let n = 0; n < 2; n++) await autoscaler.sync();
  expect(replicas(api)).toBe(3);
  expect(autoscaler.decisions.of("default", "shop").at(-1)).toMatchObject({ applied: "withheld" });
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.decision.status.conditions).toContainEqual(
    expect.objectContaining({
      type: "AbleToScale",
      status: "False",
      message: expect.stringContaining("default/other default/shop"),
    }),
  );
  api.remove("horizontalpodautoscalers", "default", "other");
  await eventually(async () => {
    await autoscaler.sync();
    expect(replicas(api)).toBe(6);
  });
});

test("writes carry the field manager", async () => {
  const { api, autoscaler } = await rig({ decide: five, before: (api) => workload(api, "shop") });
  await autoscaler.sync();
  const managers = api.requests
    .filter(({ method }) => method === "PUT")
    .map(({ query }) => query.get("fieldManager"));
  expect(managers).toEqual(["plimsoll-autoscaler", "plimsoll-autoscaler"]);
});

test("in shadow, agreement with the managing controller is served, as JSON, as text and as metrics", async () => {
  const { api, autoscaler, url } = await rig({
    decide: five,
    config: { manageHpas: "none", syncPeriodMs: 200 },
    before: (api) => {
      workload(api, "shop");
      const known = api.get("horizontalpodautoscalers", "default", "shop");
      const conditions = [{ type: "AbleToScale", status: "True", reason: "ReadyForNewScale" }];
      api.put("horizontalpodautoscalers", {
        ...known,
        status: { currentReplicas: 3, desiredReplicas: 4, conditions, currentMetrics: [] },
      });
    },
  });
  await eventually(async () => {
    const summary = (await (await fetch(`${url}/apis/shadow/v1`)).json()) as { total: { differed: number } };
    expect(summary.total.differed).toBeGreaterThan(0);
  });
  expect(await (await fetch(`${url}/apis/shadow/v1/report`)).text()).toContain("default/shop  0.0 %");
  const text = await metrics(url);
  expect(text).toMatch(/plimsoll_shadow_compared_total\{result="differ"\} \d/);
  expect(text).toContain("plimsoll_shadow_agreement_ratio 0");
  expect(text).toMatch(/plimsoll_shadow_first_difference_total\{step="stabilize"\} \d/);
  expect(writes(api)).toEqual([]);
  expect(autoscaler.decisions.latest()).toHaveLength(1);
});
