import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "../../fake-api.ts";
import { hpa, rig, wanting, workload } from "../../harness.ts";

const five = wanting(() => 5);
/** One write at a time, so that the second one waits for its turn. */
const budget = {
  scaleReadsAtOnce: 100,
  metricsReadsAtOnce: 100,
  writes: { writesPerSecond: 1000, refreshesPerSecond: 1000, atOnce: 1 },
};
const replicas = (api: FakeApi, name = "shop") =>
  (api.get("deployments", "default", name).spec as { replicas: number }).replicas;
const scaleWrites = (api: FakeApi, name: string) => api.count("PUT", new RegExp(`/${name}/scale$`));

function edit(api: FakeApi, change: { readonly metadata?: object; readonly spec?: object }): void {
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", {
    ...known,
    metadata: { ...known.metadata, ...change.metadata },
    spec: { ...(known.spec as object), ...change.spec },
  });
}

test.each([
  ["a lowered maximum", (api: FakeApi) => edit(api, { spec: { maxReplicas: 4 } })],
  ["the annotation that was removed", (api: FakeApi) => edit(api, { metadata: { annotations: {} } })],
])("%s counts for a scale write that waits for its turn", async (_, change) => {
  let free = (): void => {};
  const blocked = new Promise<undefined>((resolve) => {
    free = () => resolve(undefined);
  });
  const { api, autoscaler, inputs } = await rig({
    decide: five,
    config: { budget, manageHpas: "annotated", concurrentSyncs: 4 },
    before(api) {
      for (const name of ["first", "shop"]) {
        workload(api, name);
        const annotations = { "autoscaling.plimsoll.dev/managed": "true" };
        api.put("horizontalpodautoscalers", hpa(name, { annotations }));
      }
      api.script("PUT", /\/first\/scale$/, () => blocked);
    },
  });
  const synced = autoscaler.sync();
  await eventually(() => expect([scaleWrites(api, "first"), inputs.length]).toEqual([1, 2]));
  change(api);
  // The watch shows an object that was created after the edit, so it has shown the edit too.
  workload(api, "later");
  await eventually(() => expect(inputs.some(({ hpa }) => hpa.metadata?.name === "later")).toBe(true));
  expect(scaleWrites(api, "shop")).toBe(0);
  free();
  await synced;
  expect(api.scaled.filter(({ target, to }) => target === "default/shop" && to > 4)).toEqual([]);
});

test("a status whose write failed once is written by the next evaluation: a target at zero comes back", async () => {
  let queue = "0";
  const metric = { name: "queue" };
  const external = { metric, target: { type: "AverageValue", averageValue: "10" } };
  const { api, autoscaler } = await rig({
    config: { scaleToZero: true },
    before(api) {
      workload(api, "shop");
      api.put(
        "horizontalpodautoscalers",
        hpa("shop", {
          spec: {
            minReplicas: 0,
            metrics: [{ type: "External", external }],
            behavior: { scaleDown: { stabilizationWindowSeconds: 0 } },
          },
        }),
      );
      const reply = () => ({ code: 200, body: { items: [{ value: queue }] } });
      api.script("GET", /\/queue$/, reply, 99);
    },
  });
  api.script("PUT", /\/status$/, () => failure(500, "InternalError", "etcd is away"));
  await autoscaler.sync();
  expect(replicas(api)).toBe(0);
  queue = "40";
  await autoscaler.sync();
  await autoscaler.sync();
  expect(replicas(api)).toBe(4);
  expect(api.get("horizontalpodautoscalers", "default", "shop").status).toMatchObject({ desiredReplicas: 4 });
});
