// From what was found on training days to what is recommended: each guard on days that the choice did not see.

import type { Recording } from "../replay/recording.ts";
import type { Candidate } from "./candidate.ts";
import { confidenceOf, type Evidence } from "./confidence.ts";
import type { DayScores } from "./evaluate.ts";
import type { Evaluations, Wanted } from "./evaluations.ts";
import { type Comparison, periodFigures } from "./figures.ts";
import { guardAgainst, minSaved } from "./guards.ts";
import { patchOf } from "./patch.ts";
import { subjectOf } from "./race.ts";
import type { PeriodFigures, Recommendation, Rejection, RobustnessCheck, TuneProgress } from "./report.ts";
import { type RobustnessOf, robustnessOf, robustnessRuns } from "./robustness.ts";
import type { Split } from "./split.ts";

/** What recommendations are made from. */
export interface RecommendOf extends Comparison {
  readonly recording: Recording;
  readonly evaluations: Evaluations;
  readonly split: Split;
  readonly today: Candidate;
  readonly robustness: RobustnessOf;
  readonly evidence: Pick<Evidence, "wholeDays" | "skill" | "censoredShare" | "isMoving">;
}

/** What passed, what did not, and how optimistic the training was. */
export interface Recommended {
  readonly recommendations: readonly Recommendation[];
  readonly rejected: readonly Rejection[];
  readonly optimism: number | undefined;
}

/** Candidates that are validated, from the one that saves most in training to the one that saves least. */
const maxValidated = 12;
/** That go into the test. */
const maxFinalists = 3;
const maxRejected = 10;
/** A saving that differs by less is the same. */
const alikeSaved = 0.005;

interface Figured {
  readonly candidate: Candidate;
  readonly figures: PeriodFigures;
}

type Period = "training" | "validation" | "test";

/** Of days of a part of the split; undefined where one was not simulated. */
export function figuresIn(period: Period, candidate: Candidate, of: RecommendOf): PeriodFigures | undefined {
  const [own, today] = [candidate, of.today].map((one) =>
    of.evaluations.scoresOf(subjectOf(one), of.split[period]),
  );
  if (own === undefined || today === undefined) return undefined;
  return periodFigures(own, today, of, `${candidate.id}/${period}`);
}

/** Validation, robustness, and one look at the test days. */
export async function* recommend(
  finished: readonly Candidate[],
  of: RecommendOf,
): AsyncGenerator<TuneProgress, Recommended> {
  const { passed: chosen, rejected: early } = passing(finished, "training", of);
  const validated = spread(chosen, maxValidated).map(({ candidate }) => candidate);
  yield* of.evaluations.run("validation", wantedOn([of.today, ...validated], of.split.validation));
  const { passed, rejected: late } = passing(validated, "validation", of);
  const { finalists, fragile } = yield* robust(passed, of);
  if (finalists.length > 0) {
    const candidates = [of.today, ...finalists.map(({ candidate }) => candidate)];
    yield* of.evaluations.run("test", wantedOn(candidates, of.split.test));
  }
  const tested = passing(
    finalists.map(({ candidate }) => candidate),
    "test",
    of,
  );
  const recommendations = tested.passed
    .flatMap(({ candidate }) => {
      const checks = finalists.find((one) => one.candidate === candidate)?.checks ?? [];
      return recommendationOf(candidate, checks, of) ?? [];
    })
    .toSorted((a, b) => b.saved - a.saved || a.candidate.id - b.candidate.id);
  return {
    recommendations,
    rejected: [...tested.rejected, ...fragile, ...late, ...early].slice(0, maxRejected),
    optimism: optimismOf(recommendations[0]?.candidate ?? passed[0]?.candidate ?? validated[0], of),
  };
}

function wantedOn(candidates: readonly Candidate[], days: readonly number[]): readonly Wanted[] {
  return candidates.map((candidate) => ({ subject: subjectOf(candidate), days }));
}

/** Those that keep the guards on some days, which saves most with the fewest changes first; of the others, the nearest. */
function passing(
  candidates: readonly Candidate[],
  period: Period,
  of: RecommendOf,
): { readonly passed: readonly Figured[]; readonly rejected: readonly Rejection[] } {
  const today = figuresIn(period, of.today, of);
  const found = candidates
    .flatMap((candidate) => {
      const figures = candidate === of.today ? undefined : figuresIn(period, candidate, of);
      if (figures === undefined || today === undefined) return [];
      return [{ candidate, figures, why: guardAgainst(figures, today, { budget: of.budget, period }) }];
    })
    .toSorted(
      (a, b) =>
        stepsOfSaved(b) - stepsOfSaved(a) ||
        a.candidate.changes.length - b.candidate.changes.length ||
        a.candidate.id - b.candidate.id,
    );
  return {
    passed: found.filter(({ why }) => why === undefined),
    rejected: found
      .flatMap(({ candidate, figures, why }) =>
        why === undefined ? [] : [{ candidate, stage: period, why, figures }],
      )
      .toSorted((a, b) => distanceOf(a) - distanceOf(b) || b.figures.saved - a.figures.saved),
  };
}

function stepsOfSaved({ figures }: Figured): number {
  return Math.round(figures.saved / alikeSaved);
}

/** Days that stand against one that saves enough; the others are further. */
function distanceOf({ figures }: Figured): number {
  return figures.saved >= minSaved ? figures.brokenDays : Infinity;
}

/** Those that differ, and of many the first and others at equal distances after it: neighbors in cost fail together. */
function spread(figured: readonly Figured[], count: number): readonly Figured[] {
  const chosen: Figured[] = [];
  for (const one of figured) if (!chosen.some((other) => isWithin(other, one))) chosen.push(one);
  const step = Math.max(1, (chosen.length - 1) / (count - 1));
  const places = new Set(Array.from({ length: count }, (_, at) => Math.round(at * step)));
  return chosen.filter((_, at) => places.has(at));
}

/** All that the first changes the second changes too, to the same values; and it saves about as much. */
function isWithin(first: Figured, second: Figured): boolean {
  const { parameters } = second.candidate;
  return (
    savesAsMuch(first, second) &&
    first.candidate.changes.every(({ parameter, to }) => parameters[parameter] === to)
  );
}

/** The second changes the same parameters, or more of them, and saves no more. */
function isVariant(first: Figured, second: Figured): boolean {
  const names = second.candidate.changes.map(({ parameter }) => parameter);
  return (
    savesAsMuch(first, second) && first.candidate.changes.every(({ parameter }) => names.includes(parameter))
  );
}

function savesAsMuch(first: Figured, second: Figured): boolean {
  return first.figures.saved > second.figures.saved - alikeSaved;
}

interface Finalist extends Figured {
  readonly checks: readonly RobustnessCheck[];
}

/** The first that survive, three at a time, without variants of each other; and what broke the others. */
async function* robust(
  validated: readonly Figured[],
  of: RecommendOf,
): AsyncGenerator<
  TuneProgress,
  { readonly finalists: readonly Finalist[]; readonly fragile: readonly Rejection[] }
> {
  const [finalists, fragile]: [Finalist[], Rejection[]] = [[], []];
  let left = validated;
  while (left.length > 0 && finalists.length < maxFinalists && !of.evaluations.isStopped) {
    const some = left.slice(0, maxFinalists);
    yield* of.evaluations.run(
      "robustness",
      robustnessRuns(
        some.map(({ candidate }) => candidate),
        of.robustness,
      ),
    );
    for (const one of some) {
      const { candidate, figures } = one;
      const checks = robustnessOf(candidate, of.robustness, of.evaluations);
      if (checks === undefined || finalists.some((other) => isVariant(other, one))) continue;
      const broken = checks.filter(({ isKept }) => !isKept).map(({ what }) => what);
      const why = `breaks the objective with ${broken.join(", ")}`;
      if (broken.length === 0) finalists.push({ ...one, checks });
      else fragile.push({ candidate, stage: "robustness", why, figures });
    }
    left = left.slice(some.length).filter((one) => !finalists.some((other) => isVariant(other, one)));
  }
  return { finalists: finalists.slice(0, maxFinalists), fragile };
}

function recommendationOf(
  candidate: Candidate,
  robustness: readonly RobustnessCheck[],
  of: RecommendOf,
): Recommendation | undefined {
  const [training, validation, test] = (["training", "validation", "test"] as const).map((period) =>
    figuresIn(period, candidate, of),
  );
  const unseen = [...of.split.validation, ...of.split.test];
  const [own, today] = [candidate, of.today].map((one): readonly DayScores[] | undefined =>
    of.evaluations.scoresOf(subjectOf(one), unseen),
  );
  if (training === undefined || validation === undefined || test === undefined) return undefined;
  if (own === undefined || today === undefined) return undefined;
  const { saved, interval } = periodFigures(own, today, of, `${candidate.id}/unseen`);
  const optimism = training.saved - validation.saved;
  return {
    candidate,
    patch: patchOf(candidate, of.recording),
    saved,
    interval,
    training,
    validation,
    test,
    robustness,
    optimism,
    ...confidenceOf({ ...of.evidence, optimism, saved, interval }),
  };
}

function optimismOf(candidate: Candidate | undefined, of: RecommendOf): number | undefined {
  if (candidate === undefined) return undefined;
  const [training, validation] = [
    figuresIn("training", candidate, of),
    figuresIn("validation", candidate, of),
  ];
  return training === undefined || validation === undefined ? undefined : training.saved - validation.saved;
}
