// Plans which shards a member claims and releases, so that all members own equal shares.
import type { ShardView } from "./shard-index.ts";

/** What a member does about the shards. */
export interface ShardPlan {
  /** Owned until now, and not any more: another client wrote or removed the lease. */
  readonly lost: readonly number[];
  /** More than the share: to be released. */
  readonly surplus: readonly number[];
  /** Free, and within the share. */
  readonly wanted: readonly ShardView[];
  /** Still in this member's name, and not wanted: to be released. */
  readonly orphaned: readonly ShardView[];
  /** Without a lease that this member knows: it is created, or found where lists do not show it. */
  readonly absent: readonly ShardView[];
}

/**
 * A member keeps the shards that it owns, up to its share, and takes free ones, up to its share. Shares differ by one at
 * most; the members with the lower names have the larger ones.
 */
export function planShards(options: {
  readonly identity: string;
  readonly shards: readonly ShardView[];
  /** Identities of all live members, this one included. */
  readonly live: ReadonlySet<string>;
  readonly owned: ReadonlySet<number>;
}): ShardPlan {
  const { identity, shards, live, owned } = options;
  const rank = Math.max(0, [...live].sort().indexOf(identity));
  const members = Math.max(1, live.size);
  const share = Math.floor(shards.length / members) + (rank < shards.length % members ? 1 : 0);

  const lost = shards
    .filter(({ shard, owner, isMarked }) => owned.has(shard) && !(owner === identity && isMarked))
    .map(({ shard }) => shard);
  const kept = [...owned].filter((shard) => !lost.includes(shard)).sort((a, b) => a - b);
  const isOwn = ({ owner }: ShardView): boolean => owner === identity;
  const start = Math.floor((rank * shards.length) / members);
  // Those that still carry this member's name come first: they were its own before a lapse.
  const ordered = [...shards.slice(start), ...shards.slice(0, start)];
  const free = ordered
    .filter((view) => !owned.has(view.shard) && view.isFree)
    .sort((a, b) => Number(isOwn(b)) - Number(isOwn(a)));
  const capacity = Math.max(0, share - kept.length);
  return {
    lost,
    surplus: kept.slice(share),
    wanted: free.slice(0, capacity),
    orphaned: free.slice(capacity).filter(isOwn),
    absent: ordered.filter(({ lease }) => lease === undefined),
  };
}
