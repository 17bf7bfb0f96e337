// Property tests under a budget: how often they run, and how long they may take.
import * as fc from "fast-check";
import { watch } from "./watch.ts";

export interface Budget {
  /** A part of the runs that a test names, or a multiple. */
  readonly times: number;
  readonly seed: number | undefined;
  /** Of all runs of a property. */
  readonly limitMs: number;
  /** Of a run that does not return: its process is ended then. */
  readonly endMs: number;
}

/** The least number of runs, where a test does not name fewer. */
const LEAST = 100;

/** `npm test` runs a part; PROPERTY_TIMES=1 runs all. */
export function readBudget(environment: Readonly<Record<string, string | undefined>>): Budget {
  const times = Number(environment["PROPERTY_TIMES"] ?? 0.1);
  if (!(times > 0)) throw new Error("PROPERTY_TIMES is not a number above 0");
  const seed = environment["PROPERTY_SEED"];
  if (seed !== undefined && !/^-?\d+$/.test(seed)) throw new Error("PROPERTY_SEED is not a whole number");
  const limitMs = 100_000 * Math.max(1, times);
  return { times, seed: seed === undefined ? undefined : Number(seed), limitMs, endMs: 2 * limitMs };
}

/** How often a property runs for which a test names this number. */
export function runsOf(full: number, { times }: Budget): number {
  return Math.max(Math.min(full, LEAST), Math.ceil(full * times));
}

/** fast-check's assert; `numRuns` is the full size. A property over its budget fails, with its seed. */
export const assertProperty = assertUnder(readBudget(process.env));

export function assertUnder(budget: Budget): typeof fc.assert {
  const assert = (property: fc.IProperty<unknown>, parameters: fc.Parameters<unknown> = {}) => {
    const seed = parameters.seed ?? budget.seed ?? Math.trunc(Math.random() * 2 ** 31);
    const done = watch({
      limitMs: budget.endMs,
      text: `a property did not end; PROPERTY_SEED=${seed}`,
    });
    const bounded = {
      ...parameters,
      seed,
      numRuns: runsOf(parameters.numRuns ?? LEAST, budget),
      interruptAfterTimeLimit: budget.limitMs,
      markInterruptAsFailure: true,
    };
    let result: unknown;
    try {
      result = fc.assert(property, bounded) as unknown;
    } finally {
      if (!(result instanceof Promise)) done();
    }
    return result instanceof Promise ? result.finally(done) : result;
  };
  return assert as typeof fc.assert;
}
