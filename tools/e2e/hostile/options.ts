import { parseArgs } from "node:util";

export type PrometheusVersion = "2" | "3";

export interface Options {
  readonly seed: number;
  readonly minutes: number;
  /** Cases that alone are run. */
  readonly caseFiles: readonly string[];
  /** Undefined: the kept ones, and then random ones. */
  readonly only: "kept" | "random" | undefined;
  /** Major versions; each has its share of the cases and of the time. */
  readonly prometheus: readonly PrometheusVersion[];
  /** Of the kept ones only each of this number, from the first. */
  readonly every: number;
  /** So many of the kept ones run at once. */
  readonly together: number;
}

export const usage = `usage: npm run task -- hostile [--seed N] [--minutes M] [--case FILE] [--only kept|random] [--every N] [--together N] [--prometheus 2|3|both]

A tenant that writes and requests whatever it may, beside one that must not notice.
  --seed N      of the random cases; drawn and printed when absent
  --minutes M   how long random cases are tried; 10 when absent
  --case FILE   this case alone (repeatable), such as tools/e2e/hostile/cases/NAME.yaml
  --only WHICH  kept: the cases in tools/e2e/hostile/cases, none at random; random: the reverse
  --every N     of the kept cases only each Nth, 1 when absent
  --together N  how many of the kept cases run at once, 4 when absent; when something does not hold, each runs alone
  --prometheus  the version that serves, both when absent: each has half of the cases and of the minutes, and all of --case`;

/** @throws on a flag that is unknown or a value that is not a number. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string" },
      minutes: { type: "string" },
      case: { type: "string", multiple: true, default: [] },
      only: { type: "string" },
      every: { type: "string" },
      together: { type: "string" },
      prometheus: { type: "string", default: "both" },
    },
  });
  return {
    seed: number("--seed", values.seed) ?? Math.floor(Math.random() * 2 ** 31),
    minutes: number("--minutes", values.minutes) ?? 10,
    caseFiles: values.case,
    only: which(values.only),
    prometheus: versions(values.prometheus),
    every: Math.max(1, number("--every", values.every) ?? 1),
    together: Math.max(1, number("--together", values.together) ?? 4),
  };
}

function number(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (text.trim() === "" || !(value >= 0)) throw new Error(`${flag}: ${text} is not a number of at least 0`);
  return value;
}

function which(text: string | undefined): Options["only"] {
  if (text === undefined || text === "kept" || text === "random") return text;
  throw new Error(`--only: ${text} is neither kept nor random`);
}

function versions(text: string): Options["prometheus"] {
  if (text === "both") return ["2", "3"];
  if (text === "2" || text === "3") return [text];
  throw new Error(`--prometheus: ${text} is neither 2, 3 nor both`);
}
