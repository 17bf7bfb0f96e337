// One round of a member: what it loses, releases, claims and collects.
import { type Clock, forEachLimit } from "@plimsoll/component-base";
import { isConflict, isNotFound } from "../client/api-error.ts";
import { safely } from "../safely.ts";
import { type Instant, instantOf, isWithin } from "./instant.ts";
import {
  deleteLease,
  type Lease,
  type LeaseAt,
  type LeaseSpec,
  listLeases,
  ownedSpec,
  releasedSpec,
  writeLease,
} from "./lease.ts";
import type { Liveness } from "./liveness.ts";
import type { Membership } from "./membership.ts";
import { isMarked, markOf, type ShardIndex, type ShardView } from "./shard-index.ts";
import { planShards } from "./shard-plan.ts";
import type { UnlistedLeases } from "./unlisted-leases.ts";

/** What one member divides, in which times, and whom it calls. */
export interface ShardOptions {
  /** Unlike that of any other member. */
  readonly identity: string;
  readonly shards: number;
  /** Other members wait so long for a member that does not renew. */
  readonly leaseDurationMs: number;
  /** A member that has not renewed for so long loses its shards; shorter than the lease. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  /** Annotations of this member's own lease, as they are at each renewal. */
  readonly annotations?: (() => Readonly<Record<string, string>>) | undefined;
  readonly onGained: (shard: number) => void;
  /** The shard may not be used from now on; called before another member can own it. */
  readonly onLost: (shard: number) => void;
  readonly onError?: (error: unknown) => void;
}

/** Leases of shards that one member writes in one round, and how many of these concurrently. */
const maxPerRound = 32;
const maxConcurrent = 8;

/** What one member knows and owns. */
export interface ShardState {
  readonly options: ShardOptions;
  readonly clock: Clock;
  readonly random: () => number;
  readonly at: Omit<LeaseAt, "name">;
  readonly names: LeaseNames;
  readonly ending: AbortController;
  readonly membership: Membership;
  readonly liveness: Liveness;
  readonly index: ShardIndex;
  readonly unlisted: UnlistedLeases;
  readonly owned: Map<number, Lease>;
  /** Lost, to be released in the next round: what was under way has ended by then. */
  readonly leaving: Map<number, Lease | undefined>;
  live: ReadonlySet<string>;
  /** The leases of the members that are alive, as they were last listed. */
  memberLeases: readonly Lease[];
  /** The last list failed. */
  isDisturbed: boolean;
  /** When the last list began that showed who owns the shards. */
  listedAt: Instant;
  /** Who began its last list so long ago uses no shard. */
  readonly unseenMs: number;
}

/** What the leases are called. */
export interface LeaseNames {
  readonly own: string;
  readonly memberPrefix: string;
  member(identity: string): string;
  shard(shard: number): string;
}

/**
 * Gives and takes shards for as long as a renewal may take, and so many at most: what is left is for the next round,
 * which sees who is alive then.
 */
export async function divide(state: ShardState): Promise<void> {
  const { clock, index, leaving, liveness, membership, options, owned } = state;
  const { term } = membership;
  const startedAt = instantOf(clock);
  const isOver = () => term !== membership.term || !isWithin(clock, startedAt, options.renewDeadlineMs);
  liveness.begin(state.isDisturbed);
  state.isDisturbed = true;
  const all = await readLeases(state);
  state.isDisturbed = false;
  if (term !== membership.term) return;
  state.listedAt = startedAt;
  const members = all.filter(({ metadata }) => metadata.name.startsWith(state.names.memberPrefix));
  const users = ownersIn(state, all.filter(isMarked));
  state.live = liveness.observe(members, users);
  state.memberLeases = members.filter(({ spec }) => state.live.has(spec?.holderIdentity ?? ""));
  const { identity } = options;
  const shards = index.views(all, state.live);
  const plan = planShards({ identity, shards, live: state.live, owned: new Set(owned.keys()) });
  for (const shard of plan.lost) lose(state, shard);
  await createMembers(state, { users, members, isOver });
  const released = await release(state, maxPerRound, isOver);
  if (term !== membership.term) return;
  for (const shard of plan.surplus) {
    leaving.set(shard, owned.get(shard));
    lose(state, shard);
  }
  const isIdle = ({ shard }: ShardView) => !leaving.has(shard) && !released.has(shard);
  for (const { shard, lease } of plan.orphaned.filter(isIdle)) leaving.set(shard, lease);
  const wanted = plan.wanted.filter(isIdle).slice(0, maxPerRound);
  await forEachLimit(maxConcurrent, wanted, (view) => claim(state, view, isOver));
  await forEachLimit(maxConcurrent, plan.absent.slice(0, maxPerRound), async ({ shard }) => {
    if (!isOver()) await releaseShard(state, shard, undefined);
  });
  await collect(state, { members, owners: ownersIn(state, all), isOver });
}

/** Those that lists show, and those that they do not show but that may matter. */
async function readLeases(state: ShardState): Promise<readonly Lease[]> {
  const { at, names, unlisted } = state;
  const listed = await listLeases(at);
  // Whoever owns shards may be alive although lists do not show its lease.
  for (const owner of ownersIn(state, listed)) if (owner !== "") unlisted.add(names.member(owner));
  return [...listed, ...(await unlisted.read(listed))];
}

/** A member that uses shards is lost when its lease does not change any more, so there has to be one. */
async function createMembers(
  state: ShardState,
  seen: {
    readonly users: ReadonlySet<string>;
    readonly members: readonly Lease[];
    readonly isOver: () => boolean;
  },
): Promise<void> {
  const { at, clock, names, options } = state;
  const { leaseDurationMs: durationMs } = options;
  const present = new Set(seen.members.map(({ metadata }) => metadata.name));
  for (const identity of seen.users) {
    if (identity === "" || identity === options.identity) continue;
    const name = names.member(identity);
    if (present.has(name) || seen.isOver()) continue;
    const spec = ownedSpec({ identity, durationMs, nowMs: clock.nowMs(), former: undefined });
    await attempt(state, async () => void (await writeLease({ ...at, name }, spec, undefined)));
  }
}

/** One of the living does what one is enough for. */
function isFirst({ live, options }: ShardState): boolean {
  return [...live].sort()[0] === options.identity;
}

function ownersIn({ options, names }: ShardState, leases: readonly Lease[]): ReadonlySet<string> {
  const shards = new Set(Array.from({ length: options.shards }, (_, shard) => names.shard(shard)));
  const owners = leases.filter(({ metadata }) => shards.has(metadata.name));
  return new Set(owners.map(({ spec }) => spec?.holderIdentity ?? ""));
}

/** The spec with which this member takes or keeps a lease. */
export function specFrom({ clock, options }: ShardState, former: Lease | undefined): LeaseSpec {
  const { identity, leaseDurationMs } = options;
  return ownedSpec({ identity, durationMs: leaseDurationMs, nowMs: clock.nowMs(), former: former?.spec });
}

async function claim(state: ShardState, { shard, lease }: ShardView, isOver: () => boolean): Promise<void> {
  const { leaving, membership, options, owned } = state;
  const { term } = membership;
  if (isOver() || !membership.isValid) return;
  await attempt(state, async () => {
    const taken = await write(state, shard, { spec: specFrom(state, lease), former: lease });
    if (term !== membership.term || !membership.isValid || isLate(state)) {
      leaving.set(shard, taken);
      return;
    }
    owned.set(shard, taken);
    safely(() => options.onGained(shard), options.onError);
  });
}

/** Whether a shard could be used for longer than the list allows that showed it free: until the next renewal is due. */
function isLate({ clock, listedAt, options, unseenMs }: ShardState): boolean {
  return !isWithin(clock, listedAt, unseenMs - options.renewDeadlineMs);
}

/** The shard may not be used from now on. */
export function lose({ options, owned }: ShardState, shard: number): void {
  if (owned.delete(shard)) safely(() => options.onLost(shard), options.onError);
}

/** Releases shards that this member lost; returns which. */
export async function release(
  state: ShardState,
  max: number,
  isOver: () => boolean,
): Promise<ReadonlySet<number>> {
  const { leaving } = state;
  const released = new Set<number>();
  await forEachLimit(maxConcurrent, [...leaving].slice(0, max), async ([shard, lease]) => {
    if (isOver()) return;
    leaving.delete(shard);
    released.add(shard);
    await releaseShard(state, shard, lease);
  });
  return released;
}

/** Creates the lease as a released one where there is none. */
async function releaseShard(state: ShardState, shard: number, former: Lease | undefined): Promise<void> {
  const spec = releasedSpec(former?.spec, state.clock.nowMs());
  await attempt(state, async () => void (await write(state, shard, { spec, former })));
}

/** Who creates a lease does not know whether the shard is used: only what replaces a state gets the mark. */
async function write(
  { at, names, unlisted }: ShardState,
  shard: number,
  { spec, former }: { readonly spec: LeaseSpec; readonly former: Lease | undefined },
): Promise<Lease> {
  const name = names.shard(shard);
  const annotations = () => (former === undefined ? {} : markOf(spec));
  try {
    return await writeLease({ ...at, name, annotations }, spec, former);
  } catch (error) {
    if (isConflict(error)) unlisted.add(name);
    throw error;
  }
}

/** The first of the living removes the leases of members that are gone and own nothing. */
async function collect(
  state: ShardState,
  seen: {
    readonly members: readonly Lease[];
    readonly owners: ReadonlySet<string>;
    readonly isOver: () => boolean;
  },
): Promise<void> {
  const { at, live, names } = state;
  if (!isFirst(state)) return;
  // By name: another client may have written a lease that its member still goes by.
  const kept = new Set([...live, ...seen.owners].map(names.member));
  for (const lease of seen.members) {
    if (seen.isOver() || kept.has(lease.metadata.name)) continue;
    try {
      await deleteLease({ ...at, name: lease.metadata.name }, lease);
    } catch (error) {
      if (!isConflict(error) && !isNotFound(error)) report(state, error);
    }
  }
}

export function report({ options }: Pick<ShardState, "options">, error: unknown): void {
  safely(() => options.onError?.(error));
}

/** A conflict says that another client wrote the lease; the next round sees that. */
export async function attempt(state: ShardState, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!isConflict(error)) report(state, error);
  }
}
