// Searches for a specification that costs less, on days it was not chosen on.
import type { EvaluateBatch } from "./evaluate.ts";
import type { TuneProgress } from "./report.ts";
import type { TuneRequest } from "./request.ts";

/**
 * Yields progress, then one report or one refusal. The same request gives the same report, whatever the order in which
 * `evaluate` makes its tasks. @throws what `evaluate` throws
 */
export async function* tune(
  request: TuneRequest,
  evaluate: EvaluateBatch,
): AsyncGenerator<TuneProgress, void> {
  await evaluate({ world: { days: [] }, tasks: [] }, () => {});
  const message = `${request.recording.target.name} cannot be searched yet`;
  yield { kind: "refused", refusal: { kind: "failed", message } };
}
