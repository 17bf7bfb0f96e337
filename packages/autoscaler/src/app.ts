import { decide as decideByCore } from "@plimsoll/core";
import { type Clock, createEventRecorder, createRestMapper, type KubeClient } from "@plimsoll/kube";
import { Registry } from "prom-client";
import { withoutBoundsWlas } from "./bounds/bounds-wla.ts";
import { createBudget } from "./budget/budget.ts";
import { createStatusOutbox } from "./budget/status-outbox.ts";
import { createCoordination, leaseFailureText, nothingHeldText } from "./coordination/coordination.ts";
import { asFieldManager, inTime, withDeadline } from "./deadline.ts";
import { discoveryPace } from "./discovery-pace.ts";
import { apiErrorText } from "./errors.ts";
import { createDecisionStore, type DecisionLog } from "./explain/decision-log.ts";
import { referenceTo } from "./hpa/act/act.ts";
import type { Published } from "./hpa/act/publish-status.ts";
import { createController } from "./hpa/controller.ts";
import type { DisputeDeps } from "./hpa/dispute.ts";
import { createSelectorReader } from "./hpa/gather/read-selector.ts";
import { createTargetCache } from "./hpa/gather/target-cache.ts";
import { createHpaProjection, hpaResource, type NativeHpa } from "./hpa/native-hpa.ts";
import { type Decide, type ReconcileDeps, reconcile } from "./hpa/reconcile.ts";
import { createRecords } from "./hpa/records.ts";
import { createRivals } from "./hpa/rivals.ts";
import { createServing, type ServingAddress } from "./http/serving.ts";
import type { Logger } from "./log.ts";
import { createMetricsClient } from "./metrics-client/client.ts";
import { shareForMoment } from "./metrics-client/share.ts";
import { registerObjectTelemetry } from "./object-telemetry.ts";
import { joinObjects } from "./objects.ts";
import type { AutoscalerConfig } from "./options/config.ts";
import { createPodIndex } from "./pods/pod-index.ts";
import { createPodProjection, type PodView } from "./pods/pod-view.ts";
import { createScheduleBook } from "./schedules/book.ts";
import { createCalendarFiles } from "./schedules/calendar-files.ts";
import { createScheduleReader } from "./schedules/reader.ts";
import { createScheduling } from "./scheduling.ts";
import { createAgreement } from "./shadow/agreement.ts";
import { createShadowTelemetry } from "./shadow/telemetry.ts";
import { createTelemetry } from "./telemetry.ts";
import { createWatch } from "./watch.ts";
import { onceEach, watchErrorTeller } from "./watch-error.ts";
import { wlasSynced } from "./wla/synced.ts";
import { projectWla, wlaResource } from "./wla/workload-autoscaler.ts";

export interface AutoscalerDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: Logger;
  /** Unlike that of any other process that takes part. */
  readonly identity?: string;
  /** For a serving certificate of our own. */
  readonly hostname?: string;
  /** 0 ≤ x < 1; for jitter only. */
  readonly random?: () => number;
  /** Where metrics are registered; a new one when absent. */
  readonly registry?: Registry;
  /** The decision function; core's when absent. */
  readonly decide?: Decide;
}

export interface Autoscaler {
  /** Serves at once; evaluations begin when HPAs and pods are known. */
  start(): Promise<ServingAddress>;
  /** Lets evaluations under way end, then closes everything. */
  stop(): Promise<void>;
  /**
   * Evaluates every HPA once now; resolves when all its writes are done. Only after start.
   * @throws Error while another process, or none, leads.
   */
  sync(): Promise<void>;
  readonly decisions: DecisionLog;
}

/** A sample is at most so much older than the decision. */
const longestMomentMs = 1000;
const longestFlushMs = 5000;

/** Puts the parts together; nothing runs before start. */
export function createAutoscaler(config: AutoscalerConfig, deps: AutoscalerDeps): Autoscaler {
  const { clock, log, random = Math.random, registry = new Registry() } = deps;
  const stopping = new AbortController();
  // A stop ends what only reads; what writes is brought to its end.
  const budget = createBudget(config.budget, { clock, registry });
  const reading = budget.reading(withDeadline(deps.client, config.requestTimeoutMs, stopping.signal));
  const writing = asFieldManager(withDeadline(deps.client, config.requestTimeoutMs));
  const discoveryMs = discoveryPace(config.syncPeriodMs);
  const mapper = createRestMapper({
    client: reading,
    clock,
    maxAgeMs: discoveryMs,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "discovery is not complete"),
  });
  const statuses = createStatusOutbox<Published>(budget.writes);
  const events = createEventRecorder({
    client: budget.writing(writing, "told"),
    component: "horizontal-pod-autoscaler",
    clock,
    onError: (error) => log.warn({ error: apiErrorText(error) }, "could not record an event"),
  });
  const tellOf = (resource: string) => watchErrorTeller(resource, log);
  const watchOf = { client: deps.client, clock, random: deps.random, namespaces: config.namespaces };
  const hpas = createWatch<NativeHpa>({
    ...watchOf,
    resource: hpaResource,
    project: createHpaProjection(),
    onError: tellOf("horizontalpodautoscalers"),
  });
  const pods = createWatch<PodView>({
    ...watchOf,
    resource: { group: "", version: "v1", resource: "pods" },
    project: createPodProjection(),
    onError: tellOf("pods"),
  });
  const wlas = createWatch<NativeHpa>({
    ...watchOf,
    resource: wlaResource,
    project: projectWla,
    onError: onceEach(tellOf("workloadautoscalers")),
  });
  const objects = joinObjects(hpas, withoutBoundsWlas(wlas));
  const podIndex = createPodIndex(pods.list, (space) => hpas.list(space).length + wlas.list(space).length);
  const records = createRecords();
  const rivals = createRivals();
  const decisions = createDecisionStore(config.decisionHistory);
  const agreement = createAgreement({
    periodMs: config.syncPeriodMs,
    onResult: (key, result, difference) => shadowTelemetry.result(key, result, difference),
  });
  const shadowTelemetry = createShadowTelemetry(registry, () => agreement);
  const share = shareForMoment(clock, Math.min(longestMomentMs, config.syncPeriodMs / 15));
  const controller = createController({
    onStatus: (key, hpa) => agreement.observed(key, hpa.status, clock.nowMs()),
    onForgotten(key) {
      statuses.drop(key);
      schedules.drop(key);
      agreement.drop(key);
      shadowTelemetry.drop(key);
    },
    objects,
    pods,
    podIndex,
    records,
    rivals,
    decisions,
    telemetry: () => telemetry,
    holds: (key) => coordination.holds(key),
    share,
    evaluate: (key, share) => reconcile(key, share, reconcileDeps),
    clock,
    log,
    periodMs: config.syncPeriodMs,
    concurrency: config.concurrentSyncs,
  });
  const calendars = createCalendarFiles(config.calendarDirectory, clock);
  const reader = createScheduleReader(calendars);
  const schedules = createScheduleBook({ clock, ring: controller.wake, reader });
  const coordination = createCoordination(config.coordination, {
    client: writing,
    clock,
    random,
    identity: deps.identity ?? "autoscaler",
    onGained(isMine) {
      log.info({ held: coordination.held, slots: coordination.slots }, "objects gained");
      controller.gained(isMine);
      scheduling.gained();
    },
    onLost(wasMine) {
      log.info({ held: coordination.held, slots: coordination.slots }, "objects lost");
      controller.lost(wasMine);
      scheduling.lost();
    },
    onError: (error) =>
      log.warn({ error: apiErrorText(error) }, leaseFailureText(config.coordination, error)),
  });
  const telemetry = createTelemetry(registry, {
    objects: () => hpas.list().length,
    workloadAutoscalers: () => wlas.list().length,
    waiting: () => controller.queue.waiting,
    slow: () => controller.queue.slow,
    yielded: () => records.yielded,
    slotsHeld: () => coordination.held,
  });
  const shown = { decisions, objects, wlas, holds: coordination.holds, clock };
  if (config.objectMetrics) registerObjectTelemetry(registry, shown);
  const targets = createTargetCache({
    client: deps.client,
    clock,
    random: deps.random,
    namespaces: config.namespaces,
    isWatching: config.watchScaleTargets,
    onError: (resource, error) => tellOf(resource)(error),
  });
  const dispute: DisputeDeps = {
    client: reading,
    clock,
    log,
    periodMs: config.syncPeriodMs,
    windowMs: config.downscaleStabilizationMs,
    warn: (hpa, event) => events.record(referenceTo(hpa), { type: "Warning", ...event }),
    onYield: telemetry.yielded,
  };
  const reconcileDeps: ReconcileDeps = {
    gather: {
      isThere: (key) => objects.get(key) !== undefined,
      client: reading,
      mapper,
      targets,
      clock,
      pods: podIndex,
      selectorOf: createSelectorReader(),
      metrics: createMetricsClient({
        client: reading,
        mapper,
        batches: share,
        onCall: telemetry.metricsApiCall,
      }),
    },
    act: { client: writing, clock, random, log, events, targets, budget: budget.writes },
    publish: { client: writing, outbox: statuses, events, dispute },
    decide: deps.decide ?? decideByCore,
    options: {
      tolerance: config.tolerance,
      cpuInitializationPeriodMs: config.cpuInitializationPeriodMs,
      initialReadinessDelayMs: config.initialReadinessDelayMs,
      downscaleStabilizationMs: config.downscaleStabilizationMs,
    },
    manageHpas: config.manageHpas,
    clock,
    log,
    records,
    decisions,
    telemetry,
    agreement,
    rivals,
    withSchedules: schedules.withSchedules,
    holds: (key) => coordination.holds(key),
    dispute,
    signal: stopping.signal,
    watched: objects.get,
  };
  const parts = { hpas, wlas, calendars, reading, mapper, targets, clock, log, registry, discoveryMs };
  const scheduling = createScheduling(config.cronHpa, { ...parts, writing, budget, coordination, watchOf });
  const serving = createServing(config.serving, {
    readiness: () => [
      { name: "horizontalpodautoscalers", isReady: hpas.isSynced },
      { name: "pods", isReady: pods.isSynced },
      { name: "evaluations", isReady: controller.isRunning },
    ],
    registry,
    decisions,
    shadow: agreement.summary,
    client: reading,
    clock,
    log,
    hostnames: deps.hostname === undefined ? [] : [deps.hostname],
  });

  return { start, stop, sync, decisions };

  async function start(): Promise<ServingAddress> {
    const bound = await serving.listen();
    pods.start();
    hpas.start();
    wlas.start();
    synced().then(begin, (error: unknown) => {
      if (!stopping.signal.aborted) log.error({ err: error }, "watches ended before they began");
    });
    return bound;
  }

  function begin(): void {
    if (stopping.signal.aborted) return;
    controller.start();
    coordination.start();
    scheduling.start();
    log.info({ horizontalPodAutoscalers: hpas.list().length, pods: pods.list().length }, "evaluating");
  }

  async function stop(): Promise<void> {
    stopping.abort();
    schedules.stop();
    await Promise.all([controller.stop(), scheduling.stop()]);
    // What is left to write is worth a short wait at the end, not a long one.
    await inTime(clock, longestFlushMs, statuses.close());
    await coordination.stop();
    await Promise.all([hpas.stop(), wlas.stop(), pods.stop(), targets.stop()]);
    await inTime(clock, longestFlushMs, events.flush());
    await serving.close();
  }

  async function sync(): Promise<void> {
    await synced();
    if (coordination.held === 0) throw new Error(nothingHeldText);
    await controller.evaluateAll();
    await statuses.flush();
    await events.flush();
  }

  async function synced(): Promise<void> {
    await Promise.all([hpas.synced(), pods.synced(), wlasSynced(wlas, mapper)]);
  }
}
