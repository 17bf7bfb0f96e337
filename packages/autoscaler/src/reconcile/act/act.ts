// Act, the third step of an evaluation: writes the scale, then events, then the status.
import type { EventRecorder } from "@plimsoll/kube";
import { referenceTo } from "../../objects/reference.ts";
import { withScaleFailure } from "../evaluate/evaluate.ts";
import type { Plan } from "../evaluate/plan.ts";
import type { Applied } from "./applied.ts";
import type { Permit } from "./permit.ts";
import type { Published } from "./publish-status.ts";
import { scaleFields } from "./scale-fields.ts";
import { type ScaleDeps, type ScaleWritten, setReplicas } from "./write-scale.ts";

export interface ActDeps extends ScaleDeps {
  readonly events: Pick<EventRecorder, "record">;
  readonly publish: (plan: Plan, permit: Permit) => Promise<Published>;
}

/** Carries a plan out: the scale first, then the events, then the status, which may be left for later. */
export async function act(plan: Plan, permit: Permit, deps: ActDeps): Promise<Applied> {
  const { scaleTo, observation } = plan;
  const { target } = observation;
  const planned: Applied = {
    outcome: plan.outcome,
    result: plan.result,
    scaleFailure: plan.failure,
    scaledAtMs: undefined,
    retryAfterMs: undefined,
    failure: undefined,
  };
  if (permit.check() !== "granted") return { ...planned, outcome: "fenced" };
  if (scaleTo === undefined || target === undefined)
    return announce({ plan, applied: planned }, permit, deps);
  const written = await setReplicas(target, scaleTo, {
    ...deps,
    permit,
    evenIfMoved: observation.isLastPass,
  });
  const scaled = afterScale(written, { plan, applied: planned }, deps);
  const { applied } = scaled;
  if (applied.outcome === "fenced" || applied.outcome === "moved") return applied;
  // A scale that was made is reported, whatever was edited or lost meanwhile.
  return announce(scaled, permit, deps);
}

/** Records the events, and publishes the status. */
async function announce({ plan, applied }: Scaled, permit: Permit, deps: ActDeps): Promise<Applied> {
  for (const event of plan.events) deps.events.record(referenceTo(plan.observation.object), event);
  if (!plan.writesStatus) return applied;
  const published = await deps.publish(plan, permit);
  if (published.result !== "failed") return applied;
  const { retryAfterMs = applied.retryAfterMs, failure } = published;
  return { ...applied, retryAfterMs, failure };
}

interface Scaled {
  /** As it is after a scale write that failed. */
  readonly plan: Plan;
  readonly applied: Applied;
}

function afterScale(written: ScaleWritten, { plan, applied }: Scaled, deps: ActDeps): Scaled {
  switch (written.result) {
    case "fenced":
    case "moved":
      return { plan, applied: { ...applied, outcome: written.result } };
    case "written":
      deps.log.info(scaleFields(plan), "scaled");
      return { plan, applied: { ...applied, outcome: "scaled", scaledAtMs: deps.clock.nowMs() } };
    case "failed": {
      const { message, isUncertain, retryAfterMs } = written;
      const scaleFailure = { message, isUncertain };
      const failed = withScaleFailure(plan, scaleFailure);
      const { result } = failed;
      const outcome = "scale-failed";
      return {
        plan: failed,
        applied: { ...applied, outcome, result, scaleFailure, retryAfterMs, failure: message },
      };
    }
  }
}
