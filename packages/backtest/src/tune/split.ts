// Which whole days are searched on, which are for the choice, and which nothing sees before the end.

/** Positions of days, in time. */
export interface Split {
  readonly training: readonly number[];
  readonly validation: readonly number[];
  readonly test: readonly number[];
}

/** Fewer whole days are refused. */
export const minDays = 7;
/** Fewer are thin. */
export const fullDays = 14;
/** Floors need three weeks. */
export const floorDays = 21;
const minPart = 2;

/** The last fifth is for the test, a fifth before it for the choice, and at least two days each. */
export function splitDays(count: number): Split {
  const test = Math.max(minPart, Math.floor(count / 5));
  const validation = Math.max(minPart, Math.round(count / 5));
  const training = count - validation - test;
  const positions = Array.from({ length: count }, (_, at) => at);
  return {
    training: positions.slice(0, training),
    validation: positions.slice(training, training + validation),
    test: positions.slice(training + validation),
  };
}
