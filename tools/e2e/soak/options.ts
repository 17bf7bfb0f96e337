// The command line of the soak.
import { parseArgs } from "node:util";

export interface SoakOptions {
  readonly seed: number;
  readonly durationMs: number;
  /** Where the figures go as JSON. */
  readonly out: string | undefined;
  /** A folder for a heap snapshot of each process a third of the way and at the end. */
  readonly snapshots: string | undefined;
}

export const usage = `usage: npm run task -- soak [--hours N | --minutes N] [--seed N] [--out FILE] [--snapshots DIR]

Both processes under churn for a long time; fails on growth, missed periods and violated invariants.
  --hours N, --minutes N  how long; 30 minutes when both are absent
  --seed N                of the actions; drawn and printed when absent
  --out FILE              writes samples, events and findings as JSON
  --snapshots DIR         writes two heap snapshots of each process, to compare; a period may be missed for it`;

/** @throws on an unknown flag or a value that is not a number. */
export function readOptions(args: readonly string[]): SoakOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      hours: { type: "string" },
      minutes: { type: "string" },
      seed: { type: "string" },
      out: { type: "string" },
      snapshots: { type: "string" },
    },
  });
  const minutes = (number("--hours", values.hours) ?? 0) * 60 + (number("--minutes", values.minutes) ?? 0);
  return {
    seed: number("--seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    durationMs: (minutes === 0 ? 30 : minutes) * 60_000,
    out: values.out,
    snapshots: values.snapshots,
  };
}

function number(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  const parsed = Number(value);
  if (value.trim() === "" || !(parsed >= 0))
    throw new Error(`${flag}: ${value} is not a number of at least 0`);
  return parsed;
}
