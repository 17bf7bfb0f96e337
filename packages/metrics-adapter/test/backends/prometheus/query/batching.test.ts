import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createBatching } from "../../../../src/backends/prometheus/query/batching.ts";

const promql = "sum(hits) by (pod)";

test("one object of each of many autoscalers pays for the largest batch", () => {
  const clock = manualClock(0);
  const batching = createBatching({ nowMs: () => clock.nowMs(), maxAgeMs: 5_000 });
  batching.succeeded(promql, { objects: 4_000, samples: 4_000 });
  const decisions = Array.from({ length: 100 }, (_, at) =>
    batching.shouldBatch(promql, { key: `app=${at}`, objects: 1 }),
  );
  expect(decisions.indexOf(true)).toBe(65);
});
