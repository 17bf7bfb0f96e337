// Wires the evaluation loop: controller, reconcile steps, state and decision log.
import type { EntryMeter } from "@plimsoll/component-base";
import {
  createMetricsClient,
  createSelectorReader,
  type GatherDeps,
  logBatches,
  momentOf,
  observeSelector,
  type ScaleTarget,
  type Share,
  shareForMoment,
  type TargetCache,
} from "@plimsoll/observe";
import type { Coordination } from "../leadership/coordination.ts";
import { referenceTo } from "../objects/reference.ts";
import { isWlaKey, keyOf, splitKey } from "../objects/scaling-object.ts";
import { type AutoscalerConfig, controllerOptions } from "../options/config.ts";
import { act } from "../reconcile/act/act.ts";
import { createPermit, type Permit } from "../reconcile/act/permit.ts";
import { publishStatus } from "../reconcile/act/publish-status.ts";
import { createForeignSelectors, type ForeignSelectors } from "../reconcile/conflicts/foreign-selectors.ts";
import { readReplicasWriter } from "../reconcile/conflicts/replicas-writer.ts";
import { createReadCurrent, type ReadCurrent } from "../reconcile/current-object.ts";
import { evaluate } from "../reconcile/evaluate/evaluate.ts";
import type { Plan } from "../reconcile/evaluate/plan.ts";
import { createRuns, type Runs } from "../reconcile/evaluation-controller.ts";
import {
  createObjectEvaluator,
  isEdited,
  type ObjectEvaluator,
  type ObjectListener,
} from "../reconcile/object-evaluator.ts";
import { observe, observedObject } from "../reconcile/observe.ts";
import { type ReconcileSteps, reconcile } from "../reconcile/reconcile.ts";
import { remember } from "../reconcile/remember/remember.ts";
import { report } from "../reconcile/report.ts";
import type { ScheduleEvaluator } from "../schedules/schedule-evaluator.ts";
import { meterEntries, registerEntries } from "../telemetry/entries.ts";
import type { Clients } from "./clients.ts";
import type { Informers } from "./informers.ts";
import { createKept, type Kept, type KeptDeps } from "./kept.ts";

/** What evaluates the objects, and what is kept of them. */
export interface Evaluations
  extends Pick<Kept, "agreement" | "decisions" | "records" | "states" | "statuses" | "telemetry"> {
  readonly evaluator: ObjectEvaluator;
  readonly foreignSelectors: ForeignSelectors;
  readonly runs: Pick<Runs, "waiting" | "slow">;
}

export interface EvaluationsDeps extends KeptDeps {
  readonly random: () => number;
  readonly clients: Clients;
  readonly informers: Informers;
  readonly targets: TargetCache;
  readonly schedules: ScheduleEvaluator;
  readonly coordination: Pick<Coordination, "owns" | "has" | "owned">;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
  readonly meter: EntryMeter;
}

export function createEvaluations(config: AutoscalerConfig, deps: EvaluationsDeps): Evaluations {
  const { clock, schedules } = deps;
  const { objects } = deps.informers;
  const { owns, has } = deps.coordination;
  const kept = createKept(config, deps);
  const readCurrent = createReadCurrent({
    watched: objects.get,
    newest: kept.written.newest,
    owns,
    states: kept.states,
    schedules,
    manageHpas: config.manageHpas,
    clock,
  });
  const share = shareForMoment(clock, momentOf(config.syncPeriodMs));
  const parts = { ...deps, ...kept, readCurrent, share };
  const gather = gatherDeps(config, parts);
  const steps: ReconcileSteps = {
    observe: observing(config, gather, parts),
    evaluate: evaluating(config, deps),
    act: acting(parts),
    remember: (plan, applied) => remember(plan, applied, parts),
    report: (evaluation) => report(evaluation, parts),
  };
  const runs = createRuns({
    ...parts,
    evaluate: (key, share) => reconcile(key, share, steps),
    onCrashing: (key, message) => reportCrashing(key, message, parts),
    periodMs: config.syncPeriodMs,
    concurrency: config.concurrentSyncs,
  });
  const evaluator = createObjectEvaluator({ objects, owns, has, runs, listener: listenerOf(kept, deps) });
  schedules.subscribe(evaluator.enqueue);
  const foreignSelectors = createForeignSelectors({
    ...deps,
    objects,
    owns,
    isActive: () => deps.coordination.owned > 0,
    read: (object) => observeSelector(observedObject(object), gather),
    periodMs: config.syncPeriodMs,
  });
  meterEvaluations({ foreignSelectors, runs, ...kept }, deps);
  return { evaluator, foreignSelectors, runs, ...kept };
}

/** Adds everything that is kept of single objects. */
function meterEvaluations(
  parts: Kept & Pick<Evaluations, "foreignSelectors"> & { readonly runs: Pick<Runs, "entries"> },
  { informers, meter, registry }: Pick<EvaluationsDeps, "informers" | "meter" | "registry">,
): void {
  registerEntries(registry, meter);
  const { agreement, decisions, scaleTargets, states, statuses, telemetry, written } = parts;
  meterEntries(meter, "objects", {
    known: informers.objects.entries,
    selectors: informers.podIndex.entries,
    targets: scaleTargets.entries,
    states: states.entries,
    written: written.entries,
    decisions: decisions.entries,
    rows: decisions.rows.entries,
    statuses: statuses.entries,
    series: telemetry.entries,
    shadow: agreement.entries,
  });
  meterEntries(meter, "evaluations", parts.runs.entries);
  meterEntries(meter, "selectors", parts.foreignSelectors.entries);
}

function listenerOf(kept: Kept, { clock, informers, schedules }: EvaluationsDeps): ObjectListener {
  const { agreement, scaleTargets, states, written } = kept;
  const ofOwned = [kept.decisions, kept.statuses, kept.telemetry, kept.shadowTelemetry, agreement, schedules];
  const ofKnown = [scaleTargets, states, written];
  return {
    onChange(object, previous) {
      scaleTargets.put(object);
      // A status is written onto the last edit: one that the watch shows later came after it, also with a lower version.
      if (previous !== undefined && isEdited(previous, object)) written.drop(keyOf(object));
      if (previous?.status !== object.status) agreement.observed(keyOf(object), object.status, clock.nowMs());
    },
    onReleased(key) {
      for (const part of ofOwned) part.drop(key);
    },
    onLost: states.reset,
    decidedAgoMs: states.decidedAgoMs,
    onDeleted(key) {
      informers.podIndex.drop(splitKey(key).namespace, key);
      for (const part of ofKnown) part.drop(key);
    },
  };
}

interface Current {
  readonly readCurrent: ReadCurrent;
}

/** Nothing is written about an HPA that another controller manages. */
function reportCrashing(
  key: string,
  message: string,
  { clients, readCurrent }: Current & Pick<EvaluationsDeps, "clients">,
): void {
  const current = readCurrent(key);
  if (current === undefined || !(current.mode === "active" || isWlaKey(key))) return;
  const event = { type: "Warning", reason: "EvaluationCrashed", message } as const;
  clients.events.record(referenceTo(current.object), event);
}

function observing(
  config: AutoscalerConfig,
  gather: GatherDeps,
  deps: Current &
    Pick<Kept, "states" | "scaleTargets"> &
    Pick<EvaluationsDeps, "clients" | "clock" | "informers" | "log" | "signal">,
): ReconcileSteps["observe"] {
  const observeDeps = {
    ...deps,
    gather,
    readReplicasWriter: (target: ScaleTarget, namespace: string) =>
      readReplicasWriter(target, namespace, { client: deps.clients.reading, log: deps.log }),
    podsKnown: deps.informers.podsKnown,
    periodMs: config.syncPeriodMs,
  };
  return (key, pass) => observe(key, pass, observeDeps);
}

function evaluating(
  config: AutoscalerConfig,
  { clock, decide }: Pick<EvaluationsDeps, "clock" | "decide">,
): ReconcileSteps["evaluate"] {
  const deps = {
    clock,
    decide,
    options: controllerOptions(config),
    manageHpas: config.manageHpas,
    periodMs: config.syncPeriodMs,
  };
  return (observation) => evaluate(observation, deps);
}

function acting(
  deps: Current &
    Pick<Kept, "states" | "statuses" | "written"> &
    Pick<EvaluationsDeps, "clients" | "clock" | "informers" | "log" | "random" | "targets">,
): ReconcileSteps["act"] {
  const { writing: client, budget, events } = deps.clients;
  const publishDeps = {
    ...deps,
    client,
    queue: deps.statuses,
    events,
    isKnown: (key: string) => deps.informers.objects.get(key) !== undefined,
  };
  const actDeps = {
    ...deps,
    client,
    events,
    budget: budget.writes,
    publish: (plan: Plan, permit: Permit) => publishStatus(plan, permit, publishDeps),
  };
  return (plan) => act(plan, createPermit(plan, deps.readCurrent), actDeps);
}

function gatherDeps(
  config: AutoscalerConfig,
  deps: Pick<Kept, "telemetry"> &
    Pick<EvaluationsDeps, "clients" | "clock" | "informers" | "log" | "random" | "targets"> & {
      readonly share: Share;
    },
): GatherDeps {
  const { clock, random, log, clients, informers, targets, telemetry, share } = deps;
  const { reading: client, mapper } = clients;
  return {
    options: controllerOptions(config),
    isThere: (key) => informers.objects.get(key) !== undefined,
    client,
    mapper,
    targets,
    clock,
    pods: informers.podIndex,
    selectorOf: createSelectorReader(clock),
    metrics: createMetricsClient({
      client,
      mapper,
      batches: share,
      clock,
      random,
      ...logBatches(log),
      onCall: telemetry.metricsApiCall,
    }),
  };
}
