// Shrinks a failing case to a small one.
import { type Check, type Mismatch, mismatchesIn, signature } from "./difference.ts";
import { type Members, withoutMembers } from "./members.ts";
import { reductions } from "./reduce.ts";
import type { Release } from "./release.ts";
import type { Upstream } from "./upstream.ts";
import { type Kind, type VectorCase, vectorFile } from "./vector-file.ts";

export interface ShrinkOptions {
  readonly kind: Kind;
  readonly upstream: Upstream;
  readonly check: Check;
  readonly release: Release;
  /** How many candidates to try at most. */
  readonly tries: number;
}

/** A smaller case that goes wrong at the same place, with upstream's expectations of it. */
export async function shrink(found: Mismatch, options: ShrinkOptions): Promise<Mismatch> {
  let best = found;
  let left = options.tries;
  for (;;) {
    const smaller = await firstStillWrong(best, { ...options, tries: left });
    if (smaller.mismatch === undefined) return best;
    best = smaller.mismatch;
    left = smaller.left;
  }
}

async function firstStillWrong(
  wrong: Mismatch,
  { kind, upstream, check, release, tries }: ShrinkOptions,
): Promise<{ mismatch: Mismatch | undefined; left: number }> {
  const candidates = reductions(withoutResults(wrong.evaluated));
  let left = tries;
  while (left > 0) {
    // Cheap in bulk: the results of a whole batch are returned at once, and the first one wins.
    const batch = Array.from(take(candidates, Math.min(left, 24)));
    if (batch.length === 0) break;
    left -= batch.length;
    const evaluated = (await upstream.run(kind, batch)).filter((result) => !("oracleError" in result));
    for (const result of evaluated) {
      const [mismatch] = mismatchesIn(
        vectorFile({ kind, release, source: "shrinking", cases: [result] }),
        check,
      );
      if (mismatch !== undefined && isSame(mismatch, wrong)) return { mismatch, left };
    }
  }
  return { mismatch: undefined, left };
}

/** Another defect, or a second one beside it, would lead the search astray. */
function isSame(candidate: Mismatch, wrong: Mismatch): boolean {
  return (
    signature(candidate.differences) === signature(wrong.differences) &&
    candidate.differences.length <= wrong.differences.length
  );
}

function* take<T>(from: Iterator<T>, count: number): Generator<T> {
  for (let taken = 0; taken < count; taken += 1) {
    const next = from.next();
    if (next.done === true) return;
    yield next.value;
  }
}

/** The case as it was before it was run. */
function withoutResults(evaluated: VectorCase): VectorCase {
  const vector = withoutMembers(evaluated, "expect", "canonical", "milli", "value", "error");
  const steps = vector["steps"];
  if (!Array.isArray(steps)) return { ...vector, name: evaluated.name };
  return {
    ...vector,
    name: evaluated.name,
    steps: steps.map((step: Members) => withoutMembers(step, "expect")),
  };
}
