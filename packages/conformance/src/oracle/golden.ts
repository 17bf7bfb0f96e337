// Writes the committed vectors from the results of upstream.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { someCase } from "./generate/case.ts";
import { groupBy } from "./group.ts";
import { type Members, withoutMembers } from "./members.ts";
import { type Release, usualRelease } from "./release.ts";
import type { Upstream } from "./upstream.ts";
import { kinds, type VectorCase, type VectorKind, vectorFile } from "./vector-file.ts";

/** How many cases to keep of each kind, and how long one may be. */
const shares: Readonly<Record<VectorKind, { readonly keep: number; readonly bytes: number }>> = {
  quantity: { keep: 1500, bytes: 300 },
  proposal: { keep: 900, bytes: 1800 },
  behavior: { keep: 600, bytes: 900 },
  trajectory: { keep: 130, bytes: 9000 },
  validation: { keep: 400, bytes: 1000 },
  defaulting: { keep: 150, bytes: 1500 },
  conversion: { keep: 250, bytes: 2000 },
};

export interface GoldenOptions {
  readonly folder: string;
  readonly seed: string;
  readonly release: Release;
  readonly upstream: Upstream;
  readonly source: string;
}

/** Writes one file of a kind: short cases, spread evenly over the ways in which they end. */
export async function writeGolden(kind: VectorKind, options: GoldenOptions): Promise<number> {
  const { release } = options;
  const { keep, bytes } = shareOf(kind, release);
  const short = await shortCases(kind, { ...options, want: keep * 4, bytes });
  const cases = spread(short, keep, (evaluated) => ending(kind, evaluated));
  const head = withoutMembers(
    { ...vectorFile({ kind, release, source: options.source, cases: [] }) },
    "cases",
  );
  const lines = cases.map((evaluated) => JSON.stringify(evaluated)).join(",\n");
  await mkdir(options.folder, { recursive: true });
  await writeFile(
    join(options.folder, release === usualRelease ? `${kind}.json` : `${kind}-${release}.json`),
    `${JSON.stringify(head).slice(0, -1)},"cases":[\n${lines}\n]}\n`,
  );
  return cases.length;
}

export async function writeGoldens(options: GoldenOptions, report: (line: string) => void): Promise<void> {
  for (const kind of goldenKinds(options.release))
    report(`${kind}: ${await writeGolden(kind, options)} cases`);
}

/** Releases differ in how they weigh metrics, in what they say, in their limits, and in knowing the beta versions. */
function goldenKinds(release: Release): readonly VectorKind[] {
  const decisions = ["proposal", "trajectory"] as const;
  const more: Readonly<Partial<Record<Release, VectorKind>>> = { "1.35": "conversion", "1.38": "behavior" };
  return release === usualRelease
    ? kinds
    : [...decisions, ...[more[release]].filter((kind) => kind !== undefined)];
}

function shareOf(kind: VectorKind, release: Release): { readonly keep: number; readonly bytes: number } {
  const { keep, bytes } = shares[kind];
  return release === usualRelease ? { keep, bytes } : { keep: Math.ceil(keep / 6), bytes };
}

async function shortCases(
  kind: VectorKind,
  { seed, release, upstream, want, bytes }: GoldenOptions & { want: number; bytes: number },
): Promise<readonly VectorCase[]> {
  const batch = 200;
  const found: VectorCase[] = [];
  for (let from = 0; found.length < want && from < want * 20; from += batch) {
    const cases = Array.from({ length: batch }, (_, at) => someCase(kind, seed, from + at, release));
    const small = cases.filter((vector) => JSON.stringify(vector).length < bytes);
    const evaluated = await upstream.run(kind, small);
    found.push(
      ...evaluated.filter((result) => !("oracleError" in result) && JSON.stringify(result).length < bytes),
    );
  }
  return found;
}

/** Takes from every group in turn, so that rare endings are all in. */
function spread(
  cases: readonly VectorCase[],
  keep: number,
  groupOf: (evaluated: VectorCase) => string,
): VectorCase[] {
  const groups = [...groupBy(cases, groupOf).values()];
  const kept: VectorCase[] = [];
  for (let round = 0; kept.length < Math.min(keep, cases.length); round += 1) {
    for (const group of groups) {
      const next = group[round];
      if (next !== undefined && kept.length < keep) kept.push(next);
    }
  }
  return kept;
}

function ending(kind: VectorKind, evaluated: VectorCase): string {
  const expected = evaluated["expect"] as Members | undefined;
  switch (kind) {
    case "quantity":
      return `${evaluated["error"] === true} ${evaluated["canonical"] === undefined} ${shape(evaluated["input"])}`;
    case "proposal":
      return proposalEnding(evaluated, expected);
    case "behavior":
      return String(expected?.["reason"]);
    case "validation":
      return String(expected?.["fields"]).replaceAll(/\d+/g, "N");
    case "trajectory":
      return String((evaluated["steps"] as readonly unknown[]).length);
    case "defaulting":
    case "conversion":
      return "";
    default:
      return kind satisfies never;
  }
}

function proposalEnding(evaluated: VectorCase, expected: Members | undefined): string {
  const metric = evaluated["metric"] as Members;
  const message = expected?.["message"];
  if (typeof message === "string") return message.replaceAll(/(web|other)-\d+/g, "POD");
  const spec = (evaluated["replicas"] as { spec: number }).spec;
  return `${String(metric["type"])} ${Math.sign(Number(expected?.["replicas"]) - spec)}`;
}

function shape(text: unknown): string {
  return String(text).replaceAll(/\d+/g, "9");
}
