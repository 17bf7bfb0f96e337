// A Latin hypercube: each parameter is spread evenly over its values, whatever the others are.
import { type RandomStream, randomStream } from "@plimsoll/simulator/parts";
import type { ParameterName, Parameters, ParameterValue } from "./candidate.ts";
import type { Dimension } from "./space.ts";

/** So much of the strata of what is not the target is today's value: a candidate that changes all at once says little. */
const todaysShare = 0.5;

/** `count` points: each of the `count` strata of each dimension has one of them. */
export function latinHypercube(
  dimensions: readonly Dimension[],
  count: number,
  seed: number,
): readonly Parameters[] {
  const columns = dimensions.map((dimension) => {
    const stream = randomStream(seed, `hypercube/${dimension.name}`);
    return permutation(count, stream).map((stratum) =>
      valueAt(dimension, (stratum + stream.uniform()) / count),
    );
  });
  return Array.from({ length: count }, (_, at) => {
    const point: Partial<Record<ParameterName, ParameterValue>> = {};
    for (const [column, { name }] of dimensions.entries()) {
      const value = columns[column]?.[at];
      if (value !== undefined) point[name] = value;
    }
    return point;
  });
}

/** 0 ≤ part < 1. */
function valueAt({ name, values, today }: Dimension, part: number): ParameterValue | undefined {
  if (name === "target") return values[Math.floor(part * values.length)];
  if (part < todaysShare) return values[today];
  const others = values.filter((_, at) => at !== today);
  return others[Math.floor(((part - todaysShare) / (1 - todaysShare)) * others.length)];
}

function permutation(count: number, stream: RandomStream): readonly number[] {
  const order = Array.from({ length: count }, (_, at) => at);
  for (let at = count - 1; at > 0; at--) {
    const other = Math.floor(stream.uniform() * (at + 1));
    const [a, b] = [order[at] ?? at, order[other] ?? other];
    [order[at], order[other]] = [b, a];
  }
  return order;
}
