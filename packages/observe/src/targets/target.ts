// Reads the scale subresource of an HPA's target.
import type { CrossVersionObjectReference } from "@plimsoll/core";
import {
  isNotFound,
  type KubeClient,
  publicErrorText,
  type ResourceInfo,
  type RestMapper,
  readScale,
  retryAfterOf,
  type Scale,
} from "@plimsoll/kube";
import type { TargetCache } from "./target-cache.ts";

/** The scale of an HPA's target, as read, and where to write it. */
export interface ScaleTarget {
  readonly info: ResourceInfo;
  readonly scale: Scale;
}

export type TargetReading =
  | { readonly ok: true; readonly target: ScaleTarget }
  | {
      readonly ok: false;
      readonly message: string;
      readonly kind: "spec" | "internal";
      /** The target doesn't exist; otherwise it may only be unreadable for now. */
      readonly isGone: boolean;
      readonly retryAfterMs: number | undefined;
    };

/**
 * Finds the target by group and kind (its version does not matter) and reads its scale.
 *
 * @upstream pkg/controller/podautoscaler/horizontal.go#scaleForResourceMappings
 */
export async function readTarget(
  ref: CrossVersionObjectReference,
  namespace: string,
  deps: { readonly client: KubeClient; readonly mapper: RestMapper; readonly targets: TargetCache },
): Promise<TargetReading> {
  const group = groupOf(ref.apiVersion ?? "");
  if (group === undefined) return failed(`unexpected GroupVersion string: ${ref.apiVersion ?? ""}`, "spec");
  let mappings: readonly ResourceInfo[];
  try {
    mappings = await deps.mapper.byKind(group, ref.kind);
  } catch (error) {
    return failed(publicErrorText(error), "internal", error);
  }
  if (mappings.length === 0)
    return failed(`no matches for kind "${ref.kind}" in group "${group}"`, "internal");

  const [preferred] = mappings;
  const cached = preferred === undefined ? undefined : deps.targets.scaleOf(preferred, namespace, ref.name);
  if (preferred !== undefined && cached !== undefined)
    return { ok: true, target: { info: preferred, scale: cached } };

  let first: unknown;
  for (const [index, info] of mappings.entries()) {
    try {
      const scale = await readScale(deps.client, info, namespace, ref.name);
      if (!deps.targets.seen(info, scale)) return failed(staleRead, "internal", staleRead);
      return { ok: true, target: { info, scale } };
    } catch (error) {
      if (index === 0) first = error;
    }
  }
  return failed(publicErrorText(first), "internal", first);
}

/** The response came from an API server that lags behind another: its replicas may be from before our own write. */
const staleRead = "the scale is older than the last one read";

/** Without a cause, the target doesn't exist. */
function failed(message: string, kind: "spec" | "internal", cause?: unknown): TargetReading {
  const isGone = cause === undefined || isNotFound(cause);
  return { ok: false, message, kind, isGone, retryAfterMs: retryAfterOf(cause) };
}

/** The group of an apiVersion; undefined when it has more than one slash. */
function groupOf(apiVersion: string): string | undefined {
  const parts = apiVersion.split("/");
  if (parts.length > 2) return undefined;
  return parts.length === 2 ? (parts[0] ?? "") : "";
}
