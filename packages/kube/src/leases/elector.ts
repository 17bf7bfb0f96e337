// Leader election by a Lease, as client-go's leaderelection.
import { type Clock, sleep, systemClock } from "@plimsoll/component-base";
import { isConflict } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import { safely } from "../safely.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import { type Instant, instantOf, isWithin } from "./instant.ts";
import { type Lease, type LeaseAt, ownedSpec, readLease, releasedSpec, writeLease } from "./lease.ts";

/** Who takes part in the election by which lease. */
export interface ElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unlike that of any other candidate. */
  readonly identity: string;
  /** Other candidates wait so long for a leader that does not renew; 15 s by default. */
  readonly leaseDurationMs?: number;
  /** A leader that has not renewed for so long ends its leadership; shorter than the lease, 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** Between two tries; 2 s by default. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Annotations of the lease while this process owns it, as they are at each renewal. */
  readonly annotations?: (() => Readonly<Record<string, string>>) | undefined;
  /** Leadership begins. `lost` aborts when it ends; `term` grows from leader to leader. */
  readonly onStarted: (lost: AbortSignal, term: number) => void;
  /** Leadership has ended, before the lease has expired. The lease is released once this has resolved. */
  readonly onStopped?: () => void | Promise<void>;
  readonly onError?: (error: unknown) => void;
}

/** Takes part in the election of one leader, by a Lease object. */
export interface Elector {
  /** Whether this process may act as the leader now; never true once another may be. */
  readonly isLeader: boolean;
  /** Who owned the lease when it was last seen. */
  readonly leader: string | undefined;
  /** The lease as it was last seen, or written. */
  readonly lease: Lease | undefined;
  start(): void;
  /** Ends the leadership, releases the lease and leaves. */
  stop(): Promise<void>;
}

interface Leadership {
  readonly lost: AbortController;
  /** When it was renewed last: says that it is over also in a process that was suspended, whose timers are late. */
  renewedAt: Instant;
  cancelDeadline: () => void;
}

type State = ReturnType<typeof newState>;

function newState(options: ElectorOptions) {
  const { clock = systemClock, leaseDurationMs = 15_000, renewDeadlineMs = 10_000 } = options;
  const { retryPeriodMs = 2000, random = () => Math.random() } = options;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)) {
    throw new RangeError("the lease must outlast the renew deadline, and that the retry period");
  }
  const timeoutMs = Math.max(1000, renewDeadlineMs / 2);
  const at: LeaseAt = { ...options, timeoutMs };
  // The longest pause, a request that takes as long as it may, and timers that are a little late.
  const maxRoundMs = timeoutMs + 2.25 * retryPeriodMs;
  return {
    options,
    clock,
    random,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
    at,
    ending: new AbortController(),
    expiry: createExpiryWatch(clock, leaseDurationMs, maxRoundMs),
    leadership: undefined as Leadership | undefined,
    /** As this process last wrote it, while no other client is known to have written it. */
    own: undefined as Lease | undefined,
    /** Resolves when what the last leadership started has stopped. */
    stopping: Promise.resolve(),
    leader: undefined as string | undefined,
    /** Whose the lease was when it was last seen; "" for no candidate. */
    lastOwner: "",
    lease: undefined as Lease | undefined,
  };
}

/** @upstream client-go tools/leaderelection, with the lease released only when what it protects has stopped. */
export function createElector(options: ElectorOptions): Elector {
  const state = newState(options);
  const { clock, random, renewDeadlineMs, retryPeriodMs, ending } = state;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await tryOnce(state);
      // Candidates spread out, so that not all of them try at the moment a lease expires.
      const waitMs = state.leadership === undefined ? retryPeriodMs * (1 + random()) : retryPeriodMs;
      await sleep(clock, waitMs, ending.signal);
    }
  }

  return {
    get isLeader() {
      const { leadership } = state;
      return leadership !== undefined && isWithin(clock, leadership.renewedAt, renewDeadlineMs);
    },
    get leader() {
      return state.leader;
    },
    get lease() {
      return state.lease;
    },
    start() {
      if (!ending.signal.aborted) running ??= run();
    },
    async stop() {
      ending.abort();
      endLeadership(state);
      await running;
      running = undefined;
      state.expiry.end();
      await state.stopping;
      await release(state);
    },
  };
}

async function tryOnce(state: State): Promise<void> {
  const { clock, ending, options, renewDeadlineMs } = state;
  // Time counts from before the request: the server may have taken it at once and responded late.
  const renewedAt = instantOf(clock);
  let isLate = false;
  const cancelDeadline = clock.after(renewDeadlineMs, () => {
    isLate = true;
    endLeadership(state);
  });
  const lease = await acquire(state);
  if (lease === undefined || isLate || ending.signal.aborted) {
    cancelDeadline();
    return;
  }
  if (state.leadership === undefined) {
    const lost = new AbortController();
    state.leadership = { lost, renewedAt, cancelDeadline };
    safely(() => options.onStarted(lost.signal, lease.spec?.leaseTransitions ?? 0), options.onError);
  } else {
    state.leadership.cancelDeadline();
    Object.assign(state.leadership, { renewedAt, cancelDeadline });
  }
}

/** The lease when this process owns it now. */
async function acquire(state: State): Promise<Lease | undefined> {
  try {
    // What was stopped must have ended before it may start again.
    await state.stopping;
    return await take(state, state.own ?? (await readLease(state.at)));
  } catch (error) {
    if (isConflict(error)) return await takeAfterConflict(state);
    // Whether it was carried out is not known: the next try looks first.
    state.own = undefined;
    report(state, error);
    return undefined;
  }
}

/** A client wrote the lease; this process may own it all the same. */
async function takeAfterConflict(state: State): Promise<Lease | undefined> {
  state.own = undefined;
  try {
    return await take(state, await readLease(state.at));
  } catch (error) {
    if (!isConflict(error)) report(state, error);
    return undefined;
  }
}

async function take(state: State, former: Lease | undefined): Promise<Lease | undefined> {
  const { at, clock, expiry, leaseDurationMs, options } = state;
  // A lease that is gone was removed by hand: its owner does not know yet.
  const owner = former === undefined ? state.lastOwner : (former.spec?.holderIdentity ?? "");
  state.lastOwner = owner;
  state.lease = former;
  const isExpired = expiry.observe(former);
  if (owner !== "" && owner !== options.identity) {
    state.leader = owner;
    // Whatever its age, the lease was given to another.
    endLeadership(state);
    if (!isExpired) return undefined;
    await state.stopping;
  }
  const { identity } = options;
  const taken = { identity, durationMs: leaseDurationMs, nowMs: clock.nowMs(), former: former?.spec };
  state.own = await writeLease(at, ownedSpec(taken), former);
  state.lease = state.own;
  expiry.observe(state.own);
  state.lastOwner = identity;
  state.leader = identity;
  return state.own;
}

function endLeadership(state: State): void {
  if (state.leadership === undefined) return;
  const { lost, cancelDeadline } = state.leadership;
  state.leadership = undefined;
  cancelDeadline();
  lost.abort();
  state.stopping = stopped(state);
}

async function stopped(state: State): Promise<void> {
  try {
    await state.options.onStopped?.();
  } catch (error) {
    report(state, error);
  }
}

async function release(state: State): Promise<void> {
  const { at, clock, own } = state;
  state.own = undefined;
  if (own === undefined) return;
  try {
    await writeLease(at, releasedSpec(own.spec ?? {}, clock.nowMs()), own);
  } catch (error) {
    // A conflict means that another has it already.
    if (!isConflict(error)) report(state, error);
  }
}

function report({ options }: State, error: unknown): void {
  safely(() => options.onError?.(error));
}
