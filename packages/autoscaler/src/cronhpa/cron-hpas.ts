import { randomUUID } from "node:crypto";
import { createEventRecorder } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { inTime } from "../deadline.ts";
import { apiErrorText } from "../errors.ts";
import { createWatch, type WatchOptions } from "../watch.ts";
import { onceEach, watchErrorTeller } from "../watch-error.ts";
import type { CarryOutDeps } from "./carry-out.ts";
import { type CronHpaSettings, createCronHpaController } from "./controller.ts";
import { cronHpaKind, cronHpaResource, projectCronHpa } from "./cron-hpa.ts";
import { registerCronHpaTelemetry } from "./telemetry.ts";

/** Everything about CronHorizontalPodAutoscalers; none of it runs unless asked for. */
export interface CronHpas {
  /** Looks for the kind until it is there, and then runs its jobs. */
  start(): void;
  stop(): Promise<void>;
  /** Some targets became this process's. */
  gained(): void;
  /** Some are not any more. */
  lost(): void;
}

const longestFlushMs = 5000;

const idle: CronHpas = { start: () => {}, stop: () => Promise.resolve(), gained: () => {}, lost: () => {} };

export type CronHpasDeps = Pick<CarryOutDeps, "clock" | "log" | "reading"> &
  CarryOutDeps["scale"] & {
    readonly watch: Omit<WatchOptions, "resource" | "onError">;
    /** How often it is asked whether the kind is installed. */
    readonly discoveryMs: number;
    readonly registry: Registry;
    readonly holds: (targetKey: string) => boolean;
  };

export function createCronHpas(settings: CronHpaSettings | undefined, o: CronHpasDeps): CronHpas {
  if (settings === undefined) return idle;
  const { clock, log, mapper, reading, holds } = o;
  const objects = createWatch({
    ...o.watch,
    resource: cronHpaResource,
    project: projectCronHpa,
    onError: onceEach(watchErrorTeller(cronHpaResource.resource, log)),
  });
  registerCronHpaTelemetry(o.registry, { objects: () => objects.list(), holds });
  const events = createEventRecorder({
    client: o.client,
    component: cronHpaKind,
    clock,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "could not record an event"),
  });
  const controller = createCronHpaController({
    settings,
    objects,
    reading,
    scale: { client: o.client, mapper, targets: o.targets },
    events,
    clock,
    log,
    holds,
    newId: randomUUID,
  });
  let isStopped = false;
  let cancel = (): void => {};

  return {
    start: () => void look(),
    async stop() {
      isStopped = true;
      cancel();
      await controller.stop();
      await objects.stop();
      await inTime(clock, longestFlushMs, events.flush());
    },
    gained: controller.gained,
    lost: controller.lost,
  };

  async function look(): Promise<void> {
    const kinds = await mapper.byKind(cronHpaResource.group, cronHpaKind).catch(() => []);
    if (isStopped) return;
    if (kinds.length === 0) {
      cancel = clock.after(o.discoveryMs, () => void look());
      return;
    }
    objects.start();
    // It rejects when it is stopped before its first list.
    const isSynced = await objects.synced().then(
      () => true,
      () => false,
    );
    if (isSynced && !isStopped) controller.start();
  }
}
