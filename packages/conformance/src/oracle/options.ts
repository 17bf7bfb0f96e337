// Reads the command line of the oracle.
import { parseArgs } from "node:util";
import { isRelease, kindsOf, type Release, releases, usualRelease } from "./release.ts";
import { isKind, type Kind } from "./vector-file.ts";

export interface OracleOptions {
  /** Of every kind but trajectories, of which there are fewer; or of the selected kinds, exactly. */
  readonly cases: number;
  readonly seed: string;
  readonly kinds: readonly Kind[];
  /** The first run, no kind was named, and no goldens are written: templates are compared as well. */
  readonly isEverything: boolean;
  /** Whose code to run, and which profile of ours must agree with it. */
  readonly release: Release;
  /** Write goldens here instead of comparing. */
  readonly golden: string | undefined;
  /** Answer questions of the conformance protocol instead. */
  readonly isServing: boolean;
  /** Also write every shrunk mismatch to a file in this folder. */
  readonly mismatches: string | undefined;
}

export const usage = `oracle [--cases N] [--seed S] [--kind KIND]... [--semantics RELEASE]... [--mismatches DIR]
oracle --golden DIR [--seed S]
oracle --serve

Compares random cases of every kind with the real Kubernetes code and prints
each mismatch, shrunk, as a vector file. N cases are run of every kind, but
N/40 trajectories, decisions and records, and 10 N templates with Go's text/template; with --kind, exactly N of each kind named.
With several releases ${usualRelease} is run with N cases, and each other one with N/4.
With --serve it answers in the protocol of docs/developers/conformance.md, with the real code of the release that is asked for.`;

/** A run for each release. */
export type Parsed =
  | { ok: true; runs: readonly [OracleOptions, ...OracleOptions[]] }
  | { ok: false; problems: readonly string[] };

export function parseOptions(args: readonly string[], freshSeed: () => string): Parsed {
  let values: ReturnType<typeof parse>;
  try {
    values = parse(args);
  } catch (error) {
    return { ok: false, problems: [error instanceof Error ? error.message : String(error)] };
  }
  const problems: string[] = [];
  const cases = Number(values.cases ?? "1000");
  if (!Number.isSafeInteger(cases) || cases < 1)
    problems.push(`--cases ${values.cases}: must be a positive integer`);
  const [first = usualRelease, ...others] = values.semantics ?? [];
  const seed = values.seed ?? freshSeed();
  const runOf = (release: string): OracleOptions | undefined => {
    if (!isRelease(release)) {
      problems.push(`--semantics ${release}: must be one of ${releases.join(", ")}`);
      return undefined;
    }
    const selected = values.kind ?? kindsOf(release);
    for (const kind of selected) {
      if (!kindsOf(release).some((known) => known === kind))
        problems.push(`--kind ${kind}: must be one of ${kindsOf(release).join(", ")}`);
    }
    return {
      cases: others.length === 0 || release === usualRelease ? cases : Math.ceil(cases / 4),
      seed,
      kinds: selected.filter(isKind),
      isEverything: values.kind === undefined && values.golden === undefined && release === first,
      release,
      golden: values.golden,
      isServing: values.serve === true,
      mismatches: values.mismatches,
    };
  };
  const run = runOf(first);
  const more = others.map(runOf).filter((one) => one !== undefined);
  return run === undefined || problems.length > 0
    ? { ok: false, problems }
    : { ok: true, runs: [run, ...more] };
}

function parse(args: readonly string[]) {
  return parseArgs({
    args: [...args],
    options: {
      cases: { type: "string" },
      seed: { type: "string" },
      kind: { type: "string", multiple: true },
      semantics: { type: "string", multiple: true },
      golden: { type: "string" },
      serve: { type: "boolean" },
      mismatches: { type: "string" },
    },
  }).values;
}

/** How many cases of a kind a run makes. */
export function casesOf(kind: Kind, options: OracleOptions): number {
  const isEveryKind = options.kinds.length === kindsOf(options.release).length;
  return ["trajectory", "decision", "record"].includes(kind) && isEveryKind
    ? Math.ceil(options.cases / 40)
    : options.cases;
}
