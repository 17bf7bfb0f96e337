import type { KubeObject } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { projectCronHpa } from "../../../src/schedules/cronhpa/cron-hpa.ts";
import { createJobStore } from "../../../src/schedules/cronhpa/job-store.ts";

function cronHpa(resourceVersion: string) {
  return projectCronHpa({
    metadata: { name: "jobs", namespace: "default", uid: "u1", resourceVersion },
    spec: {
      scaleTargetRef: { apiVersion: "apps/v1", kind: "Deployment", name: "shop" },
      jobs: [{ name: "open", schedule: "0 0 9 * * *", targetSize: 8 }],
    },
  } as KubeObject);
}

test("what the server returns of an object that has gone meanwhile is not kept", () => {
  const store = createJobStore({
    defaults: { timeZone: "UTC", bounds: "Keep" },
    clock: { nowMs: () => 0 },
    newId: () => "id",
  });
  const { objects, records, targets, written } = store.entries;
  const sizes = () => [objects, records, targets, written].map(({ size }) => size);
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
