// What a finalist has to survive: a harder world, and parameters that are a little off.
import type { Candidate, ParameterName, Parameters } from "./candidate.ts";
import { changesOf, changesText } from "./changes.ts";
import type { DayScores, Stress } from "./evaluate.ts";
import type { Evaluations, Subject, Wanted } from "./evaluations.ts";
import { allowedOf, type Budget, isBeyond } from "./figures.ts";
import { stepsOf } from "./neighbors.ts";
import { subjectOf } from "./race.ts";
import type { RobustnessCheck } from "./report.ts";
import type { Dimension } from "./space.ts";

/** A world that is harder. */
export const stresses: readonly { readonly what: string; readonly stress: Stress }[] = [
  { what: "load +20 %", stress: { load: 1.2 } },
  { what: "start-up × 2", stress: { startUp: 2 } },
  { what: "5 % of scrapes fail", stress: { failedScrapes: 0.05 } },
];

/** What robustness is checked with. */
export interface RobustnessOf {
  readonly today: Candidate;
  readonly days: readonly number[];
  readonly budget: Budget;
  readonly dimensions: readonly Dimension[];
  /** Undefined for a point that cannot be. */
  readonly makeCandidate: (point: Parameters) => Candidate | undefined;
}

/** One check: what is simulated, and what of today's it is compared with. */
interface Check {
  readonly what: string;
  /** That is moved by a step; undefined where the world is harder. */
  readonly parameter?: ParameterName;
  readonly own: Subject;
  readonly today: Subject;
}

/** Those that most break at come first: most candidates need no others. */
export type RobustnessPart = "first" | "rest";

/** A check, and the parameter that it moves. */
export interface Checked extends RobustnessCheck {
  readonly parameter?: ParameterName;
}

/** All days that the checks of candidates need. */
export function robustnessRuns(
  candidates: readonly Candidate[],
  part: RobustnessPart,
  of: RobustnessOf,
): readonly Wanted[] {
  return candidates
    .flatMap((candidate) => checksOf(candidate, part, of))
    .flatMap(({ own, today }) => [own, today].map((subject) => ({ subject, days: of.days })));
}

/** Undefined where a day is missing. */
export function robustnessOf(
  candidate: Candidate,
  part: RobustnessPart,
  of: RobustnessOf,
  evaluations: Pick<Evaluations, "scoresOf">,
): readonly Checked[] | undefined {
  const wanted = checksOf(candidate, part, of);
  const found = wanted.flatMap(({ what, parameter, own, today }) => {
    const [scores, todays] = [own, today].map((subject) => evaluations.scoresOf(subject, of.days));
    if (scores === undefined || todays === undefined) return [];
    const mean = meanShortfall(scores);
    const allowed = allowedOf(meanShortfall(todays), of.budget);
    return [
      {
        what,
        ...(parameter === undefined ? {} : { parameter }),
        isKept: !isBeyond(mean, allowed, of.budget),
        ...mean,
        allowedShortPodSeconds: allowed.shortPodSeconds,
        allowedHotSeconds: allowed.hotSeconds,
      },
    ];
  });
  return found.length < wanted.length ? undefined : found;
}

/** Harder worlds, in which today's is compared as well; and each changed parameter, a step to either side. */
function checksOf(candidate: Candidate, part: RobustnessPart, of: RobustnessOf): readonly Check[] {
  const { today, dimensions, makeCandidate } = of;
  const inWorlds = stresses.map(({ what, stress }): Check => {
    const under = (own: Candidate): Subject => ({
      key: `${own.id}/${what}`,
      autoscaler: own.autoscaler,
      stress,
    });
    return { what, own: under(candidate), today: under(today) };
  });
  const changed = dimensions.filter(({ name }) =>
    candidate.changes.some(({ parameter }) => parameter === name),
  );
  const beside = (isOf: (name: ParameterName) => boolean): readonly Check[] =>
    changed
      .filter(({ name }) => isOf(name))
      .flatMap((dimension) =>
        stepsOf(
          candidate.parameters,
          { ...dimension, values: dimension.grid ?? dimension.values },
          1,
        ).flatMap((point): readonly Check[] => {
          const own = makeCandidate(point);
          if (own === undefined) return [];
          const what = changesText(changesOf(point, candidate.parameters));
          return [{ what, parameter: dimension.name, own: subjectOf(own), today: subjectOf(today) }];
        }),
      );
  return part === "first"
    ? [...inWorlds, ...beside((name) => name === "target")]
    : beside((name) => name !== "target");
}

function meanShortfall(days: readonly DayScores[]): Budget {
  const mean = (of: (day: DayScores) => number): number =>
    days.reduce((sum, day) => sum + of(day), 0) / Math.max(1, days.length);
  return {
    shortPodSeconds: mean(({ shortPodSeconds }) => shortPodSeconds),
    hotSeconds: mean(({ hotSeconds }) => hotSeconds),
  };
}
