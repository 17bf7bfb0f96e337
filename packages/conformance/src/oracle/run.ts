// Runs the oracle for every kind: compares random cases with upstream, or writes the committed vectors.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type CampaignResult, runCampaign, shrinkDefects } from "./campaign.ts";
import { checkWithCore } from "./check.ts";
import type { Mismatch } from "./difference.ts";
import { writeGoldens } from "./golden.ts";
import { casesOf, type OracleOptions } from "./options.ts";
import { startUpstream, type Upstream, withoutUpstream } from "./upstream.ts";
import { type Kind, vectorFile } from "./vector-file.ts";

export interface RunContext {
  readonly binary: string;
  /** Progress, for a person. */
  readonly report: (line: string) => void;
  /** Results. */
  readonly print: (text: string) => void;
}

export async function runOracle(options: OracleOptions, context: RunContext): Promise<{ failed: number }> {
  if (options.golden === undefined) return compareEveryKind(options, context);
  const upstream = startUpstream(context.binary);
  const source = `the real controller of ${options.release}, seed ${options.seed}`;
  await writeGoldens(
    { folder: options.golden, seed: options.seed, release: options.release, upstream, source },
    context.report,
  );
  await upstream.close();
  return { failed: 0 };
}

async function compareEveryKind(options: OracleOptions, context: RunContext): Promise<{ failed: number }> {
  context.report(`seed ${options.seed}`);
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
  context.print(`${passed} passed, ${failed} failed`);
  return { failed };
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
