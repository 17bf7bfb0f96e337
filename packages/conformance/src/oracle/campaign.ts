// Compares many random cases of one kind with upstream, and shrinks one example of each defect.
import { type Check, type Mismatch, mismatchesIn, signature } from "./difference.ts";
import { someCase } from "./generate/case.ts";
import type { Release } from "./release.ts";
import { shrink } from "./shrink.ts";
import type { Upstream } from "./upstream.ts";
import { type Kind, type VectorCase, vectorFile } from "./vector-file.ts";

export interface CampaignOptions {
  readonly kind: Kind;
  readonly seed: string;
  readonly cases: number;
  readonly upstream: Upstream;
  readonly check: Check;
  readonly release: Release;
}

export interface CampaignResult {
  readonly passed: number;
  readonly failed: number;
  /** Cases that the real code cannot take. */
  readonly refused: number;
  /** One example of each distinct defect, with the number of cases that show it. */
  readonly defects: readonly Defect[];
}

export interface Defect {
  readonly example: Mismatch;
  readonly count: number;
}

/** A trajectory holds as much as some dozens of other cases. */
const batchSizes: Readonly<Partial<Record<Kind, number>>> = { trajectory: 10, decision: 10, record: 10 };
const batchSize = 250;
const shrinkTries = 4000;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { kind, check, release } = options;
  const size = batchSizes[kind] ?? batchSize;
  const defects = new Map<string, { readonly example: Mismatch; count: number }>();
  let passed = 0;
  let failed = 0;
  let refused = 0;
  let next = request(options, 0, size);
  for (let from = 0; from < options.cases; from += size) {
    const evaluated = await next;
    // Upstream works on the next batch while we check this one.
    if (from + size < options.cases) next = request(options, from + size, size);
    const taken = evaluated.filter((result) => !("oracleError" in result));
    const mismatches = mismatchesIn(
      vectorFile({ kind, release, source: `seed ${options.seed}`, cases: taken }),
      check,
    );
    refused += evaluated.length - taken.length;
    failed += mismatches.length;
    passed += taken.length - mismatches.length;
    for (const mismatch of mismatches) {
      const defect = defects.get(signature(mismatch.differences));
      if (defect === undefined) defects.set(signature(mismatch.differences), { example: mismatch, count: 1 });
      else defect.count += 1;
    }
  }
  await next;
  return { passed, failed, refused, defects: [...defects.values()] };
}

/** The smallest cases found that show the same defects. */
export async function shrinkDefects(
  defects: readonly Defect[],
  { kind, upstream, check, release }: CampaignOptions,
): Promise<readonly Defect[]> {
  const shrunk: Defect[] = [];
  for (const { example, count } of defects) {
    shrunk.push({
      example: await shrink(example, { kind, upstream, check, release, tries: shrinkTries }),
      count,
    });
  }
  return shrunk;
}

function request(options: CampaignOptions, from: number, size: number): Promise<readonly VectorCase[]> {
  const count = Math.min(size, options.cases - from);
  const cases = Array.from({ length: count }, (_, at) =>
    someCase(options.kind, options.seed, from + at, options.release),
  );
  const evaluated = options.upstream.run(options.kind, cases);
  // Awaited a whole batch later: a failure meanwhile must not count as unhandled.
  evaluated.catch(() => undefined);
  return evaluated;
}
