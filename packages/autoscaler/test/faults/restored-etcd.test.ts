import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import type { FakeApi } from "../fake-api.ts";
import { hpa, rig, wanting, within, workload } from "../harness.ts";

const hpas = "horizontalpodautoscalers";
/** More than watches take until they believe a list that is older than what they saw. */
const foundMs = 60_000;

/** After a restore of etcd, which sets versions back; no watch showed the status that was written before. */
async function restored(before: (api: FakeApi) => void) {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, autoscaler, inputs } = await rig({ clock, before, decide: wanting(() => 5) });
  api.cutWatches();
  await autoscaler.sync();
  api.restore(10);
  return {
    api,
    autoscaler,
    stored: () => api.get(hpas, "default", "shop"),
    newest: () => inputs.at(-1)?.hpa.spec.maxReplicas,
    soon: (check: () => void) =>
      within(clock, foundMs, async () => {
        await autoscaler.sync();
        check();
      }),
  };
}

test("a status is stored once the watch shows the version that it has to name", async () => {
  const { soon, stored } = await restored((api) => workload(api, "shop"));
  await soon(() => expect(Number(stored().metadata["resourceVersion"])).toBeGreaterThan(10));
});

test("an edit counts once the watch shows it, even without a status to write", async () => {
  const { api, autoscaler, newest, soon, stored } = await restored((api) => void api.put(hpas, hpa("shop")));
  const edited = { ...(stored()["spec"] as object), maxReplicas: 7 };
  api.put(hpas, { ...stored(), spec: edited });
  await autoscaler.sync();
  expect(newest()).toBe(10);
  await soon(() => expect(newest()).toBe(7));
  expect(api.count("PUT", /\/status$/)).toBe(1);
});
