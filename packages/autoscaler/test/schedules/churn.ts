// Objects that come and go, fed to everything about schedules that is kept by object.

import { readInline, shareSchedules } from "@plimsoll/calendars";
import { manualClock } from "@plimsoll/component-base/testing";
import { ApiError, type KubeClient, type KubeObject } from "@plimsoll/kube";
import { createTargetCache } from "@plimsoll/observe";
import { silentLog } from "@plimsoll/testbed/world";
import { resourceInfo } from "@plimsoll/testbed/world/cluster";
import { projectHpa } from "../../src/objects/scaling-object.ts";
import { projectWla } from "../../src/objects/workload-autoscaler.ts";
import { projectCronHpa } from "../../src/schedules/cronhpa/cron-hpa.ts";
import { createJobStore } from "../../src/schedules/cronhpa/job-store.ts";
import { createBoundsController } from "../../src/schedules/hpa-bounds/controller.ts";
import { createScheduleEvaluator } from "../../src/schedules/schedule-evaluator.ts";
import { fakeWatch } from "./fake-watch.ts";

const office = { name: "office", timeZone: "UTC", start: "0 9 * * *", end: "0 18 * * *", minReplicas: 8 };

function named(kind: string, n: number, spec: object): KubeObject & { readonly spec: object } {
  const metadata = { name: `o${n}`, namespace: "default", uid: `${kind}-${n}`, resourceVersion: `${n + 1}` };
  return { kind, metadata, spec };
}

/** Everything about schedules that is kept by object, fed by watches in memory. */
function createWorld() {
  const clock = manualClock(Date.parse("2026-03-02T10:00:00Z"));
  const shared = shareSchedules({ clock, calendarDirectory: undefined, runTask: readInline });
  const [hpas, wlas] = [fakeWatch(), fakeWatch()];
  const notFound = new ApiError({ code: 404, reason: "NotFound", message: "not found" });
  const bounds = createBoundsController({
    hpas: hpas.watch,
    wlas: wlas.watch,
    client: { request: () => Promise.reject(notFound) } as unknown as KubeClient,
    events: { record: () => {} },
    clock,
    random: () => 0,
    log: silentLog,
    owns: () => true,
    has: () => true,
    schedules: shared,
    disputeWaits: { baseMs: 1, maxMs: 1 },
  });
  bounds.start();
  const jobs = createJobStore({ clock, defaults: { timeZone: "UTC", bounds: "Keep" }, newId: () => "id" });
  const evaluator = createScheduleEvaluator({ clock, shared });
  let notified = 0;
  evaluator.subscribe(() => void (notified += 1));
  const targets = createTargetCache({ clock, watchOf: undefined, maxAgeMs: 1000 });
  return { clock, hpas, wlas, bounds, jobs, evaluator, targets, notified: () => notified };
}

function comeAndGo(world: ReturnType<typeof createWorld>, n: number): () => void {
  const { hpas, wlas, jobs, evaluator, targets } = world;
  const scaleTargetRef = { apiVersion: "apps/v1", kind: "Deployment", name: `o${n}` };
  const limits = { minReplicas: 1, maxReplicas: 30, schedules: [office] };
  const hpa = projectHpa(
    named("HorizontalPodAutoscaler", n, { scaleTargetRef, minReplicas: 2, maxReplicas: 9 }),
  );
  const onHpa = { ...limits, scaleTargetRef: { kind: "HorizontalPodAutoscaler", name: `o${n}` } };
  const wla = projectWla(named("WorkloadAutoscaler", n, onHpa));
  const plain = projectWla(named("WorkloadAutoscaler", n, { ...limits, scaleTargetRef }));
  const schedule = "0 0 9 * * *";
  const job = { name: "up", schedule, targetSize: 3, runOnce: false };
  const cron = projectCronHpa(named("CronHorizontalPodAutoscaler", n, { scaleTargetRef, jobs: [job] }));
  hpas.set(hpa);
  wlas.set(wla);
  evaluator.withSchedules(plain);
  for (const key of jobs.apply({ type: "added", object: cron })) jobs.recordsOf(key);
  targets.seen(resourceInfo(), {
    metadata: hpa.metadata,
    spec: { replicas: 1 },
    status: { replicas: 1, selector: "" },
  });
  return () => {
    wlas.remove(wla);
    hpas.remove(hpa);
    evaluator.drop(`default/wla:o${n}`);
    jobs.apply({ type: "deleted", object: cron });
  };
}

/** As many as this exist at once. */
export const wave = 500;

/** Lets objects come and go in waves; `between` is called with how many have gone. */
export async function churn(objects: number, between: (gone: number) => void = () => {}) {
  const world = createWorld();
  for (let from = 0; from < objects; from += wave) {
    const ends = Array.from({ length: wave }, (_, n) => comeAndGo(world, from + n));
    await world.clock.advance(2000);
    for (const end of ends) end();
    // Longer than what is saved of a write, and than what is known of a namespace.
    await world.clock.advance(600_000);
    between(from + wave);
  }
  return world;
}
