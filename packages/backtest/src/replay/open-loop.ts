// The open loop over a recording: at each decision the recorded inputs, with our own memory from one to the next.
import { type DecideResult, decide, type HpaStatus } from "@plimsoll/core";
import type { Autoscaler } from "@plimsoll/simulator";
import { type Agreement, type AgreementMeter, createAgreementMeter } from "./agreement.ts";
import { causeOf } from "./find-cause.ts";
import { createInputs, type InputChange, type ReplayInputs } from "./inputs.ts";
import type { MismatchCase, RecordingCause, ReplayBounds } from "./mismatch.ts";
import { type ReplayClock, replayInstants } from "./recorded-clock.ts";
import { decisionsAt, decisionsOfStatus, type RecordedDecision } from "./recorded-decisions.ts";
import type { RecordedLevel, Recording } from "./recording.ts";
import { type ReplayState, stateAfter, windowOf, withChange } from "./replay-memory.ts";
import { maxEstimated, mayLackSamples, sampleDelayNote, sampleDelayOf } from "./sample-delay.ts";

export interface RecordingMismatch {
  readonly atMs: number;
  readonly recorded: number;
  readonly ours: number;
  readonly cause: RecordingCause;
  readonly evidence: string;
}

export interface OpenLoopReport extends Agreement {
  readonly fromMs: number;
  readonly toMs: number;
  /** Of each metric of the specification. */
  readonly levels: readonly RecordedLevel[];
  readonly clock: ReplayClock;
  /** Decisions of which too little is known. */
  readonly leftOut: number;
  readonly mismatches: readonly RecordingMismatch[];
  /** Of all mismatches, the ones that are not listed included. */
  readonly causes: Readonly<Partial<Record<RecordingCause, number>>>;
  /** Of each guess where the clock is unknown; the report is that of the one with the fewest agreed steps. */
  readonly phases: readonly Agreement[];
  readonly notes: readonly string[];
}

export interface OpenLoopOptions extends ReplayBounds {
  /** The others are counted. */
  readonly maxMismatches: number;
  /** Throws its reason between two decisions. */
  readonly signal?: { throwIfAborted(): void };
}

/** Undefined where the recording has no decision. The autoscaler is that of the recording, as `readAutoscaler` gives it. */
export function replayOpenLoop(
  recording: Recording,
  autoscaler: Autoscaler,
  options: OpenLoopOptions,
): OpenLoopReport | undefined {
  const inputs = createInputs(recording, autoscaler);
  const periodMs = autoscaler.syncPeriodMs ?? options.periodMs;
  const { clock, phases } = replayInstants(recording, periodMs, inputs.isStatusOnly);
  const lists = inputs.isStatusOnly
    ? [decisionsOfStatus(recording.status, { instants: phases[0], periodMs })]
    : phases.map((instants) => decisionsAt(recording, instants));
  const own = { ...options, periodMs };
  const isClockKnown = clock.state === "known";
  const runs = lists.map((decisions) => {
    const request = { recording, inputs, decisions, options: own, isClockKnown };
    return withSampleDelay(request, autoscaler, runOf(request));
  });
  const worst = runs.toSorted((a, b) => shareOf(a.run) - shareOf(b.run))[0];
  if (worst === undefined || worst.run.steps + worst.run.leftOut === 0) return undefined;
  const levels = recording.metrics.map(({ level }) => level);
  const phasesOf =
    runs.length < 2
      ? []
      : runs.map(({ run: { steps, agreed, skill, events, podHoursError } }) => ({
          steps,
          agreed,
          skill,
          events,
          podHoursError,
        }));
  const notes = [...notesOf(recording, inputs), ...worst.notes];
  return { ...worst.run, levels, clock, phases: phasesOf, notes };
}

/** A status does not say which pods have a sample: where that may be why steps do not agree, the delay is estimated. */
function withSampleDelay(
  request: RunRequest,
  autoscaler: Autoscaler,
  run: Run,
): { readonly run: Run; readonly notes: readonly string[] } {
  const { recording, inputs, decisions, options } = request;
  if (!inputs.isStatusOnly || inputs.pods.isEmpty || !mayLackSamples(run)) return { run, notes: [] };
  const delayed = (delayMs: number): RunRequest => ({
    ...request,
    inputs: createInputs(recording, autoscaler, delayMs),
  });
  const first = decisions.slice(0, maxEstimated);
  const delayMs = sampleDelayOf(
    options.periodMs,
    (tried) => runOf({ ...delayed(tried), decisions: first, isWithoutCauses: true }).agreed,
  );
  if (delayMs === 0) return { run, notes: [] };
  const better = runOf(delayed(delayMs));
  if (better.agreed <= run.agreed) return { run, notes: [] };
  return { run: better, notes: [sampleDelayNote(delayMs, run, better)] };
}

function shareOf({ agreed, steps }: Agreement): number {
  return steps === 0 ? 1 : agreed / steps;
}

interface RunRequest {
  readonly recording: Recording;
  readonly inputs: ReplayInputs;
  readonly decisions: readonly RecordedDecision[];
  readonly options: OpenLoopOptions;
  readonly isClockKnown: boolean;
  /** Mismatches are counted alone. */
  readonly isWithoutCauses?: boolean;
}

type Run = Omit<OpenLoopReport, "levels" | "clock" | "phases" | "notes">;

/** Of a run while it goes on. */
interface Progress {
  readonly meter: AgreementMeter;
  readonly mismatches: RecordingMismatch[];
  readonly causes: Partial<Record<RecordingCause, number>>;
  state: ReplayState;
  sinceMs: number;
  lastMs: number;
  leftOut: number;
  lastRecorded: number | undefined;
}

/** Behind a longer gap what is remembered is unknown. */
const maxGapMs = 300_000;
/** Between two looks at the signal. */
const decisionsPerLook = 1024;

function runOf(request: RunRequest): Run {
  const { decisions, options, inputs } = request;
  const [first, last] = [decisions[0], decisions.at(-1)];
  const progress: Progress = {
    meter: createAgreementMeter(options.periodMs),
    mismatches: [],
    causes: {},
    state: emptyState(first),
    sinceMs: first?.atMs ?? 0,
    lastMs: first?.atMs ?? 0,
    leftOut: 0,
    lastRecorded: undefined,
  };
  for (const [at, decision] of decisions.entries()) {
    if (at % decisionsPerLook === 0) options.signal?.throwIfAborted();
    if (decision.atMs - progress.lastMs > maxGapMs) {
      progress.state = emptyState(decision);
      progress.sinceMs = decision.atMs;
    } else if (inputs.isStatusOnly && progress.lastRecorded !== undefined) {
      rememberMissed(progress, decision);
    }
    step(request, progress, at);
  }
  const { meter, mismatches, causes, leftOut } = progress;
  return { fromMs: first?.atMs ?? 0, toMs: last?.atMs ?? 0, ...meter.result(), leftOut, mismatches, causes };
}

/** A controller of which nothing is known has the count as its status. */
function emptyState(decision: RecordedDecision | undefined): ReplayState {
  const replicas = decision?.current ?? 0;
  const status: HpaStatus = {
    currentReplicas: replicas,
    desiredReplicas: replicas,
    currentMetrics: null,
    conditions: [],
  };
  return { memory: undefined, status };
}

/** A change between two statuses that were read. */
function rememberMissed(progress: Progress, { current, atMs }: RecordedDecision): void {
  const { state, lastRecorded = current, lastMs } = progress;
  if (state.memory === undefined || lastRecorded === current) return;
  const middleMs = (lastMs + atMs) / 2;
  const memory = withChange(state.memory, { atMs: middleMs, from: lastRecorded, to: current });
  progress.state = { ...state, memory };
}

function step(request: RunRequest, progress: Progress, at: number): void {
  const { inputs, decisions, options } = request;
  const decision = decisions[at];
  if (decision === undefined) return;
  const { state } = progress;
  const input = inputs.read(decision, state.status);
  if (input === undefined) {
    progress.leftOut++;
    return;
  }
  const { atMs, current, recorded } = decision;
  const result = decide(input, state.memory);
  const ours = countOf(inputs, result, decision);
  progress.meter.add({ atMs, current, recorded, ours });
  progress.lastMs = atMs;
  progress.lastRecorded = recorded;
  if (ours === recorded) {
    progress.state = stateAfter(result, decision);
    return;
  }
  if (request.isWithoutCauses === true) {
    progress.state = unexplainedState(result, decision);
    return;
  }
  const { cause, found } = causeOf(caseOf(request, progress, { at, decision, result }));
  progress.causes[cause] = (progress.causes[cause] ?? 0) + 1;
  if (progress.mismatches.length < options.maxMismatches)
    progress.mismatches.push({ atMs, recorded, ours, cause, evidence: found.evidence });
  progress.state =
    found.state ??
    (found.result === undefined ? unexplainedState(result, decision) : stateAfter(found.result, decision));
}

/** The controller's own status has the count that it went to: it was proposed, for a reason that is unknown. */
function unexplainedState(result: DecideResult, decision: RecordedDecision): ReplayState {
  const { atMs, current, recorded, triple } = decision;
  const state = stateAfter(result, decision);
  if (state.memory === undefined || recorded === current || triple?.desiredReplicas !== recorded)
    return state;
  const recommendations = [...state.memory.recommendations, { replicas: recorded, atMs }];
  return { ...state, memory: { ...state.memory, recommendations } };
}

/** The replicas that a result gives. */
function countOf(
  { isStatusOnly }: ReplayInputs,
  { decision }: DecideResult,
  { current }: RecordedDecision,
): number {
  return isStatusOnly ? decision.desiredReplicas : (decision.scaleTo ?? current);
}

function caseOf(
  { recording, inputs, decisions, options, isClockKnown }: RunRequest,
  { state, sinceMs }: Progress,
  own: { readonly at: number; readonly decision: RecordedDecision; readonly result: DecideResult },
): MismatchCase {
  const { decision } = own;
  const same = (result: DecideResult): DecideResult | undefined =>
    countOf(inputs, result, decision) === decision.recorded ? result : undefined;
  const tried = (change: InputChange, memory: ReplayState["memory"]): DecideResult | undefined => {
    const input = inputs.read(decision, state.status, change);
    return input === undefined ? undefined : same(decide(input, memory));
  };
  const version = inputs.specs.versionAt(decision.atMs);
  const { spec } = inputs.specs.read(version, decision.atMs);
  return {
    ...options,
    ...own,
    recording,
    inputs,
    decisions,
    state,
    sinceMs,
    isClockKnown,
    windowMs: windowOf(spec, inputs.downscaleStabilizationMs),
    tryInput: (change, memory) => tried(change, memory ?? state.memory),
    tryMemory: (memory) => tried({}, memory),
    countOf: (result, of) => countOf(inputs, result, of),
  };
}

function notesOf(
  { autoscaler, metrics, syncs }: Recording,
  { metrics: known }: ReplayInputs,
): readonly string[] {
  const unknown = metrics.filter(({ level }) => level === "none").map(({ index }) => `metrics[${index}]`);
  const generations = autoscaler.changes.filter(({ field }) => field === "generation");
  const unseen = generations.filter(
    ({ atMs }) =>
      !autoscaler.changes.some((one) => one.field !== "generation" && Math.abs(one.atMs - atMs) <= 60_000),
  );
  return [
    ...(known.length === 0 ? ["every metric of the spec is unknown"] : []),
    ...(unknown.length > 0 ? [`${unknown.join(", ")}: unknown, so its decisions are not reproduced`] : []),
    ...unseen.map(({ atMs }) => `behavior may have changed at ${new Date(atMs).toISOString()}`),
    ...(syncs.clock === "known" && syncs.atMs.length === 0 ? ["the recording has no decision times"] : []),
  ];
}
