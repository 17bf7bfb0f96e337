// How far decisions agree with recorded ones: steps, skill, events and pod-hours, one step at a time.

/** What was decided at one instant, and what we decide on the same input. */
export interface OpenLoopStep {
  readonly atMs: number;
  /** Replicas before. */
  readonly current: number;
  readonly recorded: number;
  readonly ours: number;
}

export interface Agreement {
  readonly steps: number;
  readonly agreed: number;
  /** 1 − wrong / wrong of "nothing changes"; undefined where nothing changed: every share would be luck. */
  readonly skill: number | undefined;
  readonly events: EventAgreement;
  /** Of the recorded desired pod-hours, as a fraction; undefined where there are none. */
  readonly podHoursError: number | undefined;
}

/** Changes of the count. Two are the same within one period. */
export interface EventAgreement {
  readonly recorded: number;
  /** In the same direction. */
  readonly matched: number;
  /** To the same count, of those. */
  readonly exact: number;
  /** Ours without a recorded one. */
  readonly extra: number;
}

export type AgreementMeter = ReturnType<typeof createAgreementMeter>;

interface Change {
  readonly atMs: number;
  readonly from: number;
  readonly to: number;
}

/** What is between steps further apart than this is unknown. */
const maxGapMs = 300_000;

/** Measures steps that come in the order of time. */
export function createAgreementMeter(periodMs: number) {
  const [recordedChanges, ourChanges]: [Change[], Change[]] = [[], []];
  let [steps, agreed, still, recordedPodMs, ourPodMs] = [0, 0, 0, 0, 0];
  let last: OpenLoopStep | undefined;
  return {
    /** @throws RangeError when the step is not behind the last one */
    add(step: OpenLoopStep): void {
      const { atMs, current, recorded, ours } = step;
      if (last !== undefined) {
        const spanMs = atMs - last.atMs;
        if (!(spanMs > 0)) throw new RangeError(`step at ${atMs} is not later than the one at ${last.atMs}`);
        if (spanMs <= maxGapMs) {
          recordedPodMs += last.recorded * spanMs;
          ourPodMs += last.ours * spanMs;
        }
      }
      last = step;
      steps++;
      if (ours === recorded) agreed++;
      if (current === recorded) still++;
      else recordedChanges.push({ atMs, from: current, to: recorded });
      if (current !== ours) ourChanges.push({ atMs, from: current, to: ours });
    },
    result: (): Agreement => ({
      steps,
      agreed,
      skill: still === steps ? undefined : 1 - (steps - agreed) / (steps - still),
      events: matchEvents(recordedChanges, ourChanges, periodMs),
      podHoursError: recordedPodMs === 0 ? undefined : (ourPodMs - recordedPodMs) / recordedPodMs,
    }),
  };
}

/** Each change is matched once: with an equal one before one that only has its direction. Both lists ascend. */
function matchEvents(recorded: readonly Change[], ours: readonly Change[], periodMs: number): EventAgreement {
  const [freeRecorded, freeOurs] = [new Set(recorded), new Set(ours)];
  const match = (isSame: (a: Change, b: Change) => boolean): number => {
    let [found, first] = [0, 0];
    for (const a of recorded) {
      if (!freeRecorded.has(a)) continue;
      while (first < ours.length && (ours[first]?.atMs ?? 0) < a.atMs - periodMs) first++;
      const b = nearest(a, { ours, first, free: freeOurs, periodMs, isSame });
      if (b === undefined) continue;
      freeRecorded.delete(a);
      freeOurs.delete(b);
      found++;
    }
    return found;
  };
  const exact = match((a, b) => a.from === b.from && a.to === b.to);
  const others = match((a, b) => a.to > a.from === b.to > b.from);
  return { recorded: recorded.length, matched: exact + others, exact, extra: freeOurs.size };
}

function nearest(
  to: Change,
  among: {
    readonly ours: readonly Change[];
    readonly first: number;
    readonly free: ReadonlySet<Change>;
    readonly periodMs: number;
    readonly isSame: (a: Change, b: Change) => boolean;
  },
): Change | undefined {
  const { ours, first, free, periodMs, isSame } = among;
  let best: Change | undefined;
  for (let index = first; index < ours.length; index++) {
    const one = ours[index];
    if (one === undefined || one.atMs > to.atMs + periodMs) break;
    if (!free.has(one) || !isSame(to, one)) continue;
    if (best === undefined || Math.abs(one.atMs - to.atMs) < Math.abs(best.atMs - to.atMs)) best = one;
  }
  return best;
}
