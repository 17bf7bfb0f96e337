// Claims, renews and releases the Leases of shards.
import { type Clock, sleep, systemClock } from "@plimsoll/component-base";
import type { KubeClient } from "../client/client.ts";
import { elapsedMs, instantOf } from "./instant.ts";
import { type Lease, readLease, releasedSpec, writeLease } from "./lease.ts";
import { timeoutOf } from "./lease-times.ts";
import { createLiveness } from "./liveness.ts";
import { createMembership } from "./membership.ts";
import {
  attempt,
  divide,
  type LeaseNames,
  lose,
  release,
  report,
  type ShardOptions,
  type ShardState,
  specFrom,
} from "./shard-division.ts";
import { createShardIndex } from "./shard-index.ts";
import { createUnlistedLeases, missingLabel } from "./unlisted-leases.ts";

/** Who divides shards, and where its leases are. */
export interface ShardClaimsOptions extends ShardOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Leases are called NAME-slot-N and NAME-member-IDENTITY. */
  readonly name: string;
  readonly clock?: Clock;
  readonly random?: () => number;
}

/** Divides shards among the processes that are alive, so that no shard is ever used by two. */
export type ShardClaims = ReturnType<typeof createShardClaims>;

const groupLabel = "coordination.plimsoll.dev/group";

/**
 * A member renews one lease of its own. A shard's lease names the member that owns it, and is written only when the owner
 * changes. No other client should write them, and still no shard is ever used by two, whatever another client writes or deletes:
 *
 * 1. A member takes a shard by replacing the very state of its lease that it read. What it writes carries a mark, an
 *    annotation that repeats the holder; what it creates has none. Other clients do not write the mark.
 * 2. So where mark and holder agree, no member has written the lease since: either its holder released the shard, which it
 *    had stopped to use, or no member but the holder may use it.
 * 3. Such a holder has stopped when its own lease, whoever wrote that, has not changed for as long as it lasts: a holder
 *    that goes on renews it, and its renew deadline is shorter. One that comes back takes each shard again. A lease that is
 *    absent cannot be seen to change, so it is created first.
 * 4. In any other state of the shard's lease, some member may still use the shard, but only if it listed the leases less than
 *    `unseenMs` ago and saw the shard marked with its own name. None has, once this state is as old as that: a lease
 *    that was replaced in a state that was first seen `unseenMs` before cannot have been another in between.
 * 5. An absent lease has no state that could be replaced. It is created at once, as released and without the mark, and 4 holds.
 *
 * A new installation has no leases, like one whose leases were all deleted, so its shards are first used after `unseenMs`.
 */
export function createShardClaims(options: ShardClaimsOptions) {
  const state = newState(options);
  const { ending, membership, owned } = state;
  let running: Promise<void> | undefined;
  return {
    /** Whether this process may use the shard now. */
    owns: (shard: number): boolean => owned.has(shard) && membership.isValid,
    get owned() {
      return membership.isValid ? [...owned.keys()].sort((a, b) => a - b) : [];
    },
    /** Members seen alive, this one included. */
    get members() {
      return state.live.size;
    },
    /** The leases of the members seen alive, this one's included. */
    get memberLeases() {
      return state.memberLeases;
    },
    start(): void {
      if (!ending.signal.aborted) running ??= run(state);
    },
    /** Releases everything. */
    async stop(): Promise<void> {
      ending.abort();
      for (const [shard, lease] of owned) state.leaving.set(shard, lease);
      membership.end();
      await running;
      state.liveness.end();
      state.index.end();
      await release(state, Number.POSITIVE_INFINITY, () => false);
      await releaseOwn(state);
    },
  };
}

function newState(options: ShardClaimsOptions): ShardState {
  const { client, namespace, name, identity, shards, leaseDurationMs, renewDeadlineMs, retryPeriodMs } =
    options;
  const { clock = systemClock, random = () => Math.random() } = options;
  const timeoutMs = timeoutOf(options);
  const at = { client, namespace, timeoutMs, labels: { [groupLabel]: name } };
  const names = namesOf(name, identity);
  const unseenMs = 2 * leaseDurationMs;
  // The longest pause, a request that takes as long as it may, and timers that are a little late.
  const maxRoundMs = timeoutMs + 1.25 * retryPeriodMs;
  const membership = createMembership({
    clock,
    renewDeadlineMs,
    read: () => readOwn(state),
    write: (former) =>
      writeLease(
        { ...at, name: names.own, annotations: options.annotations },
        specFrom(state, former),
        former,
      ),
    // Who lists no more does not see that a lease of its shards was removed.
    usableForMs: () =>
      state.owned.size === 0 ? Number.POSITIVE_INFINITY : unseenMs - elapsedMs(clock, state.listedAt),
    onLapse() {
      for (const shard of state.owned.keys()) lose(state, shard);
    },
  });
  const state: ShardState = {
    options,
    clock,
    random,
    at,
    names,
    membership,
    ending: new AbortController(),
    liveness: createLiveness({ clock, identity, leaseDurationMs, maxRoundMs, nameOf: names.member }),
    index: createShardIndex({ clock, identity, shards, nameOf: names.shard, unseenMs }),
    unlisted: createUnlistedLeases(at, (error) => report(state, error)),
    owned: new Map(),
    leaving: new Map(),
    live: new Set([identity]),
    memberLeases: [],
    isDisturbed: false,
    listedAt: instantOf(clock),
    unseenMs,
  };
  return state;
}

async function readOwn(state: ShardState): Promise<Lease | undefined> {
  const { at, names } = state;
  const lease = await readLease({ ...at, name: names.own });
  const missing = lease && missingLabel(at, lease);
  if (missing !== undefined) report(state, new Error(missing));
  return lease;
}

async function releaseOwn(state: ShardState): Promise<void> {
  const { at, clock, membership, names } = state;
  const { lease } = membership;
  if (lease === undefined) return;
  const spec = releasedSpec(lease.spec, clock.nowMs());
  await attempt(state, async () => void (await writeLease({ ...at, name: names.own }, spec, lease)));
}

function namesOf(name: string, identity: string): LeaseNames {
  const memberPrefix = `${name}-member-`;
  const member = (of: string) => `${memberPrefix}${of.toLowerCase().replace(/[^a-z0-9.-]/g, "-")}`;
  // Renamed, two versions of the program would not see each other's shards during an update.
  return { memberPrefix, own: member(identity), member, shard: (shard) => `${name}-slot-${shard}` };
}

/** Renewals never wait for shards: dividing many takes longer than a lease lasts when the API server is slow. */
async function run(state: ShardState): Promise<void> {
  await attempt(state, () => state.membership.renew());
  await Promise.all([renewals(state), divisions(state)]);
}

async function renewals(state: ShardState): Promise<void> {
  const { clock, ending, membership } = state;
  for (let startedAt = instantOf(clock); ; ) {
    await pause(state, elapsedMs(clock, startedAt));
    if (ending.signal.aborted) return;
    startedAt = instantOf(clock);
    await attempt(state, () => membership.renew());
  }
}

async function divisions(state: ShardState): Promise<void> {
  while (!state.ending.signal.aborted) {
    if (state.membership.isValid) await attempt(state, () => divide(state));
    await pause(state, 0);
  }
}

function pause({ clock, options, random, ending }: ShardState, passedMs: number): Promise<void> {
  return sleep(clock, options.retryPeriodMs * (1 + random() / 5) - passedMs, ending.signal);
}
