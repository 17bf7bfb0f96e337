// The command line of the campaign.
import { parseArgs } from "node:util";
import { positive } from "../options/options.ts";

export interface CampaignOptions {
  /** How the names of the planted faults begin; empty: all. */
  readonly names: readonly string[];
  readonly minutes: number;
  /** Runs at the same time, each on a core of its own. */
  readonly atOnce: number;
  /** Of the first scenario of each run. */
  readonly seed: number;
  /** A folder for the scenarios that found them. */
  readonly out: string | undefined;
  /** Only the scenarios that are kept beside the patches are played. */
  readonly isKnownOnly: boolean;
}

export const usage = `usage: npm run task -- plants [NAME…] [--minutes N] [--seed N] [--at-once N] [--out FOLDER] [--known]

Plants each fault of tools/storm/plants into a copy of the tree, and looks how soon the storm finds it.
  NAME          how the name of a fault begins, such as 04; default: all
  --minutes N   of one core, how long the storm may look for each; 10 when absent
  --seed N      of the first scenario; 1 when absent
  --at-once N   faults that are looked for at the same time, each on one core; 1 when absent
  --out FOLDER  where the scenarios go that found them, to be replayed in a tree with that fault
  --known       does not search: plays the scenario that is kept beside each patch, with and without the fault
  --help        this text

Ends with 0 when all were found, with 1 when one was not, and with 2 when the command line is wrong.`;

/** Throws on an unknown flag or a value that is not a number. */
export function readOptions(args: readonly string[]): CampaignOptions {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      minutes: { type: "string", default: "10" },
      seed: { type: "string", default: "1" },
      "at-once": { type: "string", default: "1" },
      out: { type: "string" },
      known: { type: "boolean", default: false },
    },
  });
  return {
    names: positionals,
    minutes: positive("minutes", values.minutes),
    seed: positive("seed", values.seed),
    atOnce: positive("at-once", values["at-once"]),
    out: values.out,
    isKnownOnly: values.known,
  };
}
