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

/** The first that survive, three at a time, without variants of each other; and what broke the others. */
export async function* survivorsOf(
  validated: readonly Figured[],
  of: SurvivorsOf,
): AsyncGenerator<
  TuneProgress,
  { readonly survivors: readonly Survivor[]; readonly fragile: readonly Fragile[] }
> {
  const [survivors, fragile]: [Survivor[], Fragile[]] = [[], []];
  let left = validated;
  while (left.length > 0 && survivors.length < maxFinalists && !of.evaluations.isStopped) {
    const some = left.slice(0, maxFinalists).map((one): Survivor => ({ ...one, checks: [] }));
    const first = yield* checked(some, "first", of);
    const second = yield* checked(first.survivors, "rest", of);
    fragile.push(...first.fragile, ...second.fragile);
    for (const one of second.survivors) {
      if (!survivors.some((other) => isVariant(other, one))) survivors.push(one);
    }
    left = left.slice(some.length).filter((one) => !survivors.some((other) => isVariant(other, one)));
  }
  return { survivors: survivors.slice(0, maxFinalists), fragile };
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
