// Reads the command line of the PromQL oracle.
import { parseArgs } from "node:util";

export interface PromqlOptions {
  /** Random queries; as many changed ones are tried beside them. */
  readonly cases: number;
  readonly seed: number;
  /** Instead of queries of promqlsmith, which no seed repeats, those of Prometheus' tests are written in another way. */
  readonly isCorpusOnly: boolean;
}

export const usage = `npm run task -- promql [--cases N] [--seed S] [--corpus]

Rewrites N random queries, N changed ones and the queries of Prometheus' own tests, and compares them with
prom-label-proxy; every parser of PromQL has to find the namespace in every selector of what was rewritten.

promqlsmith makes other queries each time. With --corpus, N queries of Prometheus' own tests in another spelling take their
place, and a seed repeats the run.`;

export type ParsedPromql = { ok: true; options: PromqlOptions } | { ok: false; problem: string };

/** @param freshSeed for a run without `--seed`. */
export function parsePromqlOptions(args: readonly string[], freshSeed: () => number): ParsedPromql {
  let values: { readonly cases?: string; readonly seed?: string; readonly corpus?: boolean };
  try {
    const options = {
      cases: { type: "string" },
      seed: { type: "string" },
      corpus: { type: "boolean" },
    } as const;
    values = parseArgs({ args: [...args], options }).values;
  } catch (error) {
    return { ok: false, problem: error instanceof Error ? error.message : String(error) };
  }
  const cases = Number(values.cases ?? "1000");
  if (!Number.isSafeInteger(cases) || cases < 1)
    return { ok: false, problem: `--cases ${values.cases}: must be a positive integer` };
  const seed = Number(values.seed ?? freshSeed());
  if (!Number.isSafeInteger(seed)) return { ok: false, problem: `--seed ${values.seed}: must be an integer` };
  return { ok: true, options: { cases, seed, isCorpusOnly: values.corpus ?? false } };
}
