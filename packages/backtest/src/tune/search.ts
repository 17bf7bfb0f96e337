// The search on the training days: a hypercube, halved on days, then the neighbors of what is left.
import { type Candidate, type Parameters } from "./candidate.ts";
import { noCosts } from "./front.ts";
import { latinHypercube } from "./hypercube.ts";
import { keyOf, neighborsOf } from "./neighbors.ts";
import { bestOf, type Course, costsOf, excessOf, race } from "./race.ts";
import type { TuneProgress } from "./report.ts";
import type { Dimension } from "./space.ts";

/** What is searched. */
export interface Search {
  readonly course: Course;
  readonly dimensions: readonly Dimension[];
  /** Of the first round. */
  readonly count: number;
  readonly seed: number;
  /** Undefined for a point that cannot be. The same point is the same candidate. */
  readonly makeCandidate: (point: Parameters) => Candidate | undefined;
}

/** What came to the end of all training days, and how many were tried. */
export interface Searched {
  readonly finished: readonly Candidate[];
  readonly tried: number;
}

const rounds = 3;
/** Points whose neighbors are tried. */
const centers = 6;
/** Such a part of the first round, and at least so many. */
const perRound = { part: 1 / 6, min: 24 };
/** So much more than allowed is still worth a look beside it. */
const nearExcess = 2;

/** Quick changes of behavior that leave target and bounds as they are. */
const behaviors: readonly Parameters[] = [
  { scaleDownWindow: 60 },
  { scaleDownWindow: 120 },
  { scaleDownWindow: 180 },
  { scaleDownWindow: 300 },
  { scaleDownWindow: 180, toleranceDown: 0.05 },
];

export async function* search(of: Search): AsyncGenerator<TuneProgress, Searched> {
  const { course, count, seed, dimensions, makeCandidate } = of;
  const tried = new Map<string, Candidate>();
  const todayKey = keyOf(course.today.parameters, dimensions);
  tried.set(todayKey, course.today);
  const add = (point: Parameters): Candidate | undefined => {
    const key = keyOf(point, dimensions);
    if (tried.has(key)) return undefined;
    const candidate = makeCandidate(point);
    if (candidate !== undefined) tried.set(key, candidate);
    return candidate;
  };
  const behaviorOnly = behaviors.flatMap(
    (own) => add({ ...course.today.parameters, ...openOf(own, dimensions) }) ?? [],
  );
  const always = [course.today, ...behaviorOnly];
  const points = latinHypercube(dimensions, Math.max(0, count - always.length), seed);
  const first = [
    ...always,
    ...points.flatMap((point) => add({ ...course.today.parameters, ...point }) ?? []),
  ];
  let finished = yield* race({ first: "halving", later: "training" }, first, course, {
    known: [],
    always,
    keeps: Math.ceil(first.length / 4),
  });
  for (let round = 0; round < rounds && !course.evaluations.isStopped; round++) {
    const limit = Math.max(perRound.min, Math.round(count * perRound.part));
    const near = neighborsRound(finished, of, { limit, add });
    if (near.length === 0) break;
    const found = yield* race({ first: "neighbors", later: "neighbors" }, near, course, {
      known: finished,
      always: [],
      keeps: near.length,
    });
    finished = [...finished, ...found];
  }
  return { finished, tried: tried.size };
}

/** Values that are open to the search. */
function openOf(point: Parameters, dimensions: readonly Dimension[]): Parameters {
  const open = dimensions.flatMap(({ name, values }) => {
    const value = point[name];
    return value !== undefined && values.includes(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(open);
}

/** In turn from each of the centers, so that none takes all. */
function neighborsRound(
  finished: readonly Candidate[],
  { course, dimensions }: Search,
  { limit, add }: { readonly limit: number; readonly add: (point: Parameters) => Candidate | undefined },
): readonly Candidate[] {
  const lists = centersOf(finished, course).map(({ parameters }) => neighborsOf(parameters, dimensions));
  const found: Candidate[] = [];
  const deepest = Math.max(0, ...lists.map(({ length }) => length));
  for (let at = 0; at < deepest; at++) {
    for (const list of lists) {
      const point = list[at];
      const candidate = point === undefined || found.length >= limit ? undefined : add(point);
      if (candidate !== undefined) found.push(candidate);
    }
  }
  return found;
}

/** Half of them save most of those that keep what is allowed, the others break it by little. */
function centersOf(finished: readonly Candidate[], course: Course): readonly Candidate[] {
  const days = course.batches.flat();
  const today = costsOf(course.today, days, course) ?? noCosts;
  const placed = finished
    .flatMap((candidate) => {
      const costs = costsOf(candidate, days, course);
      if (costs === undefined || candidate === course.today) return [];
      const excess = excessOf(costs, today, { budget: course.budget, days: days.length });
      return costs.podHours < today.podHours ? [{ candidate, costs, excess }] : [];
    })
    .toSorted((a, b) => a.costs.podHours - b.costs.podHours || a.candidate.id - b.candidate.id);
  const kept = placed.filter(({ excess }) => excess <= 1).slice(0, centers / 2);
  const near = placed
    .filter(({ excess }) => excess > 1 && excess <= nearExcess)
    .toSorted((a, b) => a.excess - b.excess || a.candidate.id - b.candidate.id)
    .slice(0, centers - kept.length);
  const all = [...kept, ...near].map(({ candidate }) => candidate);
  return all.length > 0 ? all : bestOf(finished, 1, { days, course });
}
