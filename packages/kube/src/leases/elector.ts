// Leader election by a Lease, as client-go's leaderelection.
import { sleep, systemClock } from "@plimsoll/component-base";
import { isConflict } from "../client/api-error.ts";
import { isOlder } from "../objects/resource-version.ts";
import { safely } from "../safely.ts";
import type { Elector, ElectorOptions } from "./elector-options.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import { elapsedMs, type Instant, instantOf, isWithin } from "./instant.ts";
import {
  believedMs,
  type Lease,
  type LeaseAt,
  ownedSpec,
  readLease,
  releasedSpec,
  writeLease,
} from "./lease.ts";
import { timeoutOf } from "./lease-times.ts";

interface Leadership {
  readonly lost: AbortController;
  /** When it was renewed last: says that it is over also in a process that was suspended, whose timers are late. */
  renewedAt: Instant;
  cancelDeadline: () => void;
}

interface Seen {
  readonly lease: Lease;
  readonly at: Instant;
}

type State = ReturnType<typeof newState>;

function newState(options: ElectorOptions) {
  const { clock = systemClock, leaseDurationMs = 3000, renewDeadlineMs = 2500 } = options;
  const { retryPeriodMs = 500, random = () => Math.random() } = options;
  const timeoutMs = timeoutOf({ leaseDurationMs, renewDeadlineMs, retryPeriodMs });
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
    /** The lease as it was seen last, and a time at which it was not written yet, or was as it is here. */
    seen: undefined as Seen | undefined,
    /** The lease as another of those who share it renewed it, and a time before that. */
    renewed: undefined as Seen | undefined,
    /** The last try failed: the leader may not have been able to renew the lease either. */
    isDisturbed: false,
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
  const { clock, renewDeadlineMs, ending } = state;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      const startedAt = instantOf(clock);
      await tryOnce(state);
      await sleep(clock, pauseMs(state, elapsedMs(clock, startedAt)), ending.signal);
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
      state.expiry.end();
      await state.stopping;
      await release(state);
    },
  };
}

/**
 * Until the next try. A candidate looks often, so that it sees the last renewal soon, and again once the lease has expired.
 * Candidates spread out, so that not all of them try at that moment.
 */
function pauseMs(state: State, passedMs: number): number {
  const { expiry, lastOwner, leadership, options, random, retryPeriodMs } = state;
  if (leadership !== undefined) return Math.max(0, retryPeriodMs - passedMs);
  const spreadMs = (random() * retryPeriodMs) / 5;
  // Who led until now is the first to lead again once the server is back.
  if (lastOwner === options.identity) return retryPeriodMs / 2 + spreadMs;
  const leftMs = expiry.leftMs > 0 ? expiry.leftMs + 1 : retryPeriodMs;
  return Math.min(retryPeriodMs, leftMs) + spreadMs;
}

async function tryOnce(state: State): Promise<void> {
  const { clock, ending, renewDeadlineMs } = state;
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
    // What was stopped meanwhile must have ended before it may start again.
    await state.stopping;
    leadWithOthers(state);
    return;
  }
  lead(state, lease, { renewedAt, cancelDeadline });
}

function lead(
  state: State,
  { spec }: Lease,
  renewal: Pick<Leadership, "renewedAt" | "cancelDeadline">,
): void {
  const { leadership, options } = state;
  if (leadership !== undefined) {
    leadership.cancelDeadline();
    Object.assign(leadership, renewal);
    return;
  }
  const lost = new AbortController();
  state.leadership = { lost, ...renewal };
  safely(() => options.onStarted(lost.signal, spec?.leaseTransitions ?? 0), options.onError);
}

/**
 * Of many who write one lease, most find that another was faster. Who leads by the lease as it is now may lead: it was
 * written after the time at which this process saw it in an older state.
 */
function leadWithOthers(state: State): void {
  const { clock, ending, renewDeadlineMs, renewed } = state;
  if (renewed === undefined || ending.signal.aborted) return;
  const { lease, at: renewedAt } = renewed;
  const ageMs = elapsedMs(clock, renewedAt);
  if (ageMs >= renewDeadlineMs) return;
  const cancelDeadline = clock.after(renewDeadlineMs - ageMs, () => endLeadership(state));
  lead(state, lease, { renewedAt, cancelDeadline });
}

async function look(state: State): Promise<Lease | undefined> {
  const { clock, options, seen } = state;
  const at = instantOf(clock);
  const lease = await readLease(state.at);
  const isRenewed =
    options.isShared === true &&
    lease?.spec?.holderIdentity === options.identity &&
    seen !== undefined &&
    isOlder(seen.lease.metadata.resourceVersion, lease.metadata.resourceVersion);
  state.renewed = isRenewed ? { lease, at: seen.at } : undefined;
  state.seen = lease && { lease, at };
  return lease;
}

/** The lease when this process owns it now. */
async function acquire(state: State): Promise<Lease | undefined> {
  try {
    // What was stopped must have ended before it may start again.
    await state.stopping;
    state.renewed = undefined;
    return await take(state, state.own ?? (await look(state)));
  } catch (error) {
    if (isConflict(error)) return await takeAfterConflict(state);
    // Whether it was carried out is unknown: the next try looks first.
    state.own = undefined;
    reportTry(state, error);
    return undefined;
  }
}

/** A client wrote the lease; this process may own it all the same. */
async function takeAfterConflict(state: State): Promise<Lease | undefined> {
  state.own = undefined;
  try {
    return await take(state, await look(state));
  } catch (error) {
    if (!isConflict(error)) reportTry(state, error);
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
  const { identity, isShared } = options;
  if (owner !== identity) {
    // Whatever its age, the lease was given to another, which may have released it since.
    endLeadership(state);
    if (owner !== "" && !isLeft(state, owner, isExpired)) return undefined;
    await state.stopping;
  }
  state.leader = owner === identity ? identity : state.leader;
  // Another of those who share the lease has just renewed it for all of them.
  if (state.renewed !== undefined) return undefined;
  // Another of those who share the lease may have a longer deadline, and counts on what it wrote.
  const durationMs = Math.max(
    leaseDurationMs,
    isShared === true && owner === identity ? believedMs(former) : 0,
  );
  const taken = { identity, durationMs, nowMs: clock.nowMs(), former: former?.spec };
  const writtenAt = instantOf(clock);
  state.own = await writeLease(at, ownedSpec(taken), former);
  state.seen = { lease: state.own, at: writtenAt };
  state.lease = state.own;
  expiry.observe(state.own);
  state.lastOwner = identity;
  state.leader = identity;
  return state.own;
}

/** Whether another's lease may be taken. */
function isLeft(state: State, owner: string, isExpired: boolean): boolean {
  const { isDisturbed, options } = state;
  if (state.leader !== owner) safely(() => options.onNewLeader?.(owner), options.onError);
  state.leader = owner;
  state.isDisturbed = false;
  return isExpired && !isDisturbed;
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
  const { at, clock, options, own } = state;
  state.own = undefined;
  if (own === undefined || options.isShared === true) return;
  try {
    await writeLease(at, releasedSpec(own.spec, clock.nowMs()), own);
  } catch (error) {
    // A conflict means that another has it already.
    if (!isConflict(error)) report(state, error);
  }
}

/** A failed try. */
function reportTry(state: State, error: unknown): void {
  state.isDisturbed = true;
  report(state, error);
}

function report({ options }: State, error: unknown): void {
  safely(() => options.onError?.(error));
}
