// The changes of replicas that count against the policies of an object, by what was really written.
import { instantMs, type ScaleEvent } from "@plimsoll/core";
import type { Observation, Observed, World } from "../run/world.ts";
import { createLastDecided, type Decided, isActive, uidOfDecided } from "./decisions.ts";
import { evaluationManager, replicasOf, targetOfPath } from "./names.ts";

/** One change that was decided, in the time of the simulation. */
interface Change {
  /** Replicas added; negative: removed. */
  readonly change: number;
  readonly atMs: number;
  /** When the evaluation took the time: before its reads, in which the process may have been paused. */
  readonly begunMs: number;
  /** Counts the edits of the behavior: what was done under another one may have been forgotten. */
  readonly edition: number;
  /** Whether the clock that said when it was is right. */
  readonly isTimed: boolean;
  /** Whether whoever decides on the object next must count it. */
  isKnown: boolean;
}

interface Edition {
  readonly behavior: string;
  readonly edition: number;
}

/** What is known of one object, by its uid. */
interface Known {
  changes: Change[];
  /** What processes had in their memory when they began: it may be of changes that others made. */
  readonly mayCount: Pick<Change, "change" | "atMs">[];
  edition: Edition | undefined;
}

export interface ScaleHistory {
  /** To be called with each decision, before it is checked. */
  begin(decided: Decided): void;
  /** To be called with each observation, with a decision after it was checked. */
  see(observation: Observation): void;
  /**
   * What a decision must count in a direction, and what it may count in the other one, which gives it more room. Its times are those
   * of the simulation; what must be counted is older by a margin, and what may be is newer.
   */
  eventsFor(
    decided: Decided,
    isUp: boolean,
  ): { readonly must: readonly ScaleEvent[]; readonly may: readonly ScaleEvent[] };
}

/** Clocks that are slewed, and times that are cut to seconds. */
const marginMs = 2000;
/** Longer than every period of a policy. */
const keptMs = 1_900_000;

interface State extends Pick<World, "processes" | "time"> {
  readonly known: Map<string, Known>;
  readonly lastDecided: ReturnType<typeof createLastDecided>;
  readonly changeOf: WeakMap<Decided, Change>;
  /** Writes on their way, by process and path. */
  readonly underway: Map<string, Change>;
}

/**
 * A change must be counted once its sender knows that it was made. A process that knows no former changes must count those that
 * the status names, if the clocks of both machines were right. What was decided may count, whatever became of it, and so may what
 * a process has in its memory when it begins.
 */
export function createScaleHistory({
  cluster,
  processes,
  time,
}: Pick<World, "cluster" | "processes" | "time">): ScaleHistory {
  const lastDecided = createLastDecided();
  const state: State = {
    processes,
    time,
    lastDecided,
    known: new Map(),
    changeOf: new WeakMap(),
    underway: new Map(),
  };
  cluster.onRestore(() => {
    for (const { changes } of state.known.values()) for (const change of changes) change.isKnown = false;
    state.underway.clear();
  });
  return {
    begin: (decided) => begin(state, decided),
    see(observation) {
      if (observation.kind === "decided") take(state, observation);
      else if (observation.kind === "sent") sent(state, observation);
      else if (observation.kind === "received") received(state, observation);
    },
    eventsFor: (decided, isUp) => eventsFor(knownOf(state, decided), isUp),
  };
}

function knownOf({ known }: State, decided: Decided): Known {
  const uid = uidOfDecided(decided);
  const found = known.get(uid) ?? { changes: [], mayCount: [], edition: undefined };
  known.set(uid, found);
  return found;
}

function isClockRight({ processes, time }: State, process: string): boolean {
  const clock = processes.get(process)?.clock;
  return clock !== undefined && Math.abs(clock.nowMs() - time.nowMs) < 1000;
}

/** Counted from by the process itself; in the time of the simulation. */
function begunMs({ processes, time }: State, { process, input }: Decided): number {
  const tookMs = (processes.get(process)?.clock.nowMs() ?? input.nowMs) - input.nowMs;
  return time.nowMs - Math.max(0, tookMs);
}

function begin(state: State, decided: Decided): void {
  const known = knownOf(state, decided);
  const { input, memory } = decided;
  const behavior = JSON.stringify(input.hpa.spec.behavior ?? null);
  if (known.edition?.behavior !== behavior)
    known.edition = { behavior, edition: (known.edition?.edition ?? 0) + 1 };
  if ((memory?.recommendations ?? []).length === 0) beginTerm(state, decided, known);
}

/** The process decides on the object for the first time since it owns it. */
function beginTerm(state: State, { input, memory, process }: Decided, { changes, mayCount }: Known): void {
  const lastScaleMs = isClockRight(state, process) ? instantMs(input.hpa.status?.lastScaleTime) : undefined;
  for (const change of changes)
    change.isKnown &&= change.isTimed && lastScaleMs !== undefined && change.atMs <= lastScaleMs + 1000;
  const { scaleUpEvents = [], scaleDownEvents = [] } = memory ?? {};
  const atMs = state.time.nowMs;
  mayCount.push(
    ...scaleUpEvents.map(({ change }) => ({ change, atMs })),
    ...scaleDownEvents.map(({ change }) => ({ change: -change, atMs })),
  );
}

function take(state: State, decided: Decided): void {
  const known = knownOf(state, decided);
  const { nowMs } = state.time;
  known.changes = known.changes.filter(({ atMs }) => nowMs - atMs < keptMs);
  const { scaleTo, currentReplicas } = decided.result.decision;
  if (scaleTo === undefined) return;
  const change = {
    change: scaleTo - currentReplicas,
    atMs: nowMs,
    begunMs: begunMs(state, decided),
    edition: known.edition?.edition ?? 0,
    isTimed: isClockRight(state, decided.process),
    isKnown: false,
  };
  known.changes.push(change);
  state.lastDecided.see(decided);
  if (isActive(decided)) state.changeOf.set(decided, change);
}

/** The target that an evaluation scales by this request; the jobs of the same process write the same path. */
function scaledBy({ method, path, query }: Observed<"sent">["request"]) {
  const isOfEvaluation = method === "PUT" && query.get("fieldManager") === evaluationManager;
  return isOfEvaluation ? targetOfPath(path) : undefined;
}

function sent(state: State, { process, request }: Observed<"sent">): void {
  const target = scaledBy(request);
  if (target === undefined) return;
  const decided = state.lastDecided.of(process, target);
  const change = decided && state.changeOf.get(decided);
  const isSame = decided?.result.decision.scaleTo === replicasOf(JSON.parse(request.body ?? "{}"));
  const key = `${process} ${request.path}`;
  if (change !== undefined && isSame) state.underway.set(key, change);
  else state.underway.delete(key);
}

function received({ underway }: State, { process, request, code }: Observed<"received">): void {
  if (scaledBy(request) === undefined) return;
  const key = `${process} ${request.path}`;
  const change = underway.get(key);
  underway.delete(key);
  if (change !== undefined && code === 200) change.isKnown = true;
}

function eventsFor({ changes, mayCount, edition }: Known, isUp: boolean) {
  const isOf =
    (up: boolean) =>
    ({ change }: Pick<Change, "change">) =>
      change > 0 === up;
  const event = ({ change, atMs }: Pick<Change, "change" | "atMs">, byMs: number): ScaleEvent => ({
    change: Math.abs(change),
    atMs: atMs + byMs,
  });
  const must = changes.filter((change) => change.isKnown && change.edition === edition?.edition);
  return {
    must: must.filter(isOf(isUp)).map(({ change, begunMs: atMs }) => event({ change, atMs }, -marginMs)),
    may: [...changes, ...mayCount].filter(isOf(!isUp)).map((change) => event(change, marginMs)),
  };
}
