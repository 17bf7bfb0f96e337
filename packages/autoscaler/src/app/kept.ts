// What is kept of each object between its evaluations, and of all of them.
import type { Clock, Logger } from "@plimsoll/component-base";
import { summarize } from "@plimsoll/core";
import { createMutationCache, type MutationCache } from "@plimsoll/kube";
import type { Registry } from "prom-client";
import { type CoalescingQueue, createCoalescingQueue } from "../budget/coalescing-queue.ts";
import { createDecisionStore, type DecisionStore } from "../decisions/decision-log.ts";
import { openRecordDirectory } from "../decisions/record-files/record-directory.ts";
import { createRecordWriter, type RecordWriter } from "../decisions/record-files/record-writer.ts";
import type { Decide } from "../decisions/stored-decision.ts";
import type { ScalingObject } from "../objects/scaling-object.ts";
import type { AutoscalerConfig } from "../options/config.ts";
import type { Published } from "../reconcile/act/publish-status.ts";
import { createScaleTargetIndex, type ScaleTargetIndex } from "../reconcile/conflicts/scale-target-index.ts";
import { createStates, type States } from "../reconcile/remember/state.ts";
import { type Agreement, createAgreement } from "../shadow/agreement.ts";
import { createShadowTelemetry, registerAgreementRatio } from "../telemetry/shadow.ts";
import { createTelemetry, registerLostRecords, type Telemetry } from "../telemetry/telemetry.ts";
import type { Clients } from "./clients.ts";
import type { Informers } from "./informers.ts";

export interface Kept {
  readonly telemetry: Telemetry;
  readonly shadowTelemetry: ReturnType<typeof createShadowTelemetry>;
  readonly agreement: Agreement;
  readonly decisions: DecisionStore;
  /** Undefined: no records are written. */
  readonly records: RecordWriter | undefined;
  /** Statuses that wait in the queue. */
  readonly statuses: CoalescingQueue<Published>;
  readonly states: States;
  readonly scaleTargets: ScaleTargetIndex;
  readonly written: MutationCache<ScalingObject>;
}

export interface KeptDeps {
  readonly clock: Clock;
  readonly log: Logger;
  readonly registry: Registry;
  readonly decide: Decide;
  /** Of this process, in the names of files. */
  readonly identity: string;
  readonly clients: Pick<Clients, "budget">;
  readonly informers: Pick<Informers, "objects">;
}

/** With 10,000 steady objects of 15 pods each has its newest decision and one or two before. */
const maxHistoryBytes = 8 * 1024 * 1024;

export function createKept(config: AutoscalerConfig, deps: KeptDeps): Kept {
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
    states: createStates((key) => informers.objects.get(key) !== undefined, clock),
    scaleTargets: createScaleTargetIndex(),
    written: createMutationCache<ScalingObject>({ clock }),
  };
}

/** Undefined: no records are written. */
function recordWriter(
  { recordInputs }: Pick<AutoscalerConfig, "recordInputs">,
  { clock, log, registry, identity }: KeptDeps,
): RecordWriter | undefined {
  if (recordInputs === undefined) return undefined;
  const { directory, maxBytes } = recordInputs;
  const name = identity.replaceAll(/[^-\w.]/g, "_").slice(0, 80);
  const open = () => openRecordDirectory(directory);
  const records = createRecordWriter({ open, maxBytes, name, clock, log });
  registerLostRecords(registry, () => records.lost);
  return records;
}
