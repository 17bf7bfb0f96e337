// Who writes in the sandbox: the user of each scale and of the lease.
import type { AuthorizeHook, StoredObject } from "@plimsoll/sandbox";

export interface Writers {
  /** Sees every request before it is carried out; decides nothing. */
  readonly authorize: AuthorizeHook;
  /** The last that wrote the scale of a Deployment. */
  ofScale(deployment: string): string | undefined;
  leaseChanged(lease: StoredObject): void;
  /** The user that owns the lease. */
  leader(): string | undefined;
}

export function createWriters(): Writers {
  const scales = new Map<string, string>();
  /** How often each user was the last to write when a lease with that holder was stored: two may try at once. */
  const votes = new Map<string, Map<string, number>>();
  let leaseWriter: string | undefined;
  let holder: string | undefined;
  return {
    authorize({ user, verb, resource }) {
      if (verb === "get" || verb === "list" || verb === "watch" || resource === undefined) return undefined;
      if (resource.subresource === "scale") scales.set(resource.name, user.username);
      if (resource.resource === "leases") leaseWriter = user.username;
      return undefined;
    },
    ofScale: (deployment) => scales.get(deployment),
    leaseChanged({ spec }) {
      holder = (spec as { readonly holderIdentity?: string } | undefined)?.holderIdentity;
      if (holder === undefined || leaseWriter === undefined) return;
      const counts = votes.get(holder) ?? new Map<string, number>();
      votes.set(holder, counts.set(leaseWriter, (counts.get(leaseWriter) ?? 0) + 1));
    },
    leader() {
      const counts = votes.get(holder ?? "") ?? new Map<string, number>();
      return [...counts].toSorted(([, one], [, other]) => other - one)[0]?.[0];
    },
  };
}
