import { type Check, type Mismatch, mismatchesIn, signature } from "./difference.ts";
import { someCase } from "./generate/case.ts";
import { shrink } from "./shrink.ts";
import type { Upstream } from "./upstream.ts";
import { type Kind, type VectorCase, vectorFile } from "./vector-file.ts";

export interface CampaignOptions {
  readonly kind: Kind;
  readonly seed: string;
  readonly cases: number;
  readonly upstream: Upstream;
  readonly check: Check;
}

export interface CampaignResult {
  readonly passed: number;
  readonly failed: number;
  /** Cases that the real code cannot take. */
  readonly refused: number;
  /** One shrunk example of each distinct defect, with the number of cases that show it. */
  readonly defects: readonly { readonly example: Mismatch; readonly count: number }[];
}

/** A trajectory holds as much as some dozens of other cases. */
const batchSizes: Readonly<Partial<Record<Kind, number>>> = { trajectory: 10, decision: 10 };
const batchSize = 250;
const shrinkTries = 4000;

export async function runCampaign(options: CampaignOptions): Promise<CampaignResult> {
  const { kind, upstream, check } = options;
  const size = batchSizes[kind] ?? batchSize;
  const defects = new Map<string, { example: Mismatch; count: number }>();
  let passed = 0;
  let failed = 0;
  let refused = 0;
  let next = ask(options, 0, size);
  for (let from = 0; from < options.cases; from += size) {
    const answered = await next;
    // Upstream works on the next batch while we check this one.
    if (from + size < options.cases) next = ask(options, from + size, size);
    const taken = answered.filter((answer) => !("oracleError" in answer));
    const mismatches = mismatchesIn(vectorFile(kind, `seed ${options.seed}`, taken), check);
    refused += answered.length - taken.length;
    failed += mismatches.length;
    passed += taken.length - mismatches.length;
    for (const mismatch of mismatches) {
      const defect = defects.get(signature(mismatch.differences));
      if (defect === undefined) defects.set(signature(mismatch.differences), { example: mismatch, count: 1 });
      else defect.count += 1;
    }
  }
  await next;
  const shrunk = [];
  for (const { example, count } of defects.values()) {
    shrunk.push({ example: await shrink(example, { kind, upstream, check, tries: shrinkTries }), count });
  }
  return { passed, failed, refused, defects: shrunk };
}

function ask(options: CampaignOptions, from: number, size: number): Promise<readonly VectorCase[]> {
  const count = Math.min(size, options.cases - from);
  const cases = Array.from({ length: count }, (_, at) => someCase(options.kind, options.seed, from + at));
  const answered = options.upstream.answer(options.kind, cases);
  // Awaited a whole batch later: a failure meanwhile must not count as unhandled.
  answered.catch(() => undefined);
  return answered;
}
