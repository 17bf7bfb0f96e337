// Reads an HPA's bounds and who owns them by managedFields.
import type { ReplicaBounds } from "@plimsoll/core";
import { isNotFound, type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { scheduleManager } from "../../objects/field-managers.ts";
import { hpaResource, type ScalingObject } from "../../objects/scaling-object.ts";
import { type BoundsField, readSaved, type SavedBounds, savedAnnotation } from "./saved-bounds.ts";

export interface FieldOwner {
  readonly manager: string;
  /** Applied and meant to last, as tools do that keep what is in a repository; or only written once. */
  readonly isApplied: boolean;
}

export interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly subresource?: string;
  readonly fieldsV1?: Readonly<Record<string, unknown>>;
}

/** An HPA as the server has it now, managers and all. */
export interface LiveHpa extends KubeObject {
  readonly metadata: KubeObject["metadata"] & { readonly managedFields?: readonly ManagedFields[] };
  readonly spec: ScalingObject["spec"];
}

/** Undefined when there is none. Throws ApiError or ConnectionError. */
export async function readLiveHpa(
  client: KubeClient,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<LiveHpa | undefined> {
  try {
    return await client.request<LiveHpa>({ path: resourcePath(hpaResource, namespace, name) });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

export interface BoundsState {
  readonly live: ReplicaBounds;
  readonly saved: SavedBounds | undefined;
  readonly hasAnnotation: boolean;
}

/** What there is to know of an HPA's bounds. */
export function boundsOf({ metadata, spec }: Pick<ScalingObject, "metadata" | "spec">): BoundsState {
  const live = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const hasAnnotation = metadata.annotations?.[savedAnnotation] !== undefined;
  return { live, saved: readSaved(metadata.annotations), hasAnnotation };
}

/** Who else has a say in one of the bounds. */
export function ownersOf({ metadata }: LiveHpa, field: BoundsField): readonly FieldOwner[] {
  return (metadata.managedFields ?? []).flatMap(({ manager = "", operation, subresource = "", fieldsV1 }) => {
    const spec = fieldsV1?.["f:spec"];
    const owns = typeof spec === "object" && spec !== null && `f:${field}` in spec;
    if (!owns || subresource !== "" || manager === scheduleManager) return [];
    return [{ manager, isApplied: operation === "Apply" || isKeeper(manager) }];
  });
}

/** Tools that write only once each time, and again as soon as it is not as they want it. */
function isKeeper(manager: string): boolean {
  return /^(?:argo|kustomize-controller|helm-controller|fleet)/.test(manager);
}
