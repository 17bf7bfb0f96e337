// From what was found on training days to what is recommended: each guard on days that the choice did not see.
import type { Recording } from "../replay/recording.ts";
import type { Candidate } from "./candidate.ts";
import { confidenceOf, type Evidence } from "./confidence.ts";
import { periodFigures } from "./figures.ts";
import { finalistsOf } from "./finalists.ts";
import { figuresIn, isVariant, passing, wantedOn } from "./guarded.ts";
import { patchOf } from "./patch.ts";
import { subjectOf } from "./race.ts";
import type { Recommendation, Rejection, RobustnessCheck, TuneProgress } from "./report.ts";
import type { SurvivorsOf } from "./survivors.ts";

/** What recommendations are made from. */
export interface RecommendOf extends SurvivorsOf {
  readonly recording: Recording;
  readonly evidence: Pick<Evidence, "wholeDays" | "skill" | "censoredShare" | "isMoving" | "isCapacityKnown">;
}

/** What passed, what did not, and how optimistic the training was. */
export interface Recommended {
  readonly recommendations: readonly Recommendation[];
  readonly rejected: readonly Rejection[];
  readonly optimism: number | undefined;
}

const maxRejected = 10;

/** Validation, robustness, and one look at the test days. */
export async function* recommend(
  finished: readonly Candidate[],
  of: RecommendOf,
): AsyncGenerator<TuneProgress, Recommended> {
  const { finalists, rejected, nearest } = yield* finalistsOf(finished, of);
  const candidates = finalists.map(({ candidate }) => candidate);
  if (candidates.length > 0)
    yield* of.evaluations.run("test", wantedOn([of.today, ...candidates], of.split.test));
  const tested = passing(candidates, "test", of);
  const recommendations = tested.passed
    .filter((one, at) => !tested.passed.slice(0, at).some((better) => isVariant(better, one)))
    .flatMap(({ candidate }) => {
      const checks = finalists.find((one) => one.candidate === candidate)?.checks ?? [];
      return recommendationOf(candidate, checks, of) ?? [];
    })
    .toSorted((a, b) => b.saved - a.saved || a.candidate.id - b.candidate.id);
  return {
    recommendations,
    rejected: [...tested.rejected, ...rejected].slice(0, maxRejected),
    optimism: optimismOf(recommendations[0]?.candidate ?? nearest, of),
  };
}

function recommendationOf(
  candidate: Candidate,
  checks: readonly RobustnessCheck[],
  of: RecommendOf,
): Recommendation | undefined {
  const [training, validation, test] = (["training", "validation", "test"] as const).map((period) =>
    figuresIn(period, candidate, of),
  );
  const unseen = [...of.split.validation, ...of.split.test];
  const [own, today] = [candidate, of.today].map((one) => of.evaluations.scoresOf(subjectOf(one), unseen));
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
    robustness: checks.map(checkOf),
    optimism,
    ...confidenceOf({ ...of.evidence, optimism, saved, interval }),
  };
}

function checkOf(check: RobustnessCheck): RobustnessCheck {
  const { what, isKept, shortPodSeconds, hotSeconds, allowedShortPodSeconds, allowedHotSeconds } = check;
  return { what, isKept, shortPodSeconds, hotSeconds, allowedShortPodSeconds, allowedHotSeconds };
}

function optimismOf(candidate: Candidate | undefined, of: RecommendOf): number | undefined {
  if (candidate === undefined) return undefined;
  const [training, validation] = [
    figuresIn("training", candidate, of),
    figuresIn("validation", candidate, of),
  ];
  return training === undefined || validation === undefined ? undefined : training.saved - validation.saved;
}
