// The composition root: builds the autoscaler from its parts.
import { randomUUID } from "node:crypto";
import { readInline, shareSchedules } from "@plimsoll/calendars";
import { type Clock, createEntryMeter, type Logger, waitAtMost } from "@plimsoll/component-base";
import { decide } from "@plimsoll/core";
import type { ReportLeftOut } from "@plimsoll/kube";
import { Registry } from "prom-client";
import { warmTargets } from "../informers/warm-targets.ts";
import { createTargets } from "../informers/workloads.ts";
import { type Coordination, createCoordination, notLeadingText } from "../leadership/coordination.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import { createScheduleEvaluator } from "../schedules/schedule-evaluator.ts";
import { createScheduling } from "../schedules/scheduling.ts";
import { createAnnouncer } from "../server/announcer.ts";
import { createServing, type ServingAddress } from "../server/serving.ts";
import { define } from "../telemetry/define.ts";
import { createMetricsPages, type MetricsPages, textOf } from "../telemetry/metrics-page.ts";
import { objectSlices } from "../telemetry/object-telemetry.ts";
import { registerSizes } from "../telemetry/telemetry.ts";
import type { Autoscaler, AutoscalerDeps } from "./autoscaler.ts";
import { createClients } from "./clients.ts";
import { createEvaluations, type Evaluations } from "./evaluations.ts";
import { createInformers, type Informers } from "./informers.ts";
import { createLeftOutNotices, evaluatedKinds } from "./left-out-notices.ts";

const maxFlushMs = 5000;

/** Puts the parts together, each complete when it is made; nothing runs before start. */
export function createAutoscaler(config: AutoscalerConfig, deps: AutoscalerDeps): Autoscaler {
  const { client, log, random = Math.random, newId = randomUUID, registry = new Registry() } = deps;
  const clock = guardedClock(deps.clock, { registry, log });
  const meter = deps.meter ?? createEntryMeter();
  const stopping = new AbortController();
  const { signal } = stopping;
  const clients = createClients(config, { client, clock, random, log, registry, signal });
  const { reading, writing, mapper, events } = clients;
  const onLeftOut: ReportLeftOut = (resource, one) => leftOut.report(resource, one);
  const informers = createInformers(config, { client, clock, random, log, mapper, onLeftOut });
  const { hpas, wlas } = informers;
  const { identity = "autoscaler", hostname = "autoscaler" } = deps;
  const announcer = createAnnouncer(hostname, config.serving.secure?.advertiseAddress);
  const announcement = config.serving.secure === undefined ? {} : { announcement: announcer.current };
  const leases = { client: writing, clock, random, identity, log, ...announcement };
  const coordination = createCoordination(config.coordination, leases);
  const { owns, has } = coordination;
  const { calendarDirectory } = config;
  const shared = shareSchedules({ clock, calendarDirectory, runTask: deps.runTask ?? readInline });
  const schedules = createScheduleEvaluator({ clock, shared, meter });
  const targets = createTargets(config, { ...informers.watchOptions, log });
  const evaluations = createEvaluations(config, {
    clock,
    random,
    log,
    registry,
    decide: deps.decide ?? decide,
    clients,
    informers,
    targets,
    schedules,
    coordination,
    signal,
    identity,
    meter,
  });
  const { evaluator, foreignSelectors, decisions, agreement, statuses } = evaluations;
  const metrics = metricsOf({ informers, evaluations, coordination, registry, clock }, config.objectMetrics);
  const scheduling = createScheduling(config.cronHpa, {
    ...clients,
    random,
    newId,
    hpas,
    wlas,
    schedules: shared,
    targets,
    clock,
    log,
    registry,
    coordination,
    watchOf: informers.watchOptions,
    meter,
  });
  const serving = createServing(config.serving, {
    ...deps,
    readiness: () => [...informers.readiness(), { name: "evaluations", isReady: evaluator.isRunning }],
    registry,
    metrics,
    decisions,
    hasInputs: config.decisionInputs === "newest",
    shadow: agreement.summary,
    holders: coordination.holders,
    announcer,
    client: reading,
    clock,
    log,
    hostnames: deps.hostname === undefined ? [] : [deps.hostname],
  });
  const streams = { gained: serving.endStreams, lost: serving.endStreams };
  const kinds = evaluatedKinds(informers, config.manageHpas);
  const leftOut = createLeftOutNotices({ kinds, has, events, clock, log, registry });
  for (const follower of [evaluator, scheduling, streams, leftOut]) coordination.subscribe(follower);

  return { start, stop, sync, decisions, metrics: () => textOf(metrics.all), owns };

  async function start(): Promise<ServingAddress> {
    const bound = await serving.listen();
    informers.start();
    informers.settled().then(begin, (error: unknown) => {
      if (!signal.aborted) log.error({ err: error }, "stopped before watches were established");
    });
    return bound;
  }

  function begin(): void {
    if (signal.aborted) return;
    evaluator.start();
    if (config.coordination.mode === "shards") foreignSelectors.start();
    coordination.start();
    scheduling.start();
    const { length } = hpas.list();
    log.info({ horizontalPodAutoscalers: length, pods: informers.pods.list().length }, "evaluating");
    warmTargets({ objects: informers.objects, mapper, targets });
  }

  async function stop(): Promise<void> {
    stopping.abort();
    schedules.stop();
    await Promise.all([evaluator.stop(), foreignSelectors.stop(), scheduling.stop()]);
    // What is left to write is worth a short wait at the end, not a long one.
    await waitAtMost(clock, maxFlushMs, statuses.close());
    await coordination.stop();
    await Promise.all([informers.stop(), targets.stop()]);
    await events.close();
    await waitAtMost(clock, maxFlushMs, evaluations.records?.stop() ?? Promise.resolve());
    await serving.close();
  }

  async function sync(): Promise<void> {
    await informers.synced();
    if (coordination.owned === 0) throw new Error(notLeadingText);
    await evaluator.evaluateAll();
    await statuses.flush();
    await events.flush();
  }
}

/** What is served at /metrics. */
function metricsOf(
  parts: {
    readonly informers: Informers;
    readonly evaluations: Evaluations;
    readonly coordination: Coordination;
    readonly registry: Registry;
    readonly clock: Clock;
  },
  objectMetrics: AutoscalerConfig["objectMetrics"],
): MetricsPages {
  const { informers, evaluations, coordination, registry, clock } = parts;
  const { hpas, objects, wlas } = informers;
  const { decisions, runs, states, telemetry } = evaluations;
  registerSizes(registry, {
    objects: () => hpas.list().length,
    workloadAutoscalers: () => wlas.list().length,
    waiting: () => runs.waiting,
    slow: () => runs.slow,
    yielded: () => states.yielded,
    ownedShards: () => coordination.owned,
  });
  const source = { decisions, objects, wlas, holds: coordination.owns, clock };
  return createMetricsPages(registry, [telemetry.desiredSlices, () => objectSlices(objectMetrics, source)]);
}

/** The same clock, on which an exception in a timer is counted and logged: it ends neither the process nor the others. */
export function guardedClock(
  clock: Clock,
  { registry, log }: { readonly registry: Registry; readonly log: Pick<Logger, "error"> },
): Clock {
  const crashed = define(registry).counter(
    "plimsoll_crashed_timers_total",
    "Timers that threw an unexpected exception.",
  );
  return {
    ...clock,
    after: (delayMs, run) =>
      clock.after(delayMs, () => {
        try {
          run();
        } catch (error) {
          crashed.inc();
          log.error({ err: error }, "a timer crashed; other timers are not affected");
        }
      }),
  };
}
