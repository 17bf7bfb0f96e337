// Validated candidates that survive a harder world and parameters that are a little off.
import type { ParameterName } from "./candidate.ts";
import { type Figured, type GuardedOf, isVariant } from "./guarded.ts";
import type { Rejection, RobustnessCheck, TuneProgress } from "./report.ts";
import {
  type Checked,
  type RobustnessOf,
  type RobustnessPart,
  robustnessOf,
  robustnessRuns,
} from "./robustness.ts";

/** What robustness is checked with, and on which days. */
export interface SurvivorsOf extends GuardedOf {
  readonly robustness: RobustnessOf;
}

/** One that survived. */
export interface Survivor extends Figured {
  readonly checks: readonly RobustnessCheck[];
}

/** One that did not: the parameters that may not move. */
export interface Fragile {
  readonly rejection: Rejection;
  readonly parameters: readonly ParameterName[];
}

/** That go into the test. */
export const maxFinalists = 3;

/** The first, the last, and others at equal distances: where those that save most fail together, a moderate one may pass. */
export function spanning<T>(all: readonly T[], count: number): readonly T[] {
  const step = Math.max(1, (all.length - 1) / (count - 1));
  const places = new Set(Array.from({ length: count }, (_, at) => Math.round(at * step)));
  return all.filter((_, at) => places.has(at));
}

export interface Survived {
  /** Without variants of each other. */
  readonly survivors: readonly Survivor[];
  /** Variants of them, which save less: one may pass the test where the one that saves more fails. */
  readonly moderate: readonly Survivor[];
  readonly fragile: readonly Fragile[];
}

/** Those that survive, three at a time over the range; and what broke the others. */
export async function* survivorsOf(
  validated: readonly Figured[],
  of: SurvivorsOf,
): AsyncGenerator<TuneProgress, Survived> {
  const [survivors, moderate, fragile]: [Survivor[], Survivor[], Fragile[]] = [[], [], []];
  let left = validated;
  while (left.length > 0 && survivors.length < maxFinalists && !of.evaluations.isStopped) {
    const chosen = spanning(left, maxFinalists);
    const some = chosen.map((one): Survivor => ({ ...one, checks: [] }));
    const first = yield* checked(some, "first", of);
    const second = yield* checked(first.survivors, "rest", of);
    fragile.push(...first.fragile, ...second.fragile);
    for (const one of second.survivors)
      (survivors.some((other) => isVariant(other, one)) ? moderate : survivors).push(one);
    left = left.filter((one) => !chosen.includes(one) && !survivors.some((other) => isVariant(other, one)));
  }
  return { survivors, moderate, fragile };
}

async function* checked(
  some: readonly Survivor[],
  part: RobustnessPart,
  of: SurvivorsOf,
): AsyncGenerator<
  TuneProgress,
  { readonly survivors: readonly Survivor[]; readonly fragile: readonly Fragile[] }
> {
  const [survivors, fragile]: [Survivor[], Fragile[]] = [[], []];
  const candidates = some.map(({ candidate }) => candidate);
  yield* of.evaluations.run("robustness", robustnessRuns(candidates, part, of.robustness));
  for (const one of some) {
    const checks = robustnessOf(one.candidate, part, of.robustness, of.evaluations);
    if (checks === undefined) continue;
    const broken = checks.filter(({ isKept }) => !isKept);
    if (broken.length === 0) survivors.push({ ...one, checks: [...one.checks, ...checks] });
    else fragile.push(fragileOf(one, broken));
  }
  return { survivors, fragile };
}

function fragileOf({ candidate, figures }: Figured, broken: readonly Checked[]): Fragile {
  const why = `breaks the objective with ${broken.map(({ what }) => what).join(", ")}`;
  return {
    rejection: { candidate, stage: "robustness", why, figures },
    parameters: broken.flatMap(({ parameter }) => parameter ?? []),
  };
}
