// Which members of a sharded deployment are alive, by their leases.
import { type Clock, getOrAdd } from "@plimsoll/component-base";
import { createExpiryWatch, type ExpiryWatch } from "./expiry-watch.ts";
import type { Lease } from "./lease.ts";

/** Which members may still be at work, as this one sees it. */
export interface Liveness {
  /**
   * The identities of all that may be, by their leases and by what shards they own. A member whose lease is gone may be
   * for as long as a lease lasts: it was removed by hand, and the member has not noticed yet. So may one that owns shards
   * and whose lease has another holder, or none. Who was lost before, and owns nothing, stays lost: another member removed
   * that lease.
   */
  observe(members: readonly Lease[], owners: Iterable<string>): ReadonlySet<string>;
  end(): void;
}

interface Member {
  identity: string;
  readonly expiry: ExpiryWatch;
  /** Whether it was lost when it was last looked at. */
  isLost: boolean;
}

/** What is there of a member beside a lease in its own name. */
interface Seen {
  /** Whoever has it. */
  readonly hasLease: boolean;
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
    return getOrAdd(members, name, () => ({ identity: of, expiry: expiry(), isLost: false }));
  }

  return {
    observe(leases, owners) {
      const own = ownLeases(leases, nameOf);
      for (const [name, { holder }] of own) memberOf(name, holder).identity = holder;
      const named = new Map(
        [...owners].filter((owner) => owner !== "").map((owner) => [nameOf(owner), owner]),
      );
      for (const [name, owner] of named) memberOf(name, owner);
      const present = new Set(leases.map(({ metadata }) => metadata.name));
      const live = new Set([identity]);
      for (const [name, member] of members) {
        const seen = { hasLease: present.has(name), hasShards: named.has(name) };
        member.isLost = isLost(member, own.get(name)?.lease, seen);
        if (!member.isLost) live.add(member.identity);
        if (!member.isLost || seen.hasLease || seen.hasShards) continue;
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

/** Those in the name of their members. One that another client took or released: its member may not know yet. */
function ownLeases(
  leases: readonly Lease[],
  nameOf: (identity: string) => string,
): ReadonlyMap<string, { readonly lease: Lease; readonly holder: string }> {
  const held = leases.map((lease) => ({ lease, holder: lease.spec?.holderIdentity ?? "" }));
  const own = held.filter(({ lease, holder }) => nameOf(holder) === lease.metadata.name);
  return new Map(own.map((one) => [one.lease.metadata.name, one]));
}

function isLost({ expiry, isLost: wasLost }: Member, lease: Lease | undefined, seen: Seen): boolean {
  if (lease === undefined && !seen.hasShards && (wasLost || seen.hasLease)) return true;
  return expiry.observe(lease);
}
