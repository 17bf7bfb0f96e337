import {
  ApiError,
  type Clock,
  isConflict,
  type KubeClient,
  readScale,
  type Scale,
  writeScale,
} from "@plimsoll/kube";
import type { WriteBudget } from "../../budget/write-budget.ts";
import { apiErrorText, retryAfterOf } from "../../errors.ts";
import type { Logger } from "../../log.ts";
import type { ScaleTarget } from "../gather/target.ts";
import type { TargetCache } from "../gather/target-cache.ts";

export type ScaleWritten =
  | { readonly result: "written" }
  /** Somebody else changed the count since it was read: the decision is about a number that is gone. */
  | { readonly result: "moved" }
  /** This process lost the right to write in between. */
  | { readonly result: "fenced" }
  | {
      readonly result: "failed";
      readonly message: string;
      readonly retryAfterMs: number | undefined;
      /** The server may have carried it out all the same. */
      readonly isUncertain: boolean;
    };

const tries = 5;
const retryDelayMs = 10;
const retryJitter = 0.1;

/**
 * Writes the count into the scale that was read. A conflict is tried again on the scale as it is then. With
 * `evenIfMoved` the same count is written whatever the scale says meanwhile, which is upstream's way; without it a
 * changed count ends the attempt, so that the caller can decide anew.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#updateScale
 */
export async function setReplicas(
  target: ScaleTarget,
  replicas: number,
  o: {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly random: () => number;
    readonly log: Logger;
    readonly targets: Pick<TargetCache, "seen" | "doubt">;
    readonly evenIfMoved: boolean;
    readonly mayWrite: () => boolean;
    readonly budget: Pick<WriteBudget, "run">;
  },
): Promise<ScaleWritten> {
  const { info } = target;
  const decidedOn = target.scale.spec.replicas;
  const { namespace = "", name } = target.scale.metadata;
  let scale: Scale = target.scale;
  for (let attempt = 1; ; attempt++) {
    const wanted = { ...scale, spec: { ...scale.spec, replicas } };
    try {
      const written = await o.budget.run("scale", async () =>
        o.mayWrite() ? await writeScale(o.client, info, wanted) : undefined,
      );
      if (written === undefined) return { result: "fenced" };
      o.targets.seen(info, written);
      return { result: "written" };
    } catch (error) {
      o.targets.doubt(info, namespace, name);
      if (!isConflict(error) || attempt === tries) {
        const isUncertain = !(error instanceof ApiError) || error.code >= 500;
        return {
          result: "failed",
          message: apiErrorText(error),
          retryAfterMs: retryAfterOf(error),
          isUncertain,
        };
      }
    }
    await pause(o.clock, retryDelayMs * (1 + o.random() * retryJitter));
    try {
      scale = await readScale(o.client, info, namespace, name);
    } catch (error) {
      o.log.warn({ namespace, name, error: apiErrorText(error) }, "could not read the scale again");
    }
    if (!o.mayWrite()) return { result: "fenced" };
    if (!o.evenIfMoved && scale.spec.replicas !== decidedOn) return { result: "moved" };
  }
}

function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(ms, resolve);
  });
}
