// Writes the decided replicas into the scale subresource of the target, with retries on conflict.
import { type Clock, type Logger, sleep } from "@plimsoll/component-base";
import {
  ApiError,
  apiErrorText,
  ConnectionError,
  isConflict,
  type KubeClient,
  publicErrorText,
  readScale,
  retryAfterOf,
  type Scale,
  writeScale,
} from "@plimsoll/kube";
import { type ScaleTarget, type TargetCache } from "@plimsoll/observe";
import type { WriteBudget } from "../../budget/write-budget.ts";
import { fenced } from "../../leadership/fenced.ts";
import type { Permit } from "./permit.ts";

export type ScaleWritten =
  | { readonly result: "written" }
  /** Another client changed the replicas since they were read: the decision is about a number that is gone. */
  | { readonly result: "moved" }
  /** The permit was withdrawn before the write was sent. */
  | { readonly result: "fenced" }
  | WriteFailed;

export interface WriteFailed {
  readonly result: "failed";
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  /** The server may have carried it out all the same. */
  readonly isUncertain: boolean;
}

export interface ScaleDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Logger;
  readonly targets: Pick<TargetCache, "seen" | "doubt">;
  /** Scale writes wait here in a queue. */
  readonly budget: Pick<WriteBudget, "run">;
}

const maxAttempts = 5;
const retryDelayMs = 10;
const retryJitter = 0.1;

/**
 * Writes the replicas into the scale that was read. A conflict is retried on the scale as it is then. With `evenIfMoved`
 * the same replicas are written whatever the scale says meanwhile, which is upstream's way; without it changed replicas
 * end the attempt, so that the caller can observe them.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#updateScale
 */
export async function setReplicas(
  target: ScaleTarget,
  replicas: number,
  deps: ScaleDeps & { readonly evenIfMoved: boolean; readonly permit: Permit },
): Promise<ScaleWritten> {
  const { info } = target;
  const mayWrite = () => deps.permit.check() === "granted";
  const client = fenced(deps.client, mayWrite);
  const decidedOn = target.scale.spec.replicas;
  const { namespace = "", name } = target.scale.metadata;
  let scale: Scale = target.scale;
  for (let attempt = 1; ; attempt++) {
    const wanted = { ...scale, spec: { ...scale.spec, replicas } };
    try {
      const written = await deps.budget.run("scale", async () =>
        mayWrite() ? await writeScale(client, info, wanted) : undefined,
      );
      if (written === undefined) return { result: "fenced" };
      deps.targets.seen(info, written);
      return { result: "written" };
    } catch (error) {
      deps.targets.doubt(info, namespace, name);
      if (isNotSent(error)) return { result: "fenced" };
      if (!isConflict(error) || attempt === maxAttempts) {
        const isUncertain = !(error instanceof ApiError) || error.code >= 500;
        return {
          result: "failed",
          message: publicErrorText(error),
          retryAfterMs: retryAfterOf(error),
          isUncertain,
        };
      }
    }
    await sleep(deps.clock, retryDelayMs * (1 + deps.random() * retryJitter));
    try {
      scale = await readScale(client, info, namespace, name);
    } catch (error) {
      deps.log.warn({ namespace, name, error: apiErrorText(error) }, "could not reread the scale");
    }
    if (!mayWrite()) return { result: "fenced" };
    if (!deps.evenIfMoved && scale.spec.replicas !== decidedOn) return { result: "moved" };
  }
}

/** The permit was withdrawn while the write waited for a connection. */
function isNotSent(error: unknown): boolean {
  return error instanceof ConnectionError && error.kind === "aborted";
}
