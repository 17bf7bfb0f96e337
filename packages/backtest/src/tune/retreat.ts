// Back from the edge: what saved most and broke is tried with targets that are nearer to today's.
import type { ParameterName, Parameters } from "./candidate.ts";
import { passing, wantedOn } from "./guarded.ts";
import type { TuneProgress } from "./report.ts";
import { type Survivor, type SurvivorsOf, survivorsOf } from "./survivors.ts";

/** Where a retreat begins. */
export interface Head {
  readonly parameters: Parameters;
  /** Those that may not move: they are as they are today. */
  readonly broken: readonly ParameterName[];
}

/** Steps of the target, towards today's. */
const rungs = [0, 2, 4, 7, 11, 16];
const maxHeads = 3;

/** The first that keeps all guards and survives; undefined where none does. */
export async function* retreat(
  heads: readonly Head[],
  of: SurvivorsOf,
): AsyncGenerator<TuneProgress, Survivor | undefined> {
  const tried = new Set<number>();
  for (const head of heads.slice(0, maxHeads)) {
    for (const point of ladderOf(head, of)) {
      const candidate = of.robustness.makeCandidate(point);
      if (candidate === undefined || tried.has(candidate.id)) continue;
      if (of.evaluations.isStopped) return undefined;
      tried.add(candidate.id);
      yield* of.evaluations.run("robustness", wantedOn([candidate], of.split.validation));
      const { passed } = passing([candidate], "validation", of);
      const { survivors } = yield* survivorsOf(passed, of);
      const [survivor] = survivors;
      if (survivor === undefined) continue;
      yield* of.evaluations.run("robustness", wantedOn([candidate], of.split.training));
      if (passing([candidate], "training", of).passed.length > 0) return survivor;
    }
  }
  return undefined;
}

function ladderOf({ parameters, broken }: Head, of: SurvivorsOf): readonly Parameters[] {
  const today = of.today.parameters;
  const isReverted = (name: string): boolean => name !== "target" && broken.some((one) => one === name);
  const calm = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [
      name,
      isReverted(name) ? (today[name as ParameterName] ?? value) : value,
    ]),
  ) as Parameters;
  const dimension = of.robustness.dimensions.find(({ name }) => name === "target");
  const at =
    dimension === undefined || calm.target === undefined ? -1 : dimension.values.indexOf(calm.target);
  if (dimension === undefined || at < 0 || at === dimension.today) return [calm];
  const towards = Math.sign(dimension.today - at);
  return rungs.flatMap((steps) => {
    if (steps >= Math.abs(dimension.today - at)) return [];
    const target = dimension.values[at + towards * steps];
    return target === undefined ? [] : [{ ...calm, target }];
  });
}
