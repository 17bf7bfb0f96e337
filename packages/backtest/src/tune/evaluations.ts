// All that was simulated so far: each specification on each day once, in an order that does not matter.
import type { Autoscaler } from "@plimsoll/simulator";
import type { DayScores, EvaluateBatch, Stress, TuneOutcome, TuneWorld } from "./evaluate.ts";
import type { TuneProgress, TuneStage } from "./report.ts";
import type { TuneSignal } from "./request.ts";

/** A specification, and what makes its days harder. Equal keys are equal specifications. */
export interface Subject {
  readonly key: string;
  readonly autoscaler: Autoscaler;
  readonly stress?: Stress;
}

/** One of them on some days. */
export interface Wanted {
  readonly subject: Subject;
  readonly days: readonly number[];
}

export interface Evaluations {
  /** Days that were simulated. */
  readonly done: number;
  /** An interruption or a failure: nothing more is simulated. */
  readonly isStopped: boolean;
  /** Why the simulations failed; undefined where they did not. */
  readonly failure: string | undefined;
  /** In the order of the days; undefined where one was not simulated. */
  scoresOf(subject: Pick<Subject, "key">, days: readonly number[]): readonly DayScores[] | undefined;
  /** Simulates what was not yet, and yields how far it is. */
  run(stage: TuneStage, wanted: readonly Wanted[]): AsyncGenerator<TuneProgress, void>;
}

/** Between two looks at the signal. */
const chunk = 64;

/** `expected` is how many days all stages together will take, as far as that is known. */
export function createEvaluations(
  world: TuneWorld,
  evaluate: EvaluateBatch,
  options: { readonly signal: TuneSignal | undefined; readonly expected: number },
): Evaluations {
  const known = new Map<string, DayScores>();
  let failure: string | undefined;
  const isStopped = (): boolean => failure !== undefined || (options.signal?.aborted ?? false);
  const evaluateRuns = async (runs: readonly Run[]): Promise<void> => {
    const outcomes: (TuneOutcome | undefined)[] = runs.map(() => undefined);
    await evaluate({ world, tasks: runs.map(({ task }) => task) }, (index, outcome) => {
      outcomes[index] = outcome;
    });
    for (const [at, { key }] of runs.entries()) {
      const outcome = outcomes[at];
      if (outcome?.ok === true) known.set(key, outcome.scores);
      else if (outcome !== undefined) failure ??= outcome.message;
      else if (!isStopped()) failure = "a simulated day was not reported";
    }
  };
  return {
    get done() {
      return known.size;
    },
    get isStopped() {
      return isStopped();
    },
    get failure() {
      return failure;
    },
    scoresOf({ key }, days) {
      const found = days.flatMap((day) => known.get(dayKey(key, day)) ?? []);
      return found.length < days.length ? undefined : found;
    },
    async *run(stage, wanted) {
      const runs = runsOf(wanted, known);
      for (let from = 0; from < runs.length && !isStopped(); from += chunk) {
        await evaluateRuns(runs.slice(from, from + chunk));
        const done = known.size;
        yield { kind: "progress", stage, done, expected: Math.max(done, options.expected) };
      }
    },
  };
}

interface Run {
  readonly key: string;
  readonly task: Parameters<EvaluateBatch>[0]["tasks"][number];
}

function dayKey(key: string, day: number): string {
  return `${key}@${day}`;
}

/** Each that is unknown, once; day after day, so that neighbors in a batch take about as long. */
function runsOf(wanted: readonly Wanted[], known: ReadonlyMap<string, DayScores>): readonly Run[] {
  const runs = new Map<string, Run>();
  for (const { subject, days } of wanted) {
    const { key: own, autoscaler, stress } = subject;
    for (const day of days) {
      const key = dayKey(own, day);
      if (known.has(key)) continue;
      runs.set(key, { key, task: { autoscaler, day, ...(stress === undefined ? {} : { stress }) } });
    }
  }
  return [...runs.values()];
}
