// The controller of CronHorizontalPodAutoscalers.
import type { EntryMeter } from "@plimsoll/component-base";
import { cronHpaKind } from "@plimsoll/core/internal/objects";
import { apiErrorText } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { waitForList } from "../../informers/listed.ts";
import { createWatch, type WatchOptions } from "../../informers/watch.ts";
import { onceEach, watchErrorLogger } from "../../informers/watch-error.ts";
import type { Ownership } from "../../leadership/coordination.ts";
import { define } from "../../telemetry/define.ts";
import { createLoggedEvents, type LoggedEventsDeps } from "../../telemetry/logged-events.ts";
import { type CronHpaSettings, createCronHpaController } from "./controller.ts";
import { type CronHpa, cronHpaResource, cronTargetKey, projectCronHpa } from "./cron-hpa.ts";
import type { RunDueJobDeps } from "./run-due-job.ts";

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
  Pick<LoggedEventsDeps, "eventTelemetry"> &
  Ownership & {
    readonly watch: Omit<WatchOptions, "resource" | "onError">;
    /** How often discovery is read for whether the kind is installed. */
    readonly discoveryMs: number;
    readonly registry: Registry;
    readonly random: () => number;
    readonly newId: () => string;
    readonly meter?: EntryMeter | undefined;
  };

export function createCronHpas(settings: CronHpaSettings | undefined, deps: CronHpasDeps): CronHpas {
  if (settings === undefined) return idle;
  const { clock, log, mapper, reading, owns, has, random } = deps;
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
    has,
    random,
    newId: deps.newId,
    meter: deps.meter,
  });
  let isStopped = false;
  let stopLooking = (): void => {};
  const run = async (): Promise<void> => {
    objects.start();
    // One namespace that cannot be listed holds up no other. It rejects when it is stopped before its first list.
    await waitForList(objects, objects.synced(), clock).catch(() => undefined);
    if (!isStopped) controller.start();
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

/** The state of each job as its object's status has it, of the objects whose targets are this process's. */
export function registerCronHpaTelemetry(
  registry: Registry,
  source: { readonly objects: () => readonly CronHpa[]; readonly holds: (targetKey: string) => boolean },
): void {
  define(registry).series(
    "plimsoll_cronhorizontalpodautoscaler_job_state",
    "1 for the job's state: Submitted, Succeed, or Failed.",
    ["namespace", "cronhorizontalpodautoscaler", "job_name", "state"],
    (gauge) => {
      for (const object of source.objects()) {
        if (!source.holds(cronTargetKey(object))) continue;
        const { namespace = "", name } = object.metadata;
        for (const { name: jobName, state } of object.status.conditions ?? [])
          gauge.set({ namespace, cronhorizontalpodautoscaler: name, job_name: jobName, state }, 1);
      }
    },
  );
}
