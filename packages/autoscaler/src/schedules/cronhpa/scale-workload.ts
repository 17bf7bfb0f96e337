// Sets the replicas of a workload for a cron job.
import { groupOfApiVersion } from "@plimsoll/core/cronhpa";
import {
  isConflict,
  type KubeClient,
  publicErrorText,
  type ResourceInfo,
  type RestMapper,
  readScale,
  type Scale,
  writeScale,
} from "@plimsoll/kube";
import { type TargetCache } from "@plimsoll/observe";

export interface ScaleDeps {
  readonly client: KubeClient;
  readonly mapper: RestMapper;
  readonly targets: Pick<TargetCache, "seen" | "doubt">;
  /** Called before every write. */
  readonly mayWrite: () => boolean;
}

/** Whoever may not write any more must not report anything either. */
export type Attempt =
  | {
      readonly result: "done";
      readonly message: string;
      /** What the user should know besides. */
      readonly warning?: string;
    }
  | { readonly result: "failed"; readonly message: string }
  | { readonly result: "fenced" };

export interface Workload {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
}

/** The scale of a workload, and where to write it; its version does not matter. */
export async function findScale(
  { apiVersion, kind, namespace, name }: Workload,
  { client, mapper }: Pick<ScaleDeps, "client" | "mapper">,
): Promise<
  | { readonly ok: true; readonly info: ResourceInfo; readonly scale: Scale }
  | { readonly ok: false; readonly message: string }
> {
  let first: unknown;
  try {
    const mappings = await mapper.byKind(groupOfApiVersion(apiVersion) ?? apiVersion, kind);
    if (mappings.length === 0)
      return { ok: false, message: `no matches for kind "${kind}" in "${apiVersion}"` };
    for (const info of mappings) {
      try {
        return { ok: true, info, scale: await readScale(client, info, namespace, name) };
      } catch (error) {
        first ??= error;
      }
    }
  } catch (error) {
    first = error;
  }
  return { ok: false, message: publicErrorText(first) };
}

const quickTries = 3;

/** Sets the count, whatever it is; one that it has already is not written. */
export async function setCount(
  workload: Workload,
  found: { readonly info: ResourceInfo; readonly scale: Scale },
  size: number,
  deps: ScaleDeps,
): Promise<Attempt> {
  const { kind, namespace, name } = workload;
  const { info } = found;
  let { scale } = found;
  const message = `current replicas:${scale.spec.replicas}, desired replicas:${size}.`;
  for (let tries = 1; scale.spec.replicas !== size; tries++) {
    if (!deps.mayWrite()) return { result: "fenced" };
    try {
      scale = await writeScale(deps.client, info, { ...scale, spec: { ...scale.spec, replicas: size } });
      deps.targets.seen(info, scale);
      break;
    } catch (error) {
      deps.targets.doubt(info, namespace, name);
      if (!isConflict(error) || tries === quickTries) {
        const reason = publicErrorText(error);
        const text = `failed to scale ${kind} ${name} in ${namespace} namespace to ${size}, because of ${reason}`;
        return { result: "failed", message: text };
      }
    }
    const again = await findScale(workload, deps);
    if (!again.ok) return { result: "failed", message: again.message };
    scale = again.scale;
  }
  return { result: "done", message };
}

/** One attempt to bring a workload to a size. */
export async function scaleWorkload(workload: Workload, size: number, deps: ScaleDeps): Promise<Attempt> {
  const found = await findScale(workload, deps);
  if (found.ok) return setCount(workload, found, size, deps);
  const { kind, namespace, name } = workload;
  const message = `failed to find source target ${kind} ${name} in ${namespace} namespace: ${found.message}`;
  return { result: "failed", message };
}
