// Writes bounds and their annotation into an HPA by server-side apply, and gives them back.
import { ApiError, isConflict, isNotFound, type KubeClient, resourcePath } from "@plimsoll/kube";
import { scheduleManager } from "../../objects/field-managers.ts";
import { hpaResource } from "../../objects/scaling-object.ts";
import { type LiveHpa, ownersOf } from "./live-hpa.ts";
import { boundsFailureText } from "./permissions.ts";
import type { BoundsPlan } from "./plan.ts";
import { type BoundsField, boundsFields, savedAnnotation, savedText } from "./saved-bounds.ts";

export type Applied =
  | { readonly result: "applied"; readonly hpa: LiveHpa }
  /** Another manager applies what we would change. */
  | {
      readonly result: "conflict";
      readonly managers: readonly string[];
      readonly fields: readonly BoundsField[];
    }
  /** It changed since it was read. */
  | { readonly result: "moved" }
  | { readonly result: "gone" }
  | { readonly result: "failed"; readonly message: string };

/**
 * Applies bounds and annotation in one step under a manager of our own. A field of another manager is
 * taken over when that wrote it once, never when it applies it.
 */
export async function applyBounds(
  client: KubeClient,
  hpa: LiveHpa,
  action: Exclude<BoundsPlan["action"], { kind: "none" }>,
): Promise<Applied> {
  const fields = action.kind === "move" ? action.saved.set : action.spec;
  const annotations = action.kind === "move" ? { [savedAnnotation]: savedText(action.saved) } : {};
  const named = boundsFields.filter((field) => fields[field] !== undefined);
  const write = (force: boolean) =>
    client.request<LiveHpa>({
      method: "PATCH",
      path: pathOf(hpa),
      query: { fieldManager: scheduleManager, force },
      contentType: "application/apply-patch+yaml",
      body: {
        apiVersion: "autoscaling/v2",
        kind: "HorizontalPodAutoscaler",
        metadata: {
          name: hpa.metadata.name,
          namespace: hpa.metadata.namespace,
          resourceVersion: hpa.metadata.resourceVersion,
          annotations,
        },
        ...(named.length === 0 ? {} : { spec: fields }),
      },
    });
  try {
    return { result: "applied", hpa: await write(false) };
  } catch (error) {
    if (!isFieldConflict(error)) return failureOf(error);
  }
  const disputed = named.filter((field) => fields[field] !== (hpa.spec[field] ?? 1));
  const keepers = disputed.flatMap((field) => ownersOf(hpa, field)).filter(({ isApplied }) => isApplied);
  if (keepers.length > 0) {
    const managers = [...new Set(keepers.map(({ manager }) => manager))];
    return { result: "conflict", managers, fields: disputed };
  }
  try {
    return { result: "applied", hpa: await write(true) };
  } catch (error) {
    return failureOf(error);
  }
}

/** Gives up what we own of an HPA without changing it, so that no other manager conflicts with us. */
export async function releaseFields(client: KubeClient, hpa: LiveHpa): Promise<Applied> {
  const { managedFields = [], resourceVersion } = hpa.metadata;
  const index = managedFields.findIndex(({ manager }) => manager === scheduleManager);
  if (index < 0) return { result: "applied", hpa };
  try {
    const released = await client.request<LiveHpa>({
      method: "PATCH",
      path: pathOf(hpa),
      contentType: "application/json-patch+json",
      body: [
        { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
        { op: "test", path: `/metadata/managedFields/${index}/manager`, value: scheduleManager },
        { op: "remove", path: `/metadata/managedFields/${index}` },
      ],
    });
    return { result: "applied", hpa: released };
  } catch (error) {
    return failureOf(error);
  }
}

function pathOf({ metadata }: LiveHpa): string {
  return resourcePath(hpaResource, metadata.namespace, metadata.name);
}

function failureOf(error: unknown): Applied {
  if (isNotFound(error)) return { result: "gone" };
  if (isConflict(error)) return { result: "moved" };
  return { result: "failed", message: boundsFailureText(error) };
}

/** Two kinds of conflict have one code; only that between managers names causes. */
function isFieldConflict(error: unknown): boolean {
  if (!(error instanceof ApiError) || error.code !== 409) return false;
  const { details } = (error.status ?? {}) as {
    readonly details?: { readonly causes?: readonly { readonly reason?: string }[] };
  };
  return (details?.causes ?? []).some(({ reason }) => reason === "FieldManagerConflict");
}
