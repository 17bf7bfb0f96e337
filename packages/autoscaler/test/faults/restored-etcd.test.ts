import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { rig, wanting, within, workload } from "../harness.ts";

test("after a restore of etcd, which sets versions back, edits count within minutes", async () => {
  const clock = manualClock(Date.parse("2030-01-01T00:00:00Z"));
  const { api, autoscaler, inputs } = await rig({
    clock,
    decide: wanting(() => 5),
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  api.restore(10);
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", { ...known, spec: { ...(known.spec as object), maxReplicas: 7 } });
  await autoscaler.sync();
  expect(inputs.at(-1)?.hpa.spec.maxReplicas).toBe(10);
  await within(clock, 360_000, async () => {
    await autoscaler.sync();
    expect(inputs.at(-1)?.hpa.spec.maxReplicas).toBe(7);
  });
  await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
});
