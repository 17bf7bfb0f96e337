// Which members of a sharded deployment are alive, by their leases.
import { type Clock, getOrAdd } from "@plimsoll/component-base";
import { createExpiryWatch, type ExpiryWatch } from "./expiry-watch.ts";
import type { Lease } from "./lease.ts";

/** Which members may still be at work, as this one sees it. */
export interface Liveness {
  /**
   * Called before leases are listed: the list may be as old as that, so a lease must have expired by then. `isDisturbed`:
   * the list before failed, so members may not have been able to renew either, and no lease counts as expired by then.
   */
  begin(isDisturbed?: boolean): void;
  /**
   * The identities of all that may be. Of a member that owns shards, any change of the lease counts, whoever has it: the
   * member may have renewed it before another client wrote it. While such a lease is absent its member may renew it, and
   * another client delete it each time, so it has to be created before it can expire. The lease of a member that owns
   * nothing may be released, or absent for as long as a lease lasts. Who was lost before, and owns nothing, stays lost:
   * another member removed that lease.
   */
  observe(members: readonly Lease[], owners: Iterable<string>): ReadonlySet<string>;
  end(): void;
}

interface Member {
  identity: string;
  readonly expiry: ExpiryWatch;
  /** Whether it was lost when it was last looked at. */
  isLost: boolean;
  /** Whether the lease, as it was seen last, had expired before this list. */
  hadExpired: boolean;
}

/** What is there of a member. */
interface Seen {
  /** Whoever has it. */
  readonly lease: Lease | undefined;
  readonly isInOwnName: boolean;
  readonly hasShards: boolean;
}

export function createLiveness(options: {
  readonly clock: Clock;
  readonly identity: string;
  readonly leaseDurationMs: number;
  /** How long two lists may be apart at most where neither fails. */
  readonly maxRoundMs: number;
  /** The name of a member's lease. */
  readonly nameOf: (identity: string) => string;
}): Liveness {
  const { clock, identity, leaseDurationMs, maxRoundMs, nameOf } = options;
  const members = new Map<string, Member>();

  function memberOf(name: string, of: string): Member {
    const expiry = () => createExpiryWatch(clock, leaseDurationMs, maxRoundMs);
    return getOrAdd(members, name, () => ({
      identity: of,
      expiry: expiry(),
      isLost: false,
      hadExpired: false,
    }));
  }

  function isLost({ expiry, hadExpired, isLost: wasLost }: Member, seen: Seen): boolean {
    const { lease, isInOwnName, hasShards } = seen;
    if (!isInOwnName && !hasShards && (wasLost || lease !== undefined)) return true;
    // The duration in another client's lease is ignored.
    const isExpired = isInOwnName ? expiry.observe(lease) : expiry.observe(lease, leaseDurationMs);
    return isExpired && hadExpired && (lease !== undefined || !hasShards);
  }

  return {
    begin(isDisturbed = false) {
      for (const member of members.values()) member.hadExpired = !isDisturbed && member.expiry.isExpired;
    },
    observe(leases, owners) {
      const own = ownHolders(leases, nameOf);
      for (const [name, holder] of own) memberOf(name, holder).identity = holder;
      const named = new Map(
        [...owners].filter((owner) => owner !== "").map((owner) => [nameOf(owner), owner]),
      );
      for (const [name, owner] of named) memberOf(name, owner);
      const byName = new Map(leases.map((lease) => [lease.metadata.name, lease]));
      const live = new Set([identity]);
      for (const [name, member] of members) {
        const lease = byName.get(name);
        const hasShards = named.has(name);
        member.isLost = isLost(member, { lease, isInOwnName: own.has(name), hasShards });
        if (!member.isLost) live.add(member.identity);
        if (!member.isLost || lease !== undefined) continue;
        member.expiry.end();
        members.delete(name);
      }
      return live;
    },
    end() {
      for (const { expiry } of members.values()) expiry.end();
    },
  };
}

/** By the name of the lease, where that is in the name of its member. */
function ownHolders(
  leases: readonly Lease[],
  nameOf: (identity: string) => string,
): ReadonlyMap<string, string> {
  const holders = leases.map(({ metadata, spec }) => [metadata.name, spec?.holderIdentity ?? ""] as const);
  return new Map(holders.filter(([name, holder]) => nameOf(holder) === name));
}
