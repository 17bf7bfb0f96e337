// The command line of the repeated test run.
import { parseArgs } from "node:util";

export interface RepeatOptions {
  readonly times: number;
  /** Busy processes beside the tests. */
  readonly load: number;
  /** Forget what an interrupted call measured. */
  readonly isReset: boolean;
}

export const usage = `usage: npm run task -- repeat [--times N] [--load K] [--reset]

Runs the whole "npm test" again and again, and counts failures by the name of the test. A call that was interrupted
continues where it stopped, as long as the sources and the load are the same. Ends with exit code 1 if a test failed.
  --times N  how often; 10 when absent
  --load K   with K busy processes beside the tests; 0 when absent
  --reset    forgets what an interrupted call measured`;

/** @throws on an unknown flag or a value that is not a whole number. */
export function readOptions(args: readonly string[]): RepeatOptions {
  const { values } = parseArgs({
    args: [...args],
    options: { times: { type: "string" }, load: { type: "string" }, reset: { type: "boolean" } },
  });
  return {
    times: whole("--times", values.times ?? "10", 1),
    load: whole("--load", values.load ?? "0", 0),
    isReset: values.reset ?? false,
  };
}

function whole(flag: string, text: string, least: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(value >= least)) throw new Error(`${flag}: ${text} is not a whole number of at least ${least}`);
  return value;
}
