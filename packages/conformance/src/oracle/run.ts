// Runs the oracle for every kind: compares random cases with upstream, or writes the committed vectors.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { checkHpa } from "@plimsoll/core/internal/objects";
import { fieldsOf, textOf } from "@plimsoll/core/internal/values";
import { checkVectorFile } from "../vectors/check-file.ts";
import { type CampaignResult, runCampaign, shrinkDefects } from "./campaign.ts";
import { checkDecisions } from "./decision-check.ts";
import type { Check, Mismatch } from "./difference.ts";
import { writeGoldens } from "./golden.ts";
import { casesOf, type OracleOptions } from "./options.ts";
import { checkRecordings } from "./record-check.ts";
import { startUpstream, type Upstream, withoutUpstream } from "./upstream.ts";
import { type Kind, vectorFile } from "./vector-file.ts";

export interface RunContext {
  readonly binary: string;
  /** Progress, for a person. */
  readonly report: (line: string) => void;
  /** Results. */
  readonly print: (text: string) => void;
}

export type Counts = Pick<CampaignResult, "passed" | "failed">;

export async function runOracle(options: OracleOptions, context: RunContext): Promise<Counts> {
  if (options.golden === undefined) return compareEveryKind(options, context);
  const upstream = startUpstream(context.binary);
  const source = `the real controller of ${options.release}, seed ${options.seed}`;
  await writeGoldens(
    { folder: options.golden, seed: options.seed, release: options.release, upstream, source },
    context.report,
  );
  await upstream.close();
  return { passed: 0, failed: 0 };
}

async function compareEveryKind(options: OracleOptions, context: RunContext): Promise<Counts> {
  context.report(`Kubernetes ${options.release}, seed ${options.seed}`);
  let passed = 0;
  let failed = 0;
  for (const kind of options.kinds) {
    const upstream = kind === "record" ? withoutUpstream : startUpstream(context.binary);
    const result = await compareKind(kind, upstream, { options, context });
    await upstream.close();
    passed += result.passed;
    failed += result.failed;
    for (const [at, { example, count }] of result.defects.entries()) {
      await show(kind, example, { count, at, options, context });
    }
  }
  return { passed, failed };
}

async function compareKind(
  kind: Kind,
  upstream: Upstream,
  { options, context }: { options: OracleOptions; context: RunContext },
): Promise<CampaignResult> {
  const { seed, release } = options;
  const campaign = { kind, seed, cases: casesOf(kind, options), upstream, check: checkWithCore, release };
  const startedAt = performance.now();
  const result = await runCampaign(campaign);
  const seconds = (performance.now() - startedAt) / 1000;
  const rate = Math.round(campaign.cases / seconds);
  const refused = result.refused === 0 ? "" : `, ${result.refused} refused by upstream`;
  context.report(
    `${kind}: ${campaign.cases} cases in ${seconds.toFixed(1)} s (${rate}/s), ${result.failed} mismatches${refused}`,
  );
  return { ...result, defects: await shrinkDefects(result.defects, campaign) };
}

async function show(
  kind: Kind,
  { evaluated, differences }: Mismatch,
  { count, at, options, context }: { count: number; at: number; options: OracleOptions; context: RunContext },
): Promise<void> {
  const file = JSON.stringify(
    vectorFile({
      kind,
      release: options.release,
      source: "found against the real controller and shrunk",
      cases: [evaluated],
    }),
  );
  const [first] = differences;
  context.print(`${kind}, ${count} cases like ${first.name}`);
  for (const { path, expected, actual } of differences.slice(0, 5)) {
    context.print(`  ${path}: upstream ${expected}, ours ${actual}`);
  }
  context.print(file);
  if (options.mismatches === undefined) return;
  await mkdir(options.mismatches, { recursive: true });
  await writeFile(join(options.mismatches, `${kind}-${options.release}-${at}.json`), `${file}\n`);
}

/** Runs evaluated cases exactly as `npm run task -- vectors` would; `decision`, `manifest` and `record` are kinds of the oracle's own. */
const checkWithCore: Check = (file) => {
  if (file.kind === "decision") return checkDecisions(file);
  if (file.kind === "manifest") return checkManifests(file);
  return file.kind === "record" ? checkRecordings(file) : checkVectorFile(file).differences;
};

/** Both take a manifest or both refuse it; unknown fields are the same ones. */
const checkManifests: Check = (file) =>
  file.cases.flatMap((vector) => {
    const { valid, undecoded } = fieldsOf(vector["expect"]);
    const problems = checkHpa(vector["hpa"], { scaleToZero: vector["scaleToZero"] === true });
    const differ = (path: string, expected: unknown, actual: unknown) => [
      { name: vector.name, path, expected: JSON.stringify(expected), actual: JSON.stringify(actual) },
    ];
    if (valid !== (problems.length === 0)) return differ("expect.valid", valid, problems);
    const theirs = unknownIn(textOf(undecoded));
    if (theirs.length === 0) return [];
    const ours = problems.filter(({ message }) => message.startsWith("is an unknown field"));
    const paths = ours.map(({ path }) => path).sort();
    return JSON.stringify(theirs) === JSON.stringify(paths) ? [] : differ("expect.undecoded", theirs, paths);
  });

function unknownIn(message: string): readonly string[] {
  return [...message.matchAll(/unknown field "([^"]+)"/g)].flatMap(([, path]) => path ?? []).sort();
}
