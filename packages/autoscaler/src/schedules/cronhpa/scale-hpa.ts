// Scales the workload of an HPA for a cron job, and moves the bounds of the HPA first.
import { applyCronTarget, type CronHpaBoundsPolicy } from "@plimsoll/core/cronhpa";
import { isConflict, type KubeObject, publicErrorText, resourcePath } from "@plimsoll/kube";
import { hpaResource, projectHpa, type ScalingObject } from "../../objects/scaling-object.ts";
import { type Attempt, findScale, type ScaleDeps, setCount } from "./scale-workload.ts";

interface HpaRef {
  readonly namespace: string;
  readonly name: string;
}

const quickTries = 3;

/** One attempt to bring an HPA's workload to a size: the HPA's bounds first, as far as they may be moved. */
export async function scaleHpa(
  ref: HpaRef,
  { size, bounds }: { readonly size: number; readonly bounds: CronHpaBoundsPolicy },
  deps: ScaleDeps,
): Promise<Attempt> {
  for (let tries = 1; ; tries++) {
    try {
      return await scaleOnce(ref, { size, bounds }, deps);
    } catch (error) {
      if (!isConflict(error) || tries === quickTries)
        return { result: "failed", message: publicErrorText(error) };
    }
  }
}

async function scaleOnce(
  { namespace, name }: HpaRef,
  { size, bounds }: { readonly size: number; readonly bounds: CronHpaBoundsPolicy },
  deps: ScaleDeps,
): Promise<Attempt> {
  const path = resourcePath(hpaResource, namespace, name);
  let hpa: ScalingObject;
  try {
    hpa = projectHpa(await deps.client.request<KubeObject>({ path }));
  } catch (error) {
    const message = `Failed to get HorizontalPodAutoscaler Ref,because of ${publicErrorText(error)}`;
    return { result: "failed", message };
  }
  const { scaleTargetRef: ref, minReplicas = 1, maxReplicas } = hpa.spec;
  const workload = { apiVersion: ref.apiVersion ?? "", kind: ref.kind, namespace, name: ref.name };
  const found = await findScale(workload, deps);
  if (!found.ok) {
    const message = `failed to found source target ${ref.kind} ${ref.name} in ${namespace} namespace, err is ${found.message}`;
    return { result: "failed", message };
  }

  const currentReplicas = hpa.status?.currentReplicas ?? 0;
  const targetSize = bounds === "Within" ? Math.min(Math.max(size, minReplicas), maxReplicas) : size;
  const wanted = applyCronTarget({ minReplicas, maxReplicas, currentReplicas, targetSize });
  const isMoved = wanted.minReplicas !== minReplicas || wanted.maxReplicas !== maxReplicas;
  if (bounds === "Move" && isMoved) {
    if (!deps.mayWrite()) return { result: "fenced" };
    await deps.client.request({
      method: "PATCH",
      path,
      contentType: "application/merge-patch+json",
      body: {
        metadata: { resourceVersion: hpa.metadata.resourceVersion },
        spec: { minReplicas: wanted.minReplicas, maxReplicas: wanted.maxReplicas },
      },
    });
  }
  const warning = boundsWarning({ size, minReplicas, maxReplicas, bounds });
  const warned = (message: string) => ({
    result: "done" as const,
    message: warning === undefined || bounds === "Move" ? message : `${message} Warning: ${warning}.`,
    ...(warning === undefined ? {} : { warning: warning }),
  });
  if (wanted.scaleTo === undefined) {
    const { replicas } = found.scale.spec;
    return warned(
      `Skip scale replicas because HPA ${name} in namespace ${namespace} current replicas:${replicas} >= desired replicas:${targetSize}.`,
    );
  }
  const scaled = await setCount(workload, found, wanted.scaleTo, deps);
  return scaled.result === "done" ? warned(scaled.message) : scaled;
}

/** What a size beyond an HPA's bounds means to it. */
function boundsWarning(limits: {
  readonly size: number;
  readonly minReplicas: number;
  readonly maxReplicas: number;
  readonly bounds: CronHpaBoundsPolicy;
}): string | undefined {
  const { size, minReplicas, maxReplicas, bounds } = limits;
  if (size >= minReplicas && size <= maxReplicas) return undefined;
  const [side, bound, moved] =
    size < minReplicas
      ? [`below minReplicas ${minReplicas}`, minReplicas, "lowered"]
      : [`above maxReplicas ${maxReplicas}`, maxReplicas, "raised"];
  const effects = {
    Move: `so that limit is ${moved}`,
    Keep: "so the HPA will undo it",
    Within: `so ${bound} is used`,
  };
  return `targetSize ${size} is ${side}, ${effects[bounds]}`;
}
