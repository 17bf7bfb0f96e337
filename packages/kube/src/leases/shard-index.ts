// Indexes the Leases of all shards, and says which of them a member may take.
import { type Clock, getOrAdd } from "@plimsoll/component-base";
import { createExpiryWatch, type ExpiryWatch } from "./expiry-watch.ts";
import type { Lease, LeaseSpec } from "./lease.ts";

/** One shard as a member sees it. */
export interface ShardView {
  readonly shard: number;
  /** Undefined when there is none: no member ever owned the shard, or the lease was removed by hand. */
  readonly lease: Lease | undefined;
  /** Who owns it by its lease; "" for no member. */
  readonly owner: string;
  /** Whether a member wrote the owner into the lease. */
  readonly isMarked: boolean;
  /** No member uses it: this member may take it in this very state. */
  readonly isFree: boolean;
}

const holderAnnotation = "coordination.plimsoll.dev/holder";

/** With these annotations, a lease says that its holder was written by a member, after a state that allowed it. */
export function markOf({ holderIdentity = "" }: LeaseSpec): Readonly<Record<string, string>> {
  return { [holderAnnotation]: holderIdentity };
}

/** Another client that changes the holder leaves the annotation as it was, and one that creates a lease writes none. */
export function isMarked({ metadata, spec }: Lease): boolean {
  return metadata.annotations?.[holderAnnotation] === (spec?.holderIdentity ?? "");
}

/** What the leases say of the shards. */
export type ShardIndex = ReturnType<typeof createShardIndex>;

export function createShardIndex(options: {
  readonly clock: Clock;
  readonly identity: string;
  readonly shards: number;
  readonly nameOf: (shard: number) => string;
  /** A lease that has not changed for so long is known to all members that may use shards. */
  readonly unseenMs: number;
}) {
  const { clock, identity, shards, nameOf, unseenMs } = options;
  /** Of leases without the mark. */
  const unchanged = new Map<number, ExpiryWatch>();

  function isUnchangedForLong(shard: number, lease: Lease): boolean {
    return getOrAdd(unchanged, shard, () => createExpiryWatch(clock, unseenMs)).observe(lease, unseenMs);
  }

  function forget(shard: number): void {
    unchanged.get(shard)?.end();
    unchanged.delete(shard);
  }

  function viewOf(shard: number, lease: Lease | undefined, live: ReadonlySet<string>): ShardView {
    const owner = lease?.spec?.holderIdentity ?? "";
    const isWrittenByMember = lease !== undefined && isMarked(lease);
    if (lease === undefined || isWrittenByMember) forget(shard);
    const isKnown = isWrittenByMember || (lease !== undefined && isUnchangedForLong(shard, lease));
    const isFree = isKnown && (owner === identity || !live.has(owner));
    return { shard, lease, owner, isMarked: isWrittenByMember, isFree };
  }

  return {
    views(leases: readonly Lease[], live: ReadonlySet<string>): readonly ShardView[] {
      const byName = new Map(leases.map((lease) => [lease.metadata.name, lease]));
      return Array.from({ length: shards }, (_, shard) => viewOf(shard, byName.get(nameOf(shard)), live));
    },
    end(): void {
      for (const watch of unchanged.values()) watch.end();
    },
  };
}
