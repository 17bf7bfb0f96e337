// Points beside others: one step of one parameter away, or back to today's value of it.
import type { Parameters } from "./candidate.ts";
import type { Dimension } from "./space.ts";

/** Steps of a target are small: it is moved by more at first. */
const targetSteps = [1, 2, 4];
const otherSteps = [1];

/** In the order of the dimensions; first those that are nearer to today's. */
export function neighborsOf(point: Parameters, dimensions: readonly Dimension[]): readonly Parameters[] {
  const reverted = dimensions.flatMap(({ name, values, today }) => {
    const own = values[today];
    return own === undefined || point[name] === own ? [] : [{ ...point, [name]: own }];
  });
  const moved = dimensions.flatMap((dimension) => {
    const steps = dimension.name === "target" ? targetSteps : otherSteps;
    return steps.flatMap((step) => stepsOf(point, dimension, step));
  });
  return [...reverted, ...moved];
}

/** The points that lie so many steps of one parameter away, at most two. */
export function stepsOf(point: Parameters, { name, values }: Dimension, step: number): readonly Parameters[] {
  const own = point[name];
  const at = own === undefined ? -1 : values.indexOf(own);
  if (at < 0) return [];
  return [at - step, at + step].flatMap((to) => {
    const value = values[to];
    return value === undefined ? [] : [{ ...point, [name]: value }];
  });
}

/** Equal points have equal keys. */
export function keyOf(point: Parameters, dimensions: readonly Dimension[]): string {
  return dimensions.map(({ name }) => String(point[name])).join("|");
}
