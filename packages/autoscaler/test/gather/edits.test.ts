import type { DecideInput } from "@plimsoll/core";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi } from "../fake-api.ts";
import { hold, hpa, podsMetric, rig, wanting, workload, writes } from "../harness.ts";

test("an HPA edited while a metric is awaited is decided by its new bounds", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  editWhile(api, { maxReplicas: 4 });
  await autoscaler.sync();
  expect(ofShop(inputs)[0]?.hpa.spec.maxReplicas).toBe(4);
});

test("an HPA whose metrics change while one is awaited has its metrics queried again", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold, before: (api) => workload(api, "shop") });
  editWhile(api, { metrics: [podsMetric("other"), podsMetric("hits")] });
  await autoscaler.sync();
  expect(ofShop(inputs)[0]?.samples).toHaveLength(2);
});

test("an HPA that is edited all the time is still decided, each time on responses to its own queries", async () => {
  const { api, inputs } = await rig({ decide: hold });
  let edits = 0;
  const edit = async () => {
    edits += 1;
    // A selector of its own, so that no earlier answer serves.
    const metrics = Array.from({ length: 1 + (edits % 3) }, () => podsMetric("hits", `${edits}`));
    api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics } }));
    await delivered(api);
    return undefined;
  };
  api.script("GET", /\/hits$/, edit, 9);
  workload(api, "shop");
  await eventually(() => expect(ofShop(inputs).length).toBeGreaterThanOrEqual(3));
  expect(edits).toBe(9);
  for (const { samples, hpa } of ofShop(inputs)) expect(samples).toHaveLength(hpa.spec.metrics?.length ?? 0);
});

test("an HPA that is edited during each evaluation is scaled by what was read last, and gets its status", async () => {
  const { api, autoscaler } = await rig({
    decide: wanting(() => 9),
    before: (api) => workload(api, "shop"),
  });
  let edits = 0;
  const edit = async () => {
    edits += 1;
    api.put("horizontalpodautoscalers", hpa("shop", { spec: { metrics: [podsMetric("hits", `${edits}`)] } }));
    await delivered(api);
    return undefined;
  };
  api.script("GET", /\/hits$/, edit, 99);
  await autoscaler.sync();
  expect(edits).toBe(3);
  expect(api.scaled).toMatchObject([{ target: "default/shop", to: 9 }]);
  expect(api.get("horizontalpodautoscalers", "default", "shop").status).toMatchObject({ desiredReplicas: 9 });
});

test("an HPA deleted while a metric is awaited is not acted upon", async () => {
  const { api, autoscaler, inputs } = await rig({
    decide: wanting(() => 9),
    before: (api) => workload(api, "shop"),
  });
  api.script("GET", /\/hits$/, async () => {
    api.remove("horizontalpodautoscalers", "default", "shop");
    await delivered(api);
    return undefined;
  });
  await autoscaler.sync();
  expect(ofShop(inputs)).toEqual([]);
  expect(writes(api).filter((line) => line.includes("shop"))).toEqual([]);
});

test("an HPA deleted while its scale is read leaves no trace that makes others ambiguous", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: hold });
  api.script("GET", /\/shop\/scale$/, async () => {
    api.remove("horizontalpodautoscalers", "default", "shop");
    await delivered(api);
    return undefined;
  });
  workload(api, "shop");
  await eventually(() => expect(api.count("GET", /\/shop\/scale$/)).toBe(1));
  await delivered(api);
  api.put("horizontalpodautoscalers", hpa("heir", { target: "shop" }));
  await eventually(() => expect(autoscaler.decisions.of("default", "heir")).toHaveLength(1));
  const heir = inputs.find((input) => input.hpa.metadata?.name === "heir");
  expect(heir).toBeDefined();
  expect(heir?.ambiguousWith).toBeUndefined();
  expect(api.count("GET", /\/hits$/)).toBe(1);
});

/** Edits the HPA while the first metric call is under way, and waits until the edit has been seen. */
function editWhile(api: FakeApi, spec: object): void {
  api.script("GET", /\/hits$/, async () => {
    api.put("horizontalpodautoscalers", hpa("shop", { spec }));
    await delivered(api);
    return undefined;
  });
}

let markers = 0;

/** A new HPA is evaluated at once: when that happens, all changes before it have come through the watch. */
async function delivered(api: FakeApi): Promise<void> {
  markers += 1;
  const name = `marker-${markers}`;
  api.put("horizontalpodautoscalers", hpa(name));
  await eventually(() => expect(api.count("GET", new RegExp(`/${name}/scale$`))).toBeGreaterThan(0));
}

function ofShop(inputs: readonly DecideInput[]): readonly DecideInput[] {
  return inputs.filter((input) => input.hpa.metadata?.name === "shop");
}
