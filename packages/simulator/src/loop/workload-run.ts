// One workload in a run, from event to event.
import type { DecideInput, DecideResult, HpaMemory } from "@plimsoll/core";
import type { PodModel } from "../scenario.ts";
import type { ReplicaChange } from "../score/scores.ts";
import type { WorkloadParts } from "./workload-parts.ts";

/** A workload while it runs. */
export interface WorkloadRun {
  readonly parts: WorkloadParts;
  readonly syncs: number;
  /** When something happens in it; Infinity: never again. */
  nextMs(): number;
  /** Brings its requests up to an instant, before something happens to it. */
  advance(atMs: number): void;
  /** Does what is due at `nextMs()`. At equal instants: pods, scrapes, the sync, and what that changes. */
  step(atMs: number): void;
  /** What came before does not count. */
  begin(): void;
}

/** One decision while it is made: valid until the callback returns, but for what it refers to. */
export interface SyncView {
  /** Position in the scenario. */
  readonly workload: number;
  readonly atMs: number;
  readonly input: DecideInput;
  /** What `decide` was given. */
  readonly memory: HpaMemory | undefined;
  readonly result: DecideResult;
}

/** When it syncs first, how long it takes until pods follow, and who watches. */
export interface WorkloadRunOptions {
  readonly index: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly firstSyncMs: number;
  readonly slipMs: number;
  readonly reactionMs: number;
  readonly onSync: ((sync: SyncView) => void) | undefined;
}

/** Between two looks at the memory of containers with a limit. */
const memoryLookMs = 5000;

function hasMemoryLimit({ limits, memory }: PodModel): boolean {
  return limits.memory !== undefined && memory.perInFlight > 0;
}

/** A workload before its first event. */
export function createWorkloadRun(parts: WorkloadParts, options: WorkloadRunOptions): WorkloadRun {
  const { moving, pods, measurements, loop, time, changes, series } = parts;
  const { flow } = moving;
  const { startMs, endMs, onSync } = options;
  let [desired, syncs, actMs] = [parts.workload.replicas, 0, Infinity];
  let wasScheduled: boolean | undefined;
  let syncMs = loop === undefined ? Infinity : options.firstSyncMs;
  let memoryMs = hasMemoryLimit(parts.workload.pod) ? startMs : Infinity;

  const nextMs = (): number => Math.min(pods.nextMs, measurements.nextMs, syncMs, actMs, memoryMs);
  const advance = (atMs: number): void => {
    time.advance(Math.min(atMs, endMs), desired);
    moving.advance(atMs);
  };
  const scale = (change: ReplicaChange): void => {
    changes.add(change);
    desired = change.to;
    actMs = Math.min(actMs, change.atMs + options.reactionMs);
  };
  const sync = (atMs: number): void => {
    if (loop === undefined) return;
    const made = loop.sync({ atMs, specReplicas: desired, pods, measurements });
    const { scaleTo } = made.result.decision;
    if (scaleTo !== undefined) scale({ atMs, from: desired, to: scaleTo });
    series?.desired(atMs, desired);
    if (loop.isScheduled !== undefined && loop.isScheduled !== wasScheduled)
      series?.scheduled(atMs, (wasScheduled = loop.isScheduled));
    onSync?.({ workload: options.index, atMs, ...made });
    syncs++;
    syncMs = atMs + loop.periodMs + options.slipMs;
  };
  return {
    parts,
    get syncs() {
      return syncs;
    },
    nextMs,
    advance,
    step(atMs) {
      advance(atMs);
      if (pods.nextMs <= atMs) pods.step(atMs);
      if (measurements.nextMs <= atMs) measurements.step(atMs, flow);
      if (memoryMs <= atMs) {
        pods.endOverLimit(atMs);
        memoryMs = atMs + memoryLookMs;
      }
      if (syncMs <= atMs) sync(atMs);
      if (actMs > atMs) return;
      actMs = Infinity;
      pods.scaleTo(atMs, desired);
    },
    begin() {
      advance(startMs);
      parts.meter.isOn = true;
      time.begin(startMs);
      series?.desired(startMs, desired);
    },
  };
}
