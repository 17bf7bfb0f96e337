import type { Lease } from "./lease.ts";

/** One slot as a candidate sees it. */
export interface SlotView {
  readonly slot: number;
  /** Undefined when nobody ever had it. */
  readonly lease: Lease | undefined;
}

export interface SlotPlan {
  /** Taken by another although we thought it ours. */
  readonly lost: readonly number[];
  /** More than our share: to be given back. */
  readonly surplus: readonly number[];
  /** Free, and wanted. */
  readonly wanted: readonly SlotView[];
  /** Still in our name, and not wanted: a former release that failed. */
  readonly orphaned: readonly SlotView[];
}

/**
 * What a member does about the slots: it keeps what it has, up to its share, and takes what is free, up to its share.
 * Shares differ by one at most; the members with the lower names have the larger ones.
 */
export function planSlots(o: {
  readonly identity: string;
  readonly slots: readonly SlotView[];
  /** Identities of all live members, this one included. */
  readonly live: ReadonlySet<string>;
  readonly held: ReadonlySet<number>;
}): SlotPlan {
  const members = [...o.live].sort();
  const rank = Math.max(0, members.indexOf(o.identity));
  const count = Math.max(1, members.length);
  const share = Math.floor(o.slots.length / count) + (rank < o.slots.length % count ? 1 : 0);

  const holderOf = ({ lease }: SlotView) => lease?.spec?.holderIdentity ?? "";
  const lost = o.slots
    .filter((view) => o.held.has(view.slot) && holderOf(view) !== o.identity)
    .map(({ slot }) => slot);
  const kept = [...o.held].filter((slot) => !lost.includes(slot)).sort((a, b) => a - b);
  // Those that still carry our name come first: they were ours before a lapse.
  const start = Math.floor((rank * o.slots.length) / count);
  const free = [...o.slots.slice(start), ...o.slots.slice(0, start)]
    .filter((view) => !o.held.has(view.slot))
    .filter((view) => holderOf(view) === o.identity || !o.live.has(holderOf(view)))
    .sort((a, b) => Number(holderOf(b) === o.identity) - Number(holderOf(a) === o.identity));
  const room = Math.max(0, share - kept.length);
  return {
    lost,
    surplus: kept.slice(share),
    wanted: free.slice(0, room),
    orphaned: free.slice(room).filter((view) => holderOf(view) === o.identity),
  };
}
