// Searches for a specification that costs less, on days it was not chosen on.
import { type Candidate, type Parameters } from "./candidate.ts";
import { type DaysRead, type WholeDay, worldOf } from "./days.ts";
import type { EvaluateBatch } from "./evaluate.ts";
import { createEvaluations, type Evaluations } from "./evaluations.ts";
import { periodFigures } from "./figures.ts";
import { floorsOfHistory } from "./floors.ts";
import { noCosts, nonDominatedRanks } from "./front.ts";
import { figuresIn } from "./guarded.ts";
import { keyOf } from "./neighbors.ts";
import { outlyingDays, trendOf } from "./outlying.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { type Course, costsOf } from "./race.ts";
import { type Recommended, type RecommendOf, recommend } from "./recommend.ts";
import type { FrontPoint, TuneProgress, TuneReport } from "./report.ts";
import type { TuneRequest } from "./request.ts";
import { type Searched, search } from "./search.ts";
import { candidateOf } from "./specification.ts";
import type { Split } from "./split.ts";

const usualCandidates = 256;
const minCandidates = 64;
const laterBatch = 4;

/**
 * Yields progress, then one report or one refusal. The same request gives the same report, whatever the order in which
 * `evaluate` makes its tasks. @throws what `evaluate` throws
 */
export async function* tune(
  request: TuneRequest,
  evaluate: EvaluateBatch,
): AsyncGenerator<TuneProgress, void> {
  const read = prepare(request);
  if (!read.ok) {
    yield { kind: "refused", refusal: read.refusal };
    return;
  }
  const { prepared } = read;
  const { split, read: days, dimensions, budget } = prepared;
  const count = Math.min(usualCandidates, Math.max(minCandidates, request.candidates ?? usualCandidates));
  const world = worldOf(prepared.loop, days.days, prepared.autoscaler);
  const expected = expectedDays(count, split);
  const evaluations = createEvaluations(world, evaluate, { signal: request.signal, expected });
  const makeCandidate = candidates(prepared);
  const today = makeCandidate(prepared.today);
  if (today === undefined) throw new RangeError("today's specification is not a candidate");
  const course: Course = { evaluations, batches: batchesOf(split, days.days), today, budget };
  const found = yield* search({ course, dimensions, count, seed: request.seed, makeCandidate });
  const of: RecommendOf = {
    ...evidenceOf(request, prepared),
    recording: request.recording,
    evaluations,
    today,
    robustness: { today, days: robustnessDays(course, split), budget, dimensions, makeCandidate },
  };
  const recommended = yield* recommend(found.finished, of);
  const { failure } = evaluations;
  if (failure !== undefined) {
    yield { kind: "refused", refusal: { kind: "failed", message: `a simulation failed: ${failure}` } };
    return;
  }
  yield { kind: "report", report: reportOf(prepared, { found, recommended, of, course }) };
}

/** Each point is one candidate, whatever asks for it; ids count in the order of the first time. */
function candidates(prepared: Prepared): (point: Parameters) => Candidate | undefined {
  const { autoscaler, today, dimensions, source, split, read } = prepared;
  const training = split.training.flatMap((day) => read.days[day] ?? []);
  const floorsOf = floorsOfHistory(source, training);
  const of = { autoscaler, today, metricIndex: source.inferred.metric.index, floorsOf };
  const known = new Map<string, Candidate | undefined>();
  let made = 0;
  return (point) => {
    const key = keyOf(point, dimensions);
    if (known.has(key)) return known.get(key);
    const candidate = candidateOf(made, point, of);
    if (candidate !== undefined) made++;
    known.set(key, candidate);
    return candidate;
  };
}

/** First the day with the highest minute and the one in the middle; then the others in time. */
function batchesOf({ training }: Split, days: readonly WholeDay[]): readonly (readonly number[])[] {
  const by = (of: (day: WholeDay) => number): readonly number[] =>
    training.toSorted((a, b) => valueOf(days[a], of) - valueOf(days[b], of) || a - b);
  const hardest = by(({ peak }) => peak).at(-1);
  const middle = by(({ mean }) => mean).filter((day) => day !== hardest)[
    Math.floor((training.length - 1) / 2)
  ];
  const first = [hardest, middle].filter((day) => day !== undefined);
  const rest = training.filter((day) => !first.includes(day));
  const batches: (readonly number[])[] = [first];
  for (let from = 0; from < rest.length; from += laterBatch)
    batches.push(rest.slice(from, from + laterBatch));
  return batches;
}

/** The validation days, and those of the first halving: the hardest one is among them. */
function robustnessDays({ batches: [first = []] }: Course, { validation }: Split): readonly number[] {
  return [...first, ...validation];
}

function valueOf(day: WholeDay | undefined, of: (day: WholeDay) => number): number {
  return day === undefined ? 0 : of(day);
}

/** About what has to be simulated: most candidates of later rounds stop early. */
function expectedDays(count: number, { training, validation, test }: Split): number {
  const halving = 2 * count;
  const later = (count / 4) * Math.max(0, training.length - 2) * 0.6;
  const neighbors = 2 * count;
  const checks = 12 * validation.length + 3 * 3 * 8 * validation.length;
  return Math.round(halving + later + neighbors + checks + 4 * test.length);
}

function evidenceOf(
  { openLoopSkill, seed, objective }: TuneRequest,
  { read, counterfactual, budget, split }: Prepared,
): Pick<RecommendOf, "budget" | "seed" | "split" | "evidence"> {
  const censored = counterfactual.unknowns.filter(({ kind }) => kind === "at-max" || kind === "pending");
  return {
    budget,
    seed,
    split,
    evidence: {
      wholeDays: read.days.length,
      skill: openLoopSkill,
      censoredShare: censored.reduce((sum, { share }) => sum + share, 0),
      isMoving: trendOf(read.days).isMoving,
      isCapacityKnown: (objective.hotAbove ?? objective.utilization) !== undefined,
    },
  };
}

interface Result {
  readonly found: Searched;
  readonly recommended: Recommended;
  readonly of: RecommendOf;
  readonly course: Course;
}

function reportOf(prepared: Prepared, { found, recommended, of, course }: Result): TuneReport {
  const { counterfactual, dimensions, read, budget } = prepared;
  const { evaluations, today } = of;
  const { optimism, ...rest } = recommended;
  const [validation, test] = (["validation", "test"] as const).map((period) => figuresIn(period, today, of));
  return {
    split: splitReport(prepared),
    tried: found.tried,
    simulatedDays: evaluations.done,
    isComplete: !evaluations.isStopped,
    objective: {
      hotAbove: counterfactual.hotAbove,
      hotSecondsPerDay: budget.hotSeconds,
      shortPodSecondsPerDay: budget.shortPodSeconds,
    },
    space: dimensions.map(({ name, values }) => ({ parameter: name, values })),
    today: {
      candidate: today,
      training: figuresIn("training", today, of) ?? periodFigures([], [], of, "training"),
      ...(validation === undefined ? {} : { validation }),
      ...(test === undefined ? {} : { test }),
    },
    front: frontOf(found.finished, of, course),
    ...rest,
    ...(optimism === undefined ? {} : { optimism }),
    trend: trendOf(read.days),
    outlyingDays: outlyingDays(read.days),
    control: counterfactual.control,
    unknowns: counterfactual.unknowns,
  };
}

function splitReport({ split, read, source, isThin }: Prepared): TuneReport["split"] {
  const { days, leftOut }: DaysRead = read;
  const datesOf = (positions: readonly number[]): readonly string[] =>
    positions.flatMap((day) => days[day]?.date ?? []);
  return {
    timeZone: source.timeZone,
    whole: days.length,
    training: datesOf(split.training),
    validation: datesOf(split.validation),
    test: datesOf(split.test),
    leftOut,
    isThin,
  };
}

function frontOf(
  finished: readonly Candidate[],
  of: RecommendOf & { readonly evaluations: Evaluations },
  course: Course,
): readonly FrontPoint[] {
  const costs = finished.map((candidate) => costsOf(candidate, of.split.training, course) ?? noCosts);
  const ranks = nonDominatedRanks(costs);
  return finished
    .flatMap((candidate, at) => {
      const training = figuresIn("training", candidate, of);
      return training === undefined ? [] : [{ candidate, training, isOnFront: ranks[at] === 0 }];
    })
    .toSorted((a, b) => a.training.podHours - b.training.podHours || a.candidate.id - b.candidate.id);
}
