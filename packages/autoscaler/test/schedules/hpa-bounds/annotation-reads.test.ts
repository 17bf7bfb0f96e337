// The cost of objects that move no bounds, in reads of annotations.

import { readInline, shareSchedules } from "@plimsoll/calendars";
import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeClient, KubeObject } from "@plimsoll/kube";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { projectHpa, type ScalingObject } from "../../../src/objects/scaling-object.ts";
import { projectWla } from "../../../src/objects/workload-autoscaler.ts";
import { createBoundsController } from "../../../src/schedules/hpa-bounds/controller.ts";
import { fakeWatch } from "../fake-watch.ts";

test("500 WorkloadAutoscalers beside 500 HPAs read each annotation a few times, not once for each other object", async () => {
  const clock = manualClock(0);
  const [hpas, wlas] = [fakeWatch(), fakeWatch()];
  let requests = 0;
  const controller = createBoundsController({
    hpas: hpas.watch,
    wlas: wlas.watch,
    client: {
      request: () => Promise.reject(new Error(`request ${(requests += 1)}`)),
    } as unknown as KubeClient,
    events: { record: () => {} },
    clock,
    random: () => 0,
    log: silentLog,
    owns: () => true,
    has: () => true,
    schedules: shareSchedules({ clock, calendarDirectory: undefined, runTask: readInline }),
    disputeWaits: { baseMs: 1, maxMs: 1 },
  });
  controller.start();
  let reads = 0;
  const counted = <T extends ScalingObject>(object: T): T => {
    Object.defineProperty(object.metadata, "annotations", { get: () => void (reads += 1) });
    return object;
  };
  const named = (kind: string, n: number): KubeObject & { readonly spec: object } => ({
    kind,
    metadata: { name: `o${n}`, namespace: "default", uid: `${kind}-${n}`, resourceVersion: "1" },
    spec: { scaleTargetRef: { kind: "Deployment", name: `o${n}` }, minReplicas: 1, maxReplicas: 9 },
  });
  for (let n = 0; n < 500; n++) {
    hpas.set(counted(projectHpa(named("HorizontalPodAutoscaler", n))));
    wlas.set(counted(projectWla(named("WorkloadAutoscaler", n))));
  }
  controller.gained();
  await clock.advance(60_000);
  expect(reads).toBeLessThan(500 * 10);
  expect(requests).toBe(0);
  await controller.stop();
});
