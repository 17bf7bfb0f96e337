// Wires the evaluation loop: controller, reconcile steps, state and decision log.
import type { Clock, EntryMeter, Logger } from "@plimsoll/component-base";
import { summarize } from "@plimsoll/core";
import { createMutationCache, type MutationCache } from "@plimsoll/kube";
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
import type { Registry } from "prom-client";
import { type CoalescingQueue, createCoalescingQueue } from "../budget/coalescing-queue.ts";
import { createDecisionStore, type DecisionStore } from "../decisions/decision-log.ts";
import type { RecordWriter } from "../decisions/record-files/record-writer.ts";
import type { Coordination } from "../leadership/coordination.ts";
import { referenceTo } from "../objects/reference.ts";
import { isWlaKey, keyOf, type ScalingObject, splitKey } from "../objects/scaling-object.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import { controllerOptions } from "../options/controller-options.ts";
import { act } from "../reconcile/act/act.ts";
import { createPermit, type Permit } from "../reconcile/act/permit.ts";
import { type Published, publishStatus } from "../reconcile/act/publish-status.ts";
import { createForeignSelectors, type ForeignSelectors } from "../reconcile/conflicts/foreign-selectors.ts";
import { readReplicasWriter } from "../reconcile/conflicts/replicas-writer.ts";
import { createScaleTargetIndex, type ScaleTargetIndex } from "../reconcile/conflicts/scale-target-index.ts";
import { createReadCurrent, type ReadCurrent } from "../reconcile/current-object.ts";
import { type Decide, evaluate } from "../reconcile/evaluate/evaluate.ts";
import type { Plan } from "../reconcile/evaluate/plan.ts";
import { createRuns, type Runs } from "../reconcile/evaluation-controller.ts";
import {
  createObjectEvaluator,
  type ObjectEvaluator,
  type ObjectListener,
} from "../reconcile/object-evaluator.ts";
import { observe, observedObject } from "../reconcile/observe.ts";
import { type ReconcileSteps, reconcile } from "../reconcile/reconcile.ts";
import { remember } from "../reconcile/remember/remember.ts";
import { createStates, type States } from "../reconcile/remember/state.ts";
import { report } from "../reconcile/report.ts";
import type { ScheduleEvaluator } from "../schedules/schedule-evaluator.ts";
import { type Agreement, createAgreement } from "../shadow/agreement.ts";
import { createShadowTelemetry, registerAgreementRatio } from "../shadow/telemetry.ts";
import { meterEntries, registerEntries } from "../telemetry/entries.ts";
import { createTelemetry, type Telemetry } from "../telemetry/telemetry.ts";
import type { Clients } from "./clients.ts";
import type { Informers } from "./informers.ts";
import { recordWriter } from "./record-writer.ts";

/** What evaluates the objects, and what is kept of them. */
export interface Evaluations {
  readonly evaluator: ObjectEvaluator;
  readonly foreignSelectors: ForeignSelectors;
  readonly runs: Pick<Runs, "waiting" | "slow">;
  readonly decisions: DecisionStore;
  /** Undefined: no records are written. */
  readonly records: RecordWriter | undefined;
  readonly agreement: Agreement;
  readonly states: States;
  readonly telemetry: Telemetry;
  /** Statuses that wait in the queue. */
  readonly statuses: CoalescingQueue<Published>;
}

export interface EvaluationsDeps {
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly registry: Registry;
  readonly decide: Decide;
  readonly clients: Clients;
  readonly informers: Informers;
  readonly targets: TargetCache;
  readonly schedules: ScheduleEvaluator;
  readonly coordination: Pick<Coordination, "owns" | "owned">;
  /** Aborted when the process stops. */
  readonly signal: AbortSignal;
  /** Of this process, in the names of files. */
  readonly identity: string;
  readonly meter: EntryMeter;
}

export function createEvaluations(config: AutoscalerConfig, deps: EvaluationsDeps): Evaluations {
  const { clock, log, clients, schedules } = deps;
  const { objects } = deps.informers;
  const { owns } = deps.coordination;
  const kept = createKept(config, deps);
  const { states, telemetry, written } = kept;
  const readCurrent = createReadCurrent({
    watched: objects.get,
    newest: written.newest,
    owns,
    states,
    schedules,
    manageHpas: config.manageHpas,
    clock,
  });
  const share = shareForMoment(clock, momentOf(config.syncPeriodMs));
  const stepDeps = { ...deps, ...kept, readCurrent, share };
  const gather = gatherDeps(config, stepDeps);
  const steps = createSteps(config, gather, stepDeps);
  const runs = createRuns({
    evaluate: (key, share) => reconcile(key, share, steps),
    onCrashing(key, message) {
      const current = readCurrent(key);
      // Nothing is written about an HPA that another controller manages.
      if (current === undefined || !(current.mode === "active" || isWlaKey(key))) return;
      const event = { type: "Warning", reason: "EvaluationCrashed", message } as const;
      clients.events.record(referenceTo(current.object), event);
    },
    share,
    telemetry,
    clock,
    random: deps.random,
    log,
    periodMs: config.syncPeriodMs,
    concurrency: config.concurrentSyncs,
  });
  const evaluator = createObjectEvaluator({ objects, owns, runs, listener: listenerOf(kept, deps) });
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

/** With 10,000 steady objects of 15 pods each has its newest decision and one or two before. */
const maxHistoryBytes = 8 * 1024 * 1024;

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

/** What is kept of each object, and of all of them. */
interface Kept {
  readonly telemetry: Telemetry;
  readonly shadowTelemetry: ReturnType<typeof createShadowTelemetry>;
  readonly agreement: Agreement;
  readonly decisions: DecisionStore;
  readonly records: RecordWriter | undefined;
  readonly statuses: CoalescingQueue<Published>;
  readonly states: States;
  readonly scaleTargets: ScaleTargetIndex;
  readonly written: MutationCache<ScalingObject>;
}

function createKept(config: AutoscalerConfig, deps: EvaluationsDeps): Kept {
  const { registry, clock, clients, informers } = deps;
  const shadowTelemetry = createShadowTelemetry(registry);
  const agreement = createAgreement({ periodMs: config.syncPeriodMs, onResult: shadowTelemetry.result });
  registerAgreementRatio(registry, agreement);
  return {
    telemetry: createTelemetry(registry),
    shadowTelemetry,
    agreement,
    decisions: createDecisionStore({
      keep: config.decisionHistory,
      historyBytes: maxHistoryBytes,
      inputs: config.decisionInputs === "newest",
      decide: deps.decide,
      summarize,
    }),
    records: recordWriter(config, deps),
    statuses: createCoalescingQueue<Published>(clients.budget.writes),
    states: createStates((key) => informers.objects.get(key) !== undefined),
    scaleTargets: createScaleTargetIndex(),
    written: createMutationCache<ScalingObject>({ clock }),
  };
}

function listenerOf(kept: Kept, { clock, informers, schedules }: EvaluationsDeps): ObjectListener {
  const { agreement, scaleTargets, states, written } = kept;
  const ofOwned = [kept.decisions, kept.statuses, kept.telemetry, kept.shadowTelemetry, agreement, schedules];
  const ofKnown = [scaleTargets, states, written];
  return {
    onChange(object, previous) {
      scaleTargets.put(object);
      if (previous?.status !== object.status) agreement.observed(keyOf(object), object.status, clock.nowMs());
    },
    onReleased(key) {
      for (const part of ofOwned) part.drop(key);
    },
    onLost: states.reset,
    onDeleted(key) {
      informers.podIndex.drop(splitKey(key).namespace, key);
      for (const part of ofKnown) part.drop(key);
    },
  };
}

interface StepDeps extends EvaluationsDeps, Kept {
  readonly readCurrent: ReadCurrent;
  readonly share: Share;
}

function createSteps(config: AutoscalerConfig, gather: GatherDeps, deps: StepDeps): ReconcileSteps {
  const { clock, random, log, clients, targets, states, readCurrent, statuses, written } = deps;
  const { reading, writing, budget, events } = clients;
  const observeDeps = {
    readCurrent,
    states,
    gather,
    scaleTargets: deps.scaleTargets,
    readReplicasWriter: (target: ScaleTarget, namespace: string) =>
      readReplicasWriter(target, namespace, { client: reading, log }),
    clock,
    periodMs: config.syncPeriodMs,
    signal: deps.signal,
  };
  const evaluateDeps = {
    decide: deps.decide,
    options: controllerOptions(config),
    manageHpas: config.manageHpas,
    clock,
    periodMs: config.syncPeriodMs,
    windowMs: config.downscaleStabilizationMs,
  };
  const isKnown = (key: string) => deps.informers.objects.get(key) !== undefined;
  const publishDeps = {
    client: writing,
    queue: statuses,
    events,
    states,
    written,
    isKnown,
    readCurrent,
    clock,
  };
  const actDeps = {
    client: writing,
    clock,
    random,
    log,
    targets,
    events,
    budget: budget.writes,
    publish: (plan: Plan, permit: Permit) => publishStatus(plan, permit, publishDeps),
  };
  return {
    observe: (key, pass) => observe(key, pass, observeDeps),
    evaluate: (observation) => evaluate(observation, evaluateDeps),
    act: (plan) => act(plan, createPermit(plan, readCurrent), actDeps),
    remember: (plan, applied) => remember(plan, applied, { states, clock }),
    report: (evaluation) => report(evaluation, deps),
  };
}

function gatherDeps(config: AutoscalerConfig, deps: StepDeps): GatherDeps {
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
