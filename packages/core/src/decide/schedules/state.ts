import type { DecideInput, ScheduledBounds } from "../../objects/decision.ts";
import type { HpaSpec } from "../../objects/hpa.ts";
import { boundsWith } from "../../objects/schedules/bounds.ts";
import type { ActiveSchedule, ScheduleState } from "../../objects/schedules/state.ts";
import type { Schedule } from "./schedule.ts";
import { type Window, windowFrom } from "./window.ts";
import { createWork, type Work } from "./work.ts";

/** One change of the state. */
export interface ScheduleTransition {
  readonly atMs: number;
  /** Names of the entries that begin, end, and take a step of their ramps. */
  readonly begins: readonly string[];
  readonly ends: readonly string[];
  readonly steps: readonly string[];
  /** From then on. */
  readonly state: ScheduleState;
}

/**
 * The state at an instant. It follows from the clock alone: after a restart, a missed tick or a jump of the clock it
 * is what it would have been without. Between `nowMs` and `nextMs` nothing changes.
 */
export function scheduleState(schedules: readonly Schedule[], nowMs: number): ScheduleState {
  return measuredState(schedules, nowMs, () => createWork());
}

/** The same; each entry's search counts its steps. */
export function measuredState(
  schedules: readonly Schedule[],
  nowMs: number,
  workOf: () => Work,
): ScheduleState {
  const atMs = Math.floor(nowMs);
  const active: ActiveSchedule[] = [];
  const changes: Change[] = [];
  const demands: Demand[] = [];
  for (const schedule of schedules) {
    const { fromMs, toMs, isCut } = windowFrom(schedule, atMs, workOf());
    if (toMs === undefined) {
      changes.push({ atMs: fromMs, isCut });
      continue;
    }
    const { entry, stepMs } = activeIn(schedule, { fromMs, toMs, isCut }, atMs);
    active.push(entry);
    demands.push({ ...entry, isHard: schedule.precedence === "Ceiling" });
    changes.push({ atMs: toMs, isCut });
    if (stepMs !== undefined) changes.push({ atMs: stepMs, isCut: false });
  }
  return { atMs, ...combined(demands), active, ...nextOf(changes) };
}

/** Beside the steps of its search. */
const stepsOfEntry = 20;

/** The state at an instant, with what it cost. A worst entry takes some 2,500 steps, a usual one some tens. */
export function countedState(
  schedules: readonly Schedule[],
  nowMs: number,
): { readonly state: ScheduleState; readonly steps: number } {
  const works: Work[] = [];
  const state = measuredState(schedules, nowMs, () => {
    const work = createWork();
    works.push(work);
    return work;
  });
  const searched = works.reduce((sum, { spent }) => sum + spent, 0);
  const ramps = schedules.reduce((sum, { ramp }) => sum + (ramp?.steps ?? 0), 0);
  return { state, steps: searched + ramps + stepsOfEntry * schedules.length };
}

interface Change {
  readonly atMs: number;
  readonly isCut: boolean;
}

function nextOf(changes: readonly Change[]): Pick<ScheduleState, "nextMs" | "isSearchEnd"> {
  if (changes.length === 0) return { nextMs: undefined };
  const nextMs = Math.min(...changes.map(({ atMs }) => atMs));
  const isSearchEnd = changes.every(({ atMs, isCut }) => isCut || atMs > nextMs);
  return isSearchEnd ? { nextMs, isSearchEnd } : { nextMs };
}

/** Changes may be so far from each other that a search for the next one ends many times. */
const maxSearches = 1000;
/** The year 9800: later dates may have more than four digits, and the search for one state goes more than a century ahead. */
const lastMs = 247_090_953_600_000;

/** The next changes after an instant, at most `count` of them; fewer where none is found. */
export function upcomingTransitions(
  schedules: readonly Schedule[],
  fromMs: number,
  count: number,
): readonly ScheduleTransition[] {
  return transitionsWithin(schedules, { fromMs, toMs: Infinity, count }).transitions;
}

/** The changes after one instant and before another, at most `count` of them; `reachedMs` is how far they are known. */
export function transitionsWithin(
  schedules: readonly Schedule[],
  range: { readonly fromMs: number; readonly toMs: number; readonly count: number },
): { readonly transitions: readonly ScheduleTransition[]; readonly reachedMs: number } {
  const { fromMs, count } = range;
  const toMs = Math.min(range.toMs, lastMs);
  const transitions: ScheduleTransition[] = [];
  let state = scheduleState(schedules, fromMs);
  for (let searches = 0; transitions.length < count && searches < maxSearches; ) {
    const { nextMs = Infinity } = state;
    if (nextMs >= toMs) return { transitions, reachedMs: toMs };
    const next = scheduleState(schedules, nextMs);
    const transition = transitionBetween(state, next);
    state = next;
    if (transition === undefined) searches++;
    else transitions.push(transition);
  }
  return { transitions, reachedMs: Math.min(state.nextMs ?? Infinity, toMs) };
}

function transitionBetween(before: ScheduleState, state: ScheduleState): ScheduleTransition | undefined {
  const entryOf = ({ active }: ScheduleState, name: string) => active.find((entry) => entry.name === name);
  const begins = state.active.filter(({ name }) => entryOf(before, name) === undefined);
  const ends = before.active.filter(({ name }) => entryOf(state, name) === undefined);
  const steps = state.active.filter(({ name, floor }) => {
    const known = entryOf(before, name);
    return known !== undefined && known.floor !== floor;
  });
  if (begins.length + ends.length + steps.length === 0) return undefined;
  const names = (entries: readonly ActiveSchedule[]) => entries.map(({ name }) => name);
  return { atMs: state.atMs, begins: names(begins), ends: names(ends), steps: names(steps), state };
}

function activeIn(
  schedule: Schedule,
  { fromMs, toMs, isCut }: Window & { readonly toMs: number },
  atMs: number,
): { readonly entry: ActiveSchedule; readonly stepMs: number | undefined } {
  const { name, floor, ceiling, ramp } = schedule;
  const entry = {
    name,
    ...(Number.isFinite(fromMs) ? { sinceMs: fromMs } : {}),
    ...(isCut ? {} : { untilMs: toMs }),
    ...(ceiling === undefined ? {} : { ceiling }),
  };
  if (floor === undefined) return { entry, stepMs: undefined };
  if (ramp === undefined || ramp.from >= floor) return { entry: { ...entry, floor }, stepMs: undefined };
  const at = (step: number) => fromMs + Math.ceil((ramp.overMs * step) / (ramp.steps - 1));
  const heightOf = (step: number) => ramp.from + Math.ceil(((floor - ramp.from) * (step + 1)) / ramp.steps);
  const steps = Array.from({ length: ramp.steps }, (_, step) => step);
  const reached = heightOf(steps.findLast((step) => at(step) <= atMs) ?? 0);
  // With more steps than replicas to add, some of them add none.
  const next = steps.find((step) => heightOf(step) > reached);
  const last = steps.find((step) => heightOf(step) === floor);
  if (next === undefined || last === undefined) return { entry: { ...entry, floor }, stepMs: undefined };
  return { entry: { ...entry, floor: reached, ramp: { floor, doneMs: at(last) } }, stepMs: at(next) };
}

interface Demand {
  readonly floor?: number;
  readonly ceiling?: number;
  /** The ceiling holds against floors. */
  readonly isHard: boolean;
}

type Combined = Pick<ScheduleState, "floor" | "ceiling" | "conflict">;

/** The highest floor and the lowest ceiling; where they contradict each other, the floor wins unless the entry says otherwise. */
function combined(demands: readonly Demand[]): Combined {
  const lowest = (some: readonly Demand[]) => Math.min(...some.map(({ ceiling }) => ceiling ?? Infinity));
  const floor = Math.max(...demands.map((demand) => demand.floor ?? -Infinity));
  const hard = lowest(demands.filter(({ isHard }) => isHard));
  const soft = lowest(demands.filter(({ isHard }) => !isHard));
  const heldFloor = Math.min(floor, hard);
  const ceiling = Math.min(hard, Math.max(soft, heldFloor));
  const finite = (value: number) => (Number.isFinite(value) ? value : undefined);
  const result = { floor: finite(heldFloor), ceiling: finite(ceiling) };
  const requested = Math.min(hard, soft);
  if (!(floor > requested)) return result;
  return { ...result, conflict: { winner: hard < floor ? "ceiling" : "floor", floor, ceiling: requested } };
}

/** What a state makes of the bounds of a specification. Where that has no metrics, the minimum is the count. */
export function scheduledBounds(
  spec: Pick<HpaSpec, "minReplicas" | "maxReplicas" | "metrics">,
  state: ScheduleState,
): ScheduledBounds {
  const own = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const isWithoutMetrics = (spec.metrics ?? []).length === 0;
  return { own, effective: boundsWith(own, state), isWithoutMetrics, state };
}

/** The input of a decision in which schedules count. */
export function withSchedules(input: DecideInput, state: ScheduleState): DecideInput {
  const { hpa } = input;
  const schedules = scheduledBounds(hpa.spec, state);
  return { ...input, hpa: { ...hpa, spec: { ...hpa.spec, ...schedules.effective } }, schedules };
}
