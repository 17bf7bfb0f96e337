import { type DecideResult, type Decision, explain, type HpaStatus, withFailedRescale } from "@plimsoll/core";
import type { Clock, EventRecorder, KubeClient, ObjectReference } from "@plimsoll/kube";
import type { WriteBudget } from "../../budget/write-budget.ts";
import type { Logger } from "../../log.ts";
import type { ScaleTarget } from "../gather/target.ts";
import type { TargetCache } from "../gather/target-cache.ts";
import { keyOf, type NativeHpa, namespaceOf } from "../native-hpa.ts";
import type { Ownership } from "../ownership.ts";
import type { Published } from "./publish-status.ts";
import { setReplicas } from "./write-scale.ts";

export interface ActDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly targets: Pick<TargetCache, "seen" | "doubt">;
  readonly events: Pick<EventRecorder, "record">;
  /** Scale writes wait here for their turn. */
  readonly budget: Pick<WriteBudget, "run">;
}

export interface Acted {
  /**
   * "moved": nothing was done, because the target's count is no longer the one that was decided on. "withheld": the
   * count was not written, because others name the same target. "fenced": this process lost the right to write.
   */
  readonly applied: "nothing-to-do" | "scaled" | "scale-failed" | "shadow" | "moved" | "withheld" | "fenced";
  /** The decision as it turned out; a failed write changes it. */
  readonly result: DecideResult;
  readonly retryAfterMs: number | undefined;
  /** A write that failed. */
  readonly failure: string | undefined;
  /** The scale write failed, and the server may have carried it out all the same. */
  readonly isScaleUncertain: boolean;
}

/** Carries a decision out: the scale first, then the events, then the status, which may be left for later. */
export async function act(
  o: {
    readonly hpa: NativeHpa;
    readonly target: ScaleTarget | undefined;
    readonly decided: DecideResult;
    readonly evenIfMoved: boolean;
    /** Others that name the same target: while there are any, nobody's count is written. */
    readonly rivals: readonly string[];
    /** Asked before every write. */
    readonly mayWrite: () => boolean;
    /** In shadow a WorkloadAutoscaler's status is written, and nothing else. */
    readonly mode: Ownership;
    /** Completes the status of what became of the decision. */
    readonly dress: (decision: Decision) => Decision;
    readonly publish: (status: HpaStatus) => Promise<Published>;
  },
  deps: ActDeps,
): Promise<Acted> {
  const { hpa, target } = o;
  let result = o.decided;
  let applied: Acted["applied"] = "nothing-to-do";
  let retryAfterMs: number | undefined;
  let failure: string | undefined;
  let isScaleUncertain = false;
  const fenced: Acted = { applied: "fenced", result, retryAfterMs, failure, isScaleUncertain };
  if (!o.mayWrite()) return fenced;

  const { scaleTo } = result.decision;
  if (o.mode === "shadow") {
    applied = "shadow";
  } else if (scaleTo !== undefined && o.rivals.length > 0) {
    applied = "withheld";
    result = withFailedRescale(result, `the target is claimed by several objects: ${o.rivals.join(" ")}`);
  } else if (scaleTo !== undefined && target !== undefined) {
    const written = await setReplicas(target, scaleTo, {
      ...deps,
      evenIfMoved: o.evenIfMoved,
      mayWrite: o.mayWrite,
    });
    switch (written.result) {
      case "fenced":
        return fenced;
      case "moved":
        return { applied: "moved", result, retryAfterMs, failure, isScaleUncertain };
      case "written":
        applied = "scaled";
        deps.log.info(scaleFields(hpa, result), "scaled");
        break;
      case "failed":
        applied = "scale-failed";
        result = withFailedRescale(result, written.message);
        retryAfterMs = written.retryAfterMs;
        failure = written.message;
        isScaleUncertain = written.isUncertain;
        break;
    }
  }

  if (!o.mayWrite()) return fenced;
  const regarding = referenceTo(hpa);
  if (o.mode === "active") for (const event of result.decision.events) deps.events.record(regarding, event);
  result = { ...result, decision: o.dress(result.decision) };

  if (result.decision.statusChanged) {
    const status = await o.publish(result.decision.status);
    if (status.result === "failed") {
      retryAfterMs = status.retryAfterMs ?? retryAfterMs;
      failure = `failed to update status for ${hpa.metadata.name}: ${status.message}`;
    }
  }
  return { applied, result, retryAfterMs, failure, isScaleUncertain };
}

/** How events point to the object. */
export function referenceTo(hpa: NativeHpa): ObjectReference {
  const { uid, resourceVersion, name } = hpa.metadata;
  return {
    ...(hpa.apiVersion === undefined ? {} : { apiVersion: hpa.apiVersion }),
    ...(hpa.kind === undefined ? {} : { kind: hpa.kind }),
    namespace: namespaceOf(hpa),
    name,
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
  };
}

/** What a person wants to know about a scale, in one line. */
export function scaleFields(hpa: NativeHpa, { decision }: DecideResult): object {
  const { kind, name } = hpa.spec.scaleTargetRef;
  const { currentReplicas, scaleTo, reason } = decision;
  return {
    hpa: keyOf(hpa),
    target: `${kind}/${name}`,
    from: currentReplicas,
    to: scaleTo,
    reason,
    summary: explain(decision).split("\n", 1)[0],
  };
}
