// Writes bounds and their annotation into an HPA by server-side apply, and gives them back.
import { boundsAnnotation, boundsFields, scheduleManager } from "@plimsoll/core/internal/objects";
import { ApiError, isConflict, isNotFound, type KubeClient, resourcePath } from "@plimsoll/kube";
import { hpaResource } from "../../objects/scaling-object.ts";
import { boundsOf, isOurs, type LiveHpa, ownersOf, readLiveHpa } from "./live-hpa.ts";
import { boundsFailureText } from "./permissions.ts";
import type { BoundsPlan } from "./plan.ts";
import { type BoundsField, type SomeBounds, savedText } from "./saved-bounds.ts";

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
  const fields = { ...leftOvers(hpa), ...(action.kind === "move" ? action.saved.set : action.spec) };
  const annotations = action.kind === "move" ? { [boundsAnnotation]: savedText(action.saved) } : {};
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

/** Bounds that are still ours, as when giving them back failed: left out of what we apply, they would be removed. */
function leftOvers(hpa: LiveHpa): SomeBounds {
  const left = boundsFields.filter((field) => isOurs(hpa, "spec", field));
  return Object.fromEntries(left.map((field) => [field, hpa.spec[field] ?? 1]));
}

const maxReleases = 3;

/**
 * Gives up what we own of an HPA without changing it, so that no other manager conflicts with us. It may change meanwhile,
 * mostly by its own status. What is ours still does no harm to its values.
 */
export async function giveBack(
  client: KubeClient,
  applied: LiveHpa,
  mayWrite: () => boolean,
): Promise<LiveHpa> {
  let hpa = applied;
  for (let attempt = 1; ; attempt++) {
    try {
      return await release(client, hpa);
    } catch {
      const live = attempt === maxReleases ? undefined : await readAgain(client, hpa);
      if (live === undefined || boundsOf(live).hasAnnotation || !mayWrite()) return applied;
      hpa = live;
    }
  }
}

async function release(client: KubeClient, hpa: LiveHpa): Promise<LiveHpa> {
  const { managedFields = [], resourceVersion } = hpa.metadata;
  const index = managedFields.findIndex(({ manager }) => manager === scheduleManager);
  if (index < 0) return hpa;
  return await client.request<LiveHpa>({
    method: "PATCH",
    path: pathOf(hpa),
    contentType: "application/json-patch+json",
    body: [
      { op: "test", path: "/metadata/resourceVersion", value: resourceVersion },
      { op: "test", path: `/metadata/managedFields/${index}/manager`, value: scheduleManager },
      { op: "remove", path: `/metadata/managedFields/${index}` },
    ],
  });
}

/** Undefined where that fails, and where another object has its name. */
async function readAgain(client: KubeClient, { metadata }: LiveHpa): Promise<LiveHpa | undefined> {
  const { namespace = "default", name, uid } = metadata;
  try {
    const live = await readLiveHpa(client, { namespace, name });
    return live?.metadata.uid === uid ? live : undefined;
  } catch {
    return undefined;
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
