import { systemClock } from "@plimsoll/component-base";
import { expect, test } from "vitest";
import { eventually, rig, wanting, workload } from "../harness.ts";

const maxRetryMs = 5500;

test("after a restore of etcd, which sets versions back, edits count within minutes", async () => {
  let aheadMs = 0;
  const { api, autoscaler, inputs } = await rig({
    decide: wanting(() => 5),
    clock: {
      ...systemClock,
      nowMs: () => Date.now() + aheadMs,
      steadyMs: () => performance.now() + aheadMs,
      // Lists that are older than the last one are retried for a while.
      after: (delayMs, run) => systemClock.after(delayMs <= maxRetryMs ? delayMs / 20 : delayMs, run),
    },
    before: (api) => workload(api, "shop"),
  });
  await autoscaler.sync();
  api.restore(10);
  const known = api.get("horizontalpodautoscalers", "default", "shop");
  api.put("horizontalpodautoscalers", { ...known, spec: { ...(known.spec as object), maxReplicas: 7 } });
  await autoscaler.sync();
  expect(inputs.at(-1)?.hpa.spec.maxReplicas).toBe(10);
  aheadMs = 301_000;
  await eventually(async () => {
    await autoscaler.sync();
    expect(inputs.at(-1)?.hpa.spec.maxReplicas).toBe(7);
  });
  await autoscaler.sync();
  expect(autoscaler.decisions.of("default", "shop").at(-1)?.mode).toBe("active");
});
