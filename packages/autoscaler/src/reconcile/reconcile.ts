// The reconcile loop of one object: observe, evaluate, act, remember, report.
import type { ReconcileResult } from "@plimsoll/kube";
import type { Share } from "@plimsoll/observe";
import type { Applied } from "./act/applied.ts";
import type { Plan } from "./evaluate/plan.ts";
import type { Evaluation } from "./evaluation.ts";
import type { Observation } from "./observe.ts";

/** The five steps of an evaluation, each over plain values. API errors are returned in the results. */
export interface ReconcileSteps {
  readonly observe: (
    key: string,
    pass: { readonly share: Share; readonly isLast: boolean },
  ) => Promise<Observation | "gone" | "edited">;
  readonly evaluate: (observation: Observation) => Plan;
  readonly act: (plan: Plan) => Promise<Applied>;
  /** Undefined when the object ended, or came to another process, meanwhile. */
  readonly remember: (plan: Plan, applied: Applied) => Evaluation | undefined;
  readonly report: (evaluation: Evaluation) => void;
}

/** Passes over an object that is edited, or whose target's replicas are changed, in the middle of one. */
const maxPasses = 3;

/** One evaluation of one object. A rejection is a programming error. */
export async function reconcile(
  key: string,
  share: Share,
  steps: ReconcileSteps,
): Promise<ReconcileResult | undefined> {
  for (let pass = 1; pass <= maxPasses; pass++) {
    const observation = await steps.observe(key, { share, isLast: pass === maxPasses });
    if (observation === "gone") break;
    if (observation === "edited") continue;
    const plan = steps.evaluate(observation);
    const applied = await steps.act(plan);
    if (applied.outcome === "moved") continue;
    const evaluation = steps.remember(plan, applied);
    if (evaluation === undefined) break;
    steps.report(evaluation);
    return { skipMs: evaluation.skipMs };
  }
  return undefined;
}
