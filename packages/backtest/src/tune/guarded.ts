// Candidates on the days of a part of the split, by the guards.
import type { Candidate } from "./candidate.ts";
import type { Evaluations, Wanted } from "./evaluations.ts";
import { type Comparison, periodFigures } from "./figures.ts";
import { guardAgainst, minSaved } from "./guards.ts";
import { subjectOf } from "./race.ts";
import type { PeriodFigures, Rejection } from "./report.ts";
import type { Split } from "./split.ts";

/** What candidates are compared on. */
export interface GuardedOf extends Comparison {
  readonly evaluations: Evaluations;
  readonly split: Split;
  readonly today: Candidate;
}

/** A candidate with what it came to. */
export interface Figured {
  readonly candidate: Candidate;
  readonly figures: PeriodFigures;
}

/** A part of the split. */
export type Period = "training" | "validation" | "test";

/** A saving that differs by less is the same. */
const alikeSaved = 0.005;

/** On the days of a part of the split; undefined where one was not simulated. */
export function figuresIn(period: Period, candidate: Candidate, of: GuardedOf): PeriodFigures | undefined {
  const [own, today] = [candidate, of.today].map((one) =>
    of.evaluations.scoresOf(subjectOf(one), of.split[period]),
  );
  if (own === undefined || today === undefined) return undefined;
  return periodFigures(own, today, of, `${candidate.id}/${period}`);
}

/** Candidates on some days. */
export function wantedOn(candidates: readonly Candidate[], days: readonly number[]): readonly Wanted[] {
  return candidates.map((candidate) => ({ subject: subjectOf(candidate), days }));
}

/** Those that keep the guards, which saves most with the fewest changes first; of the others, the nearest first. */
export function passing(
  candidates: readonly Candidate[],
  period: Period,
  of: GuardedOf,
): { readonly passed: readonly Figured[]; readonly rejected: readonly Rejection[] } {
  const today = figuresIn(period, of.today, of);
  const found = candidates
    .flatMap((candidate) => {
      const figures = candidate === of.today ? undefined : figuresIn(period, candidate, of);
      if (figures === undefined || today === undefined) return [];
      return [{ candidate, figures, why: guardAgainst(figures, today, { budget: of.budget, period }) }];
    })
    .toSorted(bySaving);
  return {
    passed: found.filter(({ why }) => why === undefined),
    rejected: found
      .flatMap(({ candidate, figures, why }) =>
        why === undefined ? [] : [{ candidate, stage: period, why, figures }],
      )
      .toSorted((a, b) => distanceOf(a) - distanceOf(b) || b.figures.saved - a.figures.saved),
  };
}

/** Of about the same saving, the one with fewer changes first. */
export function bySaving(a: Figured, b: Figured): number {
  return (
    stepsOfSaved(b) - stepsOfSaved(a) ||
    a.candidate.changes.length - b.candidate.changes.length ||
    a.candidate.id - b.candidate.id
  );
}

function stepsOfSaved({ figures }: Figured): number {
  return Math.round(figures.saved / alikeSaved);
}

const beyondAll = Number.MAX_SAFE_INTEGER;

/** Days that stand against one that saves enough; the others are further. */
function distanceOf({ figures }: Figured): number {
  return figures.saved >= minSaved ? figures.brokenDays : beyondAll;
}

/** All that the first changes the second changes too, to the same values; and it saves about as much. */
export function isWithin(first: Figured, second: Figured): boolean {
  const { parameters } = second.candidate;
  return (
    savesAsMuch(first, second) &&
    first.candidate.changes.every(({ parameter, to }) => parameters[parameter] === to)
  );
}

/** The second changes the same parameters, or more of them, and saves no more. */
export function isVariant(first: Figured, second: Figured): boolean {
  const names = second.candidate.changes.map(({ parameter }) => parameter);
  return (
    savesAsMuch(first, second) && first.candidate.changes.every(({ parameter }) => names.includes(parameter))
  );
}

function savesAsMuch(first: Figured, second: Figured): boolean {
  return first.figures.saved > second.figures.saved - alikeSaved;
}
