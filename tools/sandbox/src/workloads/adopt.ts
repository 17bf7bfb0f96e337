// Whether an object of a generated name belongs to the owner that needs it.
import type { ControllerContext } from "./controller-context.ts";
import { controllerOf, controllerReference, type Workload } from "./workload.ts";

export interface Claim {
  readonly ownerResource: string;
  readonly owner: Workload;
  readonly resource: string;
  /** In the owner's namespace. */
  readonly name: string;
}

/** True when the name is taken; what has no controller any more becomes the owner's. */
export function claimName(context: ControllerContext, claim: Claim): boolean {
  const { resource, owner } = claim;
  const found = context.store.get(resource, owner.metadata.namespace, claim.name);
  if (found === undefined) return false;
  if (controllerOf(found) !== undefined || found.metadata.deletionTimestamp !== undefined) return true;
  const ownerReferences = [
    ...(found.metadata.ownerReferences ?? []),
    controllerReference(claim.ownerResource, owner),
  ];
  context.store.update(resource, { ...found, metadata: { ...found.metadata, ownerReferences } });
  return true;
}
