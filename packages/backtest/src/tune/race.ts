// Candidates on more and more days: who is clearly worse than a cheaper one stops.
import type { Candidate } from "./candidate.ts";
import type { Evaluations } from "./evaluations.ts";
import { allowedOf, type Budget } from "./figures.ts";
import { type Costs, noCosts, nonDominatedRanks, sumOf } from "./front.ts";
import type { TuneProgress, TuneStage } from "./report.ts";

/** Where a race is run. */
export interface Course {
  readonly evaluations: Evaluations;
  /** Days of the training: those of the first halving first. */
  readonly batches: readonly (readonly number[])[];
  readonly today: Candidate;
  readonly budget: Budget;
}

/** Worse than another by so much of its shortfall, or of its cost at the same shortfall, is clearly worse. */
const clearly = { shortfall: 1.1, cost: 1.01 };
/** A cost that is higher by less is the same: the one with fewer changes goes on. */
const alike = 1.002;

/** How a candidate is found among what was simulated. */
export function subjectOf({ id, autoscaler }: Pick<Candidate, "id" | "autoscaler">) {
  return { key: String(id), autoscaler };
}

/** Of a candidate over some days; undefined where it has not all. */
export function costsOf(
  candidate: Candidate,
  days: readonly number[],
  { evaluations }: Pick<Course, "evaluations">,
): Costs | undefined {
  const scores = evaluations.scoresOf(subjectOf(candidate), days);
  return scores === undefined ? undefined : sumOf(scores);
}

/**
 * Those that came to the end of all days. `keeps` says how many go on after the first days; those that are `always` in
 * go on whatever they come to. `known` have run before.
 */
export async function* race(
  stage: { readonly first: TuneStage; readonly later: TuneStage },
  candidates: readonly Candidate[],
  course: Course,
  { known, always, keeps }: { known: readonly Candidate[]; always: readonly Candidate[]; keeps: number },
): AsyncGenerator<TuneProgress, readonly Candidate[]> {
  const { evaluations, batches } = course;
  let running = candidates;
  let days: readonly number[] = [];
  for (const [at, batch] of batches.entries()) {
    const wanted = running.map((candidate) => ({ subject: subjectOf(candidate), days: batch }));
    yield* evaluations.run(at === 0 ? stage.first : stage.later, wanted);
    if (evaluations.isStopped) break;
    days = [...days, ...batch];
    const field = [...known, ...running];
    const left = at === 0 && running.length > keeps ? bestOf(running, keeps, { days, course }) : running;
    const kept = left.filter((own) => !isClearlyWorse(own, field, { days, course }));
    running = running.filter((own) => kept.includes(own) || always.includes(own));
  }
  const all = batches.flat();
  return running.filter((own) => costsOf(own, all, course) !== undefined);
}

interface On {
  readonly days: readonly number[];
  readonly course: Course;
}

/** By rank; within a rank, those that cost less than today's and are nearest to what is allowed. */
export function bestOf(
  candidates: readonly Candidate[],
  count: number,
  { days, course }: On,
): readonly Candidate[] {
  const today = costsOf(course.today, days, course) ?? noCosts;
  const costs = candidates.map((candidate) => costsOf(candidate, days, course) ?? noCosts);
  const ranks = nonDominatedRanks(costs);
  const placed = candidates.map((candidate, at) => {
    const own = costs[at] ?? noCosts;
    const [rank, excess] = [
      ranks[at] ?? 0,
      excessOf(own, today, { budget: course.budget, days: days.length }),
    ];
    return { candidate, rank, isCostly: own.podHours > today.podHours ? 1 : 0, excess, own };
  });
  return placed
    .toSorted(
      (a, b) =>
        a.rank - b.rank ||
        a.isCostly - b.isCostly ||
        a.excess - b.excess ||
        a.own.podHours - b.own.podHours ||
        a.candidate.id - b.candidate.id,
    )
    .slice(0, count)
    .map(({ candidate }) => candidate);
}

/** Shortfall over what is allowed: up to 1 it is kept. */
export function excessOf(
  own: Budget,
  today: Budget,
  { budget, days }: { readonly budget: Budget; readonly days: number },
): number {
  const whole = { shortPodSeconds: budget.shortPodSeconds * days, hotSeconds: budget.hotSeconds * days };
  const allowed = allowedOf(today, whole);
  return Math.max(
    1,
    partOf(own.shortPodSeconds, allowed.shortPodSeconds),
    partOf(own.hotSeconds, allowed.hotSeconds),
  );
}

function partOf(own: number, allowed: number): number {
  return own <= allowed ? 1 : own / Math.max(allowed, 1);
}

function isClearlyWorse(own: Candidate, field: readonly Candidate[], { days, course }: On): boolean {
  const costs = costsOf(own, days, course);
  if (costs === undefined) return true;
  return field.some((other) => {
    const than = other === own ? undefined : costsOf(other, days, course);
    if (
      than === undefined ||
      than.shortPodSeconds > costs.shortPodSeconds ||
      than.hotSeconds > costs.hotSeconds
    ) {
      return false;
    }
    return isClearly(costs, than) || (isSimpler(other, own) && than.podHours <= alike * costs.podHours);
  });
}

/** Where the other is no worse. */
function isClearly(own: Costs, than: Costs): boolean {
  if (than.podHours > own.podHours) return false;
  return (
    own.shortPodSeconds > clearly.shortfall * than.shortPodSeconds ||
    own.podHours > clearly.cost * than.podHours
  );
}

/** Fewer changes; of as many, the one that was made first. */
function isSimpler(a: Candidate, b: Candidate): boolean {
  return a.changes.length < b.changes.length || (a.changes.length === b.changes.length && a.id < b.id);
}
