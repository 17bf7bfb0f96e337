import { manualClock } from "@plimsoll/component-base/testing";
import { eventually } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { type FakeApi, failure } from "./fake-api.ts";
import { deployment, rig, wanting, within, workload } from "./harness.ts";

const five = wanting(() => 5);
const scaleReads = (api: FakeApi) => api.count("GET", /\/scale$/);
const replicas = (api: FakeApi) =>
  (api.get("deployments", "default", "shop").spec as { replicas: number }).replicas;

function shop(api: FakeApi, count = 3): void {
  workload(api, "shop");
  const known = deployment("shop", count);
  api.put("deployments", { ...known, spec: { replicas: count, selector: { matchLabels: { app: "shop" } } } });
}

const setUp = (decide = five) =>
  rig({ decide, config: { watchScaleTargets: true }, before: (api) => shop(api) });

test("once a kind is watched, no scale is read, and our own write is waited for", async () => {
  const { api, autoscaler, inputs } = await setUp();
  await autoscaler.sync();
  expect(replicas(api)).toBe(5);
  await eventually(async () => {
    const before = scaleReads(api);
    await autoscaler.sync();
    await autoscaler.sync();
    expect(scaleReads(api)).toBe(before);
  });
  for (const { scale } of inputs.slice(1))
    expect(scale).toMatchObject({ specReplicas: 5, selector: "app=shop" });
  expect(api.count("PUT", /\/scale$/)).toBe(1);
});

test("a watch that is behind our own write is not used: the scale is read from the server", async () => {
  const { api, autoscaler, inputs } = await setUp(
    wanting(({ scale }) => (scale.ok ? scale.specReplicas + 1 : 0)),
  );
  await eventually(async () => {
    await autoscaler.sync();
    expect(inputs.length).toBeGreaterThanOrEqual(4);
  });
  const counts = inputs.map(({ scale }) => (scale.ok ? scale.specReplicas : -1));
  expect(counts).toEqual(counts.map((_, index) => 3 + index));
  expect(replicas(api)).toBe(3 + inputs.length);
});

test("a response from before our own write is not acted on", async () => {
  const { api, autoscaler, inputs } = await rig({ decide: five, before: (api) => shop(api) });
  await autoscaler.sync();
  api.script("GET", /\/scale$/, () => ({
    code: 200,
    body: {
      kind: "Scale",
      metadata: {
        name: "shop",
        namespace: "default",
        uid: api.get("deployments", "default", "shop").metadata["uid"],
        resourceVersion: "1",
      },
      spec: { replicas: 3 },
      status: { replicas: 3, selector: "app=shop" },
    },
  }));
  await autoscaler.sync();
  expect(inputs.at(-1)?.scale).toMatchObject({ ok: false, message: expect.stringContaining("older") });
  expect(api.count("PUT", /\/scale$/)).toBe(1);
  await autoscaler.sync();
  expect(inputs.at(-1)?.scale).toMatchObject({ ok: true, specReplicas: 5 });
});

test("a kind that may not be listed is read one by one", async () => {
  const { api, autoscaler, inputs, log } = await rig({
    decide: five,
    config: { watchScaleTargets: true },
    before: (api) => {
      shop(api);
      api.script("GET", /\/deployments$/, () => failure(403, "Forbidden", "no list of deployments"), 99);
    },
  });
  for (let n = 0; n < 3; n++) await autoscaler.sync();
  expect(inputs.map(({ scale }) => scale.ok)).toEqual([true, true, true]);
  expect(scaleReads(api)).toBe(3);
  await eventually(() => expect(log.some(({ fields }) => fields["resource"] === "deployments")).toBe(true));
});

test("a target that is deleted is reported in the server's words", async () => {
  const { api, autoscaler, inputs } = await setUp();
  await autoscaler.sync();
  api.remove("deployments", "default", "shop");
  await eventually(async () => {
    await autoscaler.sync();
    expect(inputs.at(-1)?.scale).toEqual({
      ok: false,
      kind: "internal",
      message: 'deployments.apps "shop" not found',
    });
  });
});

test("a watch that fails is used for two periods; then the scale is read, and what it shows decides", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, inputs } = await rig({
    clock,
    decide: wanting(({ scale }) => (scale.ok ? scale.specReplicas : 0)),
    config: { watchScaleTargets: true, syncPeriodMs: 300 },
    before: (api) => shop(api),
  });
  await clock.advance(1200);
  const [reads, count] = [scaleReads(api), inputs.length];
  await clock.advance(1200);
  expect([scaleReads(api), inputs.length]).toEqual([reads, count + 4]);
  api.script("GET", /\/deployments$/, () => failure(403, "Forbidden", "no list of deployments"), 100_000);
  api.cutWatches();
  shop(api, 9);
  await within(clock, 5000, () => expect(inputs.at(-1)?.scale).toMatchObject({ ok: true, specReplicas: 9 }));
});
