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
  const candidates = reductions(question(wrong.answered));
  let left = tries;
  while (left > 0) {
    // Cheap in bulk: the answers of a whole handful come back at once, and the first one wins.
    const handful = Array.from(take(candidates, Math.min(left, 24)));
    if (handful.length === 0) break;
    left -= handful.length;
    const answered = (await upstream.answer(kind, handful)).filter((answer) => !("oracleError" in answer));
    for (const answer of answered) {
      const [mismatch] = mismatchesIn(
        vectorFile({ kind, release, source: "shrinking", cases: [answer] }),
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

/** The case as it was before it was answered. */
function question(answered: VectorCase): VectorCase {
  const asked = withoutMembers(answered, "expect", "canonical", "milli", "value", "error");
  const steps = asked["steps"];
  if (!Array.isArray(steps)) return { ...asked, name: answered.name };
  return {
    ...asked,
    name: answered.name,
    steps: steps.map((step: Members) => withoutMembers(step, "expect")),
  };
}
