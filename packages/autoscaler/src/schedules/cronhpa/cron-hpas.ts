// The controller of CronHorizontalPodAutoscalers.
import type { EntryMeter } from "@plimsoll/component-base";
import { apiErrorText } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { createLoggedEvents, type LoggedEventsDeps } from "../../app/logged-events.ts";
import { createWatch, type WatchOptions } from "../../informers/watch.ts";
import { onceEach, watchErrorLogger } from "../../informers/watch-error.ts";
import { type CronHpaSettings, createCronHpaController } from "./controller.ts";
import { cronHpaKind, cronHpaResource, projectCronHpa } from "./cron-hpa.ts";
import type { RunDueJobDeps } from "./run-due-job.ts";
import { registerCronHpaTelemetry } from "./telemetry.ts";

/** Everything about CronHorizontalPodAutoscalers; none of it runs unless it is enabled. */
export interface CronHpas {
  /** Looks for the kind until it is there, and then runs its jobs. */
  start(): void;
  stop(): Promise<void>;
  /** Some targets became this process's. */
  gained(): void;
  /** Some are not any more. */
  lost(): void;
}

const idle: CronHpas = { start: () => {}, stop: () => Promise.resolve(), gained: () => {}, lost: () => {} };

export type CronHpasDeps = Pick<RunDueJobDeps, "clock" | "log" | "reading"> &
  RunDueJobDeps["scale"] &
  Pick<LoggedEventsDeps, "eventTelemetry"> & {
    readonly watch: Omit<WatchOptions, "resource" | "onError">;
    /** How often discovery is read for whether the kind is installed. */
    readonly discoveryMs: number;
    readonly registry: Registry;
    readonly owns: (targetKey: string) => boolean;
    readonly random: () => number;
    readonly newId: () => string;
    readonly meter?: EntryMeter | undefined;
  };

export function createCronHpas(settings: CronHpaSettings | undefined, deps: CronHpasDeps): CronHpas {
  if (settings === undefined) return idle;
  const { clock, log, mapper, reading, owns, random } = deps;
  const objects = createWatch({
    ...deps.watch,
    resource: cronHpaResource,
    project: projectCronHpa,
    onError: onceEach(watchErrorLogger(cronHpaResource.resource, log)),
  });
  registerCronHpaTelemetry(deps.registry, { objects: () => objects.list(), holds: owns });
  const events = createLoggedEvents(cronHpaKind, deps);
  const controller = createCronHpaController({
    settings,
    objects,
    reading,
    scale: { client: deps.client, mapper, targets: deps.targets },
    events,
    clock,
    log,
    owns,
    random,
    newId: deps.newId,
    meter: deps.meter,
  });
  let isStopped = false;
  let stopLooking = (): void => {};
  const run = async (): Promise<void> => {
    objects.start();
    // It rejects when it is stopped before its first list.
    const isSynced = await objects.synced().then(
      () => true,
      () => false,
    );
    if (isSynced && !isStopped) controller.start();
  };

  return {
    start() {
      stopLooking = whenInstalled(deps, () => void run());
    },
    async stop() {
      isStopped = true;
      stopLooking();
      await controller.stop();
      await objects.stop();
      await events.close();
    },
    gained: controller.gained,
    lost: controller.lost,
  };
}

/** Looks for the kind until it is there. Returns what ends the search. */
function whenInstalled(
  { clock, discoveryMs, log, mapper }: CronHpasDeps,
  onInstalled: () => void,
): () => void {
  const report = onceEach((error) => log.warn({ error: apiErrorText(error) }, "discovery is not complete"));
  let isStopped = false;
  let cancel = (): void => {};
  const look = async (): Promise<void> => {
    const kinds = await mapper.byKind(cronHpaResource.group, cronHpaKind).catch((error: unknown) => {
      report(error);
      return [];
    });
    if (isStopped) return;
    if (kinds.length > 0) onInstalled();
    else cancel = clock.after(discoveryMs, () => void look());
  };
  void look();
  return () => {
    isStopped = true;
    cancel();
  };
}
