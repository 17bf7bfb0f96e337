import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { projectCronHpa } from "../../../src/schedules/cronhpa/cron-hpa.ts";
import { createJobStore } from "../../../src/schedules/cronhpa/job-store.ts";
import { settle } from "../../../src/schedules/cronhpa/record.ts";

function cronHpa(resourceVersion: string, uid = "u1") {
  return projectCronHpa({
    metadata: { name: "jobs", namespace: "default", uid, resourceVersion },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      jobs: [{ name: "open", schedule: "0 0 9 * * *", targetSize: 8 }],
    },
  } as KubeObject);
}

function setUp() {
  const store = createJobStore({
    defaults: { timeZone: "UTC", bounds: "Keep" },
    clock: { nowMs: () => 0 },
    newId: () => "id",
  });
  const { objects, records, targets, written } = store.entries;
  return { store, sizes: () => [objects, records, targets, written].map(({ size }) => size) };
}

test("runs of an object that was created again are known when the watch shows the end of the former one", () => {
  const { store } = setUp();
  const [target = ""] = store.apply({ type: "added", object: cronHpa("1") });
  const again = cronHpa("3", "u2");
  const run = { state: "Succeed", message: "", lastProbeMs: 9000, dueMs: 9000 } as const;
  store.put(settle(store.take(again), 0, run));
  store.apply({ type: "deleted", object: cronHpa("1") });
  store.apply({ type: "added", object: again });
  expect(store.recordsOf(target)).toMatchObject([
    { object: again, jobs: [{ state: "Succeed", settledMs: 9000 }] },
  ]);
});

test("what the server returns of an object that has gone meanwhile is not kept", () => {
  const { store, sizes } = setUp();
  const [target = ""] = store.apply({ type: "added", object: cronHpa("1") });
  store.recordsOf(target);
  store.take(cronHpa("2"));
  expect(sizes()).toEqual([1, 1, 1, 1]);
  // Its status is being written when it is deleted.
  store.apply({ type: "deleted", object: cronHpa("2") });
  expect(sizes()).toEqual([0, 0, 0, 0]);
  const record = store.take(cronHpa("3"));
  expect(record.jobs.map(({ job }) => job.name)).toEqual(["open"]);
  store.put(record);
  expect(sizes()).toEqual([0, 0, 0, 0]);
  expect(store.targets()).toEqual([]);
});
