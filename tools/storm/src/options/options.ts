// The command line of the storm.
import { parseArgs } from "node:util";

export const usage = `usage: npm run storm -- [--seed N] [--hours H] [--minutes M] [--replay FILE] [--trace FILE]
                        [--out FOLDER] [--shrink-seconds N]

Runs the real autoscaler and adapter in a simulated cluster, on virtual time, with faults drawn from a seed, and checks
invariants after each thing that happens. The same seed gives the same run.

  --seed N            the seed, or the first one; drawn when absent
  --hours H           simulated hours of each run; drawn from the seed when absent
  --minutes M         runs one seed after the other until so many minutes have passed
  --replay FILE       plays a scenario from a file, as they are written for what was found
  --trace FILE        writes the trace of the run to a file
  --out FOLDER        where the scenario of a violation is written; the current folder when absent
  --shrink-seconds N  how long it is shrunk at most: 120 by default; 0 writes it as it was found
  --help              this text

Ends with 0 when all invariants held, with 1 when one was violated, with 2 when the command line or the file is wrong, with 3 when
a run hung or ended its process, whose seed and last events are printed, and with 130 when it was interrupted.`;

export interface Options {
  readonly seed: number | undefined;
  readonly hours: number | undefined;
  readonly minutes: number | undefined;
  readonly replay: string | undefined;
  readonly trace: string | undefined;
  readonly out: string;
  readonly shrinkSeconds: number;
}

/** Throws Error that says what is wrong. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      hours: { type: "string" },
      minutes: { type: "string" },
      replay: { type: "string" },
      trace: { type: "string" },
      out: { type: "string", default: "." },
      "shrink-seconds": { type: "string", default: "120" },
    },
  });
  const seed = optional("seed", values.seed, Number.isSafeInteger);
  const hours = optional("hours", values.hours);
  const minutes = optional("minutes", values.minutes);
  const shrinkSeconds = Number(values["shrink-seconds"]);
  if (!(shrinkSeconds >= 0)) throw new Error(`--shrink-seconds: not a number: ${values["shrink-seconds"]}`);
  const { replay, trace, out } = values;
  if (replay !== undefined && [seed, hours, minutes].some((value) => value !== undefined)) {
    throw new Error(
      "--replay: the file has everything, so that --seed, --hours and --minutes are not given with it",
    );
  }
  if (trace !== undefined && minutes !== undefined) {
    throw new Error("--trace: is for one run, so that --minutes is not given with it");
  }
  return { seed, hours, minutes, replay, trace, out, shrinkSeconds };
}

function optional(
  name: string,
  text: string | undefined,
  isFit?: (value: number) => boolean,
): number | undefined {
  return text === undefined ? undefined : positive(name, text, isFit);
}

/** The number of a flag. Throws Error that names the flag. */
export function positive(name: string, text: string, isFit = Number.isFinite): number {
  const value = Number(text);
  if (text.trim() === "" || !isFit(value) || value <= 0)
    throw new Error(`--${name}: not a number above 0: ${text}`);
  return value;
}
