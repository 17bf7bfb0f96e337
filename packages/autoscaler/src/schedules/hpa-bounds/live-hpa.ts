// Reads an HPA's bounds and who owns them by managedFields.
import type { ReplicaBounds } from "@plimsoll/core";
import { boundsAnnotation, boundsFields, scheduleManager } from "@plimsoll/core/internal/objects";
import { isNotFound, type KubeClient, type KubeObject, resourcePath } from "@plimsoll/kube";
import { hpaResource, type ScalingObject } from "../../objects/scaling-object.ts";
import { type BoundsField, readSaved, type SavedBounds } from "./saved-bounds.ts";

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
  /** Fields that we set, and that only other clients own since, whatever the value; none without managedFields. */
  readonly lost: readonly BoundsField[];
}

/** What there is to know of an HPA's bounds. */
export function boundsOf({ metadata, spec }: Pick<LiveHpa, "metadata" | "spec">): BoundsState {
  const live = { minReplicas: spec.minReplicas ?? 1, maxReplicas: spec.maxReplicas };
  const hasAnnotation = metadata.annotations?.[boundsAnnotation] !== undefined;
  const saved = readSaved(metadata.annotations);
  // An annotation that another client wrote came with an object that was created from a copy: its bounds are still ours.
  const lost = isOurs({ metadata }, "metadata", "annotations", boundsAnnotation)
    ? boundsFields.filter((field) => saved?.set[field] !== undefined && !isOurs({ metadata }, "spec", field))
    : [];
  return { live, saved, hasAnnotation, lost };
}

/** Whether schedules own a field, by its path. */
export function isOurs(hpa: Pick<LiveHpa, "metadata">, ...path: readonly string[]): boolean {
  return managersOf(hpa, path).some(({ manager }) => manager === scheduleManager);
}

/** Who else has a say in one of the bounds. */
export function ownersOf(hpa: Pick<LiveHpa, "metadata">, field: BoundsField): readonly FieldOwner[] {
  return managersOf(hpa, ["spec", field])
    .filter(({ manager }) => manager !== scheduleManager)
    .map(({ manager, operation }) => ({ manager, isApplied: operation === "Apply" || isKeeper(manager) }));
}

/** Who owns a field, by its path. */
function managersOf(
  { metadata }: Pick<LiveHpa, "metadata">,
  path: readonly string[],
): readonly { readonly manager: string; readonly operation: string | undefined }[] {
  return (metadata.managedFields ?? []).flatMap(({ manager = "", operation, subresource = "", fieldsV1 }) => {
    let fields: unknown = fieldsV1;
    for (const name of path)
      fields = (fields as Readonly<Record<string, unknown>> | undefined)?.[`f:${name}`];
    return fields !== undefined && subresource === "" ? [{ manager, operation }] : [];
  });
}

/** Tools that write only once each time, and again as soon as it is not as they want it. */
function isKeeper(manager: string): boolean {
  return /^(?:argo|kustomize-controller|helm-controller|fleet)/.test(manager);
}
