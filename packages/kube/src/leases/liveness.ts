// Which members of a sharded deployment are alive, by their leases.
import { type Clock, getOrAdd } from "@plimsoll/component-base";
import { createExpiryWatch, type ExpiryWatch } from "./expiry-watch.ts";
import type { Lease } from "./lease.ts";

/** Which members may still be at work, as this one sees it. */
export interface Liveness {
  /**
   * The identities of all that may be, by their leases and by what shards they own. A member whose lease is gone may be
   * for as long as a lease lasts: it was removed by hand, and the member has not noticed yet. Who was lost before, and
   * owns nothing, stays lost: another member removed that lease.
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
      const byName = new Map(leases.map((lease) => [lease.metadata.name, lease]));
      for (const [name, lease] of byName) {
        const holder = lease.spec?.holderIdentity ?? "";
        memberOf(name, holder).identity = holder;
      }
      const named = new Set<string>();
      for (const owner of owners) {
        if (owner === "") continue;
        named.add(nameOf(owner));
        memberOf(nameOf(owner), owner);
      }
      const live = new Set([identity]);
      for (const [name, member] of members) {
        const lease = byName.get(name);
        const staysLost = member.isLost && lease === undefined && !named.has(name);
        member.isLost = staysLost || member.expiry.observe(lease) || member.identity === "";
        if (!member.isLost) live.add(member.identity);
        if (!member.isLost || lease !== undefined || named.has(name)) continue;
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
