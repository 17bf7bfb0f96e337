// At most three candidates that kept every guard on the training and the validation days.
import type { Candidate } from "./candidate.ts";
import { bySaving, type Figured, isWithin, passing, wantedOn } from "./guarded.ts";
import type { Rejection, TuneProgress } from "./report.ts";
import { type Head, retreat } from "./retreat.ts";
import {
  type Fragile,
  maxFinalists,
  type Survivor,
  type SurvivorsOf,
  spanning,
  survivorsOf,
} from "./survivors.ts";

/** Who goes into the test, and who does not: the nearest first. */
export interface Finalists {
  readonly finalists: readonly Survivor[];
  readonly rejected: readonly Rejection[];
  /** That came nearest. */
  readonly nearest: Candidate | undefined;
}

/** Candidates that are validated, from the one that saves most in training to the one that saves least. */
const maxValidated = 12;
/** A retreat is worth its simulations where so much more may be saved. */
const worthMore = 0.02;

/** Validation and robustness. */
export async function* finalistsOf(
  finished: readonly Candidate[],
  of: SurvivorsOf,
): AsyncGenerator<TuneProgress, Finalists> {
  const early = passing(finished, "training", of);
  const validated = spread(early.passed, maxValidated).map(({ candidate }) => candidate);
  yield* of.evaluations.run("validation", wantedOn([of.today, ...validated], of.split.validation));
  const { passed, rejected: late } = passing(validated, "validation", of);
  const { survivors, moderate, fragile } = yield* survivorsOf(passed, of);
  const rejected = [...fragile.map(({ rejection }) => rejection), ...late, ...early.rejected];
  const more = yield* retreat(headsOf(fragile, rejected, survivors, of), of);
  const all = more === undefined ? survivors : [more, ...survivors];
  return {
    finalists: withVariants(all, moderate, maxFinalists),
    rejected,
    nearest: all[0]?.candidate ?? passed[0]?.candidate ?? validated[0],
  };
}

/** Variants take the places that the others leave, and over the range of what they save. */
export function withVariants(
  all: readonly Survivor[],
  moderate: readonly Survivor[],
  most: number,
): readonly Survivor[] {
  const room = Math.max(0, most - all.length);
  const variants = room === 0 ? [] : spanning(moderate.toSorted(bySaving), room + 1).slice(-room);
  return spanning([...all, ...variants].toSorted(bySaving), most);
}

/** Those that would save clearly more than what survived; then with the target alone. */
function headsOf(
  fragile: readonly Fragile[],
  rejected: readonly Rejection[],
  survivors: readonly Survivor[],
  { today }: SurvivorsOf,
): readonly Head[] {
  const best = survivors.reduce((max, { figures }) => Math.max(max, figures.saved), 0);
  const [broken] = rejected.filter(({ figures }) => figures.saved > best + worthMore);
  if (broken === undefined) return [];
  const own = fragile.find(({ rejection }) => rejection === broken)?.parameters ?? [];
  const { parameters } = broken.candidate;
  const { target } = parameters;
  return [
    { parameters, broken: own },
    ...(target === undefined ? [] : [{ parameters: { ...today.parameters, target }, broken: [] }]),
  ];
}

/** Those that differ, and of many the first and others at equal distances after it: neighbors in cost fail together. */
function spread(figured: readonly Figured[], count: number): readonly Figured[] {
  const chosen: Figured[] = [];
  for (const one of figured) if (!chosen.some((other) => isWithin(other, one))) chosen.push(one);
  return spanning(chosen, count);
}
