import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { createTargetCache, type WorkloadWatch } from "../../src/targets/target-cache.ts";

const info = {
  group: "apps",
  version: "v1",
  resource: "deployments",
  kind: "Deployment",
  namespaced: true,
} as never;

/** A cache over a watch that shows one Deployment. */
function setUp(watch: Pick<WorkloadWatch, "isFailing" | "lastContactMs">) {
  const clock = manualClock(1_000_000_000);
  const workload = { metadata: { name: "shop" }, replicas: 3, statusReplicas: 3, selector: "app=shop" };
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
  return () => targets.scaleOf(info, "default", "shop")?.spec.replicas;
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
  const read = setUp({ isFailing, lastContactMs: 1_000_000_000 - ageMs });
  expect(read()).toBe(replicas);
});
