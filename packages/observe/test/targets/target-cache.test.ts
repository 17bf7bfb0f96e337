import { manualClock } from "@plimsoll/component-base/testing";
import type { Scale } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createTargetCache, type WorkloadWatch } from "../../src/targets/target-cache.ts";

const info = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  kind: "Deployment",
  namespaced: true,
} as never;

/** A cache over a watch that shows one Deployment, at version 7. */
function setUp(watch: Pick<WorkloadWatch, "isFailing" | "lastContactMs">) {
  const clock = manualClock(1_000_000_000);
  const metadata = { name: "shop", namespace: "default", uid: "1", resourceVersion: "7" };
  const workload = { metadata, replicas: 3, statusReplicas: 3, selector: "app=shop" };
  const targets = createTargetCache({
    clock,
    maxAgeMs: 30_000,
    watchOf: () => ({
      ...watch,
      isSynced: true,
      get: () => workload,
      onDeleted: () => {},
      start: () => {},
      stop: () => Promise.resolve(),
    }),
  });
  const read = () => targets.scaleOf(info, "default", "shop")?.spec.replicas;
  return { clock, metadata, targets, read };
}

test.each([
  { what: "a watch that fails for less than two periods", isFailing: true, ageMs: 30_000, replicas: 3 },
  { what: "one that fails for longer", isFailing: true, ageMs: 30_001, replicas: undefined },
  { what: "a quiet watch", isFailing: false, ageMs: 120_000, replicas: 3 },
  {
    what: "one that is silent for longer than a watch may be",
    isFailing: false,
    ageMs: 120_001,
    replicas: undefined,
  },
  {
    what: "one of before the clock was set back, which has no age",
    isFailing: true,
    ageMs: -1,
    replicas: undefined,
  },
])("$what shows $replicas replicas", ({ isFailing, ageMs, replicas }) => {
  const { read } = setUp({ isFailing, lastContactMs: 1_000_000_000 - ageMs });
  expect(read()).toBe(replicas);
});

test("a quiet watch that has not shown our own write yet is not used, as long as it may be quiet", async () => {
  const { clock, metadata, targets, read } = setUp({ isFailing: false, lastContactMs: 1_000_000_000 });
  targets.seen(info, { metadata: { ...metadata, resourceVersion: "8" } } as Scale);
  await clock.advance(31_000);
  expect(read()).toBeUndefined();
  await clock.advance(89_000);
  expect(read()).toBeUndefined();
});
