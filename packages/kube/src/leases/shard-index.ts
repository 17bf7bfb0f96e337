// Indexes the Leases of all shards, and measures for how long those that were deleted have been absent.
import { type Clock, getOrAdd } from "@plimsoll/component-base";
import { createExpiryWatch, type ExpiryWatch } from "./expiry-watch.ts";
import type { Lease } from "./lease.ts";

/** One shard as a member sees it. */
export interface ShardView {
  readonly shard: number;
  /** Undefined when there is none: no member ever owned the shard, or the lease was removed by hand. */
  readonly lease: Lease | undefined;
  /** Who owns it by its lease; "" for no member. */
  readonly owner: string;
  /** No live member can be using it. */
  readonly isFree: boolean;
}

/** What the leases say of the shards. The owner of a shard whose lease is gone uses it until it notices. */
export type ShardIndex = ReturnType<typeof createShardIndex>;

export function createShardIndex(options: {
  readonly clock: Clock;
  readonly shards: number;
  readonly nameOf: (shard: number) => string;
  /** After so long no member uses a shard whose lease it cannot have seen. */
  readonly unseenMs: number;
}) {
  const { clock, shards, nameOf, unseenMs } = options;
  /** Shards without a lease. */
  const absences = new Map<number, ExpiryWatch>();
  let isFirstView = true;

  function isAbsentForLong(shard: number): boolean {
    return getOrAdd(absences, shard, () => createExpiryWatch(clock, unseenMs)).observe(undefined);
  }

  function endAbsence(shard: number): void {
    absences.get(shard)?.end();
    absences.delete(shard);
  }

  return {
    views(leases: readonly Lease[], live: ReadonlySet<string>): readonly ShardView[] {
      const byName = new Map(leases.map((lease) => [lease.metadata.name, lease]));
      const all = Array.from({ length: shards }, (_, shard) => ({ shard, lease: byName.get(nameOf(shard)) }));
      // Where no shard has a lease, none was ever owned. Later, one may have been taken and removed since the last view.
      const isNew = isFirstView && all.every(({ lease }) => lease === undefined);
      isFirstView = false;
      return all.map(({ shard, lease }) => {
        if (lease !== undefined) endAbsence(shard);
        const owner = lease?.spec?.holderIdentity ?? "";
        const isFree =
          lease === undefined ? isNew || live.size <= 1 || isAbsentForLong(shard) : !live.has(owner);
        return { shard, lease, owner, isFree };
      });
    },
    end(): void {
      for (const absence of absences.values()) absence.end();
    },
  };
}
