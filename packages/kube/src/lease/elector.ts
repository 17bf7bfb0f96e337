import { isConflict } from "../api-error.ts";
import type { KubeClient } from "../client.ts";
import { type Clock, systemClock } from "../clock.ts";
import { sleep } from "../sleep.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import { heldSpec, type Lease, type LeaseAt, readLease, releasedSpec, writeLease } from "./lease.ts";

export interface ElectorOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unlike that of any other candidate. */
  readonly identity: string;
  /** Others wait so long for a holder that is not heard of; 15 s by default. */
  readonly leaseDurationMs?: number;
  /** A leader that has not renewed for so long steps down; shorter than the lease, 10 s by default. */
  readonly renewDeadlineMs?: number;
  /** Between two tries; 2 s by default. */
  readonly retryPeriodMs?: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  /** Leadership begins. `lost` aborts when it ends; `term` grows from leader to leader. */
  readonly onStarted: (lost: AbortSignal, term: number) => void;
  /** Leadership has ended, before the lease has expired. The lease is given back once this has resolved. */
  readonly onStopped?: () => void | Promise<void>;
  readonly onError?: (error: unknown) => void;
}

/** Takes part in the election of one leader, by a Lease object. */
export interface Elector {
  /** Whether this process may act as the leader now; never true once another may be. */
  readonly isLeader: boolean;
  /** Who held the lease when last seen. */
  readonly leader: string | undefined;
  start(): void;
  /** Steps down, gives the lease back and leaves. */
  stop(): Promise<void>;
}

interface Reign {
  readonly lost: AbortController;
  /** By the wall clock: catches a process that was suspended, whose timers are late. */
  untilMs: number;
  cancelDeadline: () => void;
}

export function createElector(o: ElectorOptions): Elector {
  const clock = o.clock ?? systemClock;
  const random = o.random ?? (() => Math.random());
  const leaseDurationMs = o.leaseDurationMs ?? 15_000;
  const renewDeadlineMs = o.renewDeadlineMs ?? 10_000;
  const retryPeriodMs = o.retryPeriodMs ?? 2000;
  if (!(leaseDurationMs > renewDeadlineMs && renewDeadlineMs > retryPeriodMs && retryPeriodMs > 0)) {
    throw new RangeError("the lease must outlast the renew deadline, and that the retry period");
  }
  const at: LeaseAt = { ...o, timeoutMs: Math.max(1000, renewDeadlineMs / 2) };
  const ending = new AbortController();
  const expiry = createExpiryWatch(clock, leaseDurationMs);
  let reign: Reign | undefined;
  /** As this process last wrote it, while nobody else is known to have it. */
  let held: Lease | undefined;
  let stepping: Promise<void> = Promise.resolve();
  let leader: string | undefined;
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      await tryOnce();
      // Candidates spread out, so that not all of them try at the moment a lease expires.
      const waitMs = reign === undefined ? retryPeriodMs * (1 + random()) : retryPeriodMs;
      await sleep(clock, waitMs, ending.signal);
    }
  }

  async function tryOnce(): Promise<void> {
    // Time counts from before the request: the server may have taken it at once and answered late.
    const startedAtMs = clock.nowMs();
    let isLate = false;
    const cancelDeadline = clock.after(renewDeadlineMs, () => {
      isLate = true;
      stepDown();
    });
    const lease = await acquire();
    if (lease === undefined || isLate || ending.signal.aborted) {
      cancelDeadline();
      return;
    }
    const untilMs = startedAtMs + renewDeadlineMs;
    if (reign === undefined) {
      const lost = new AbortController();
      reign = { lost, untilMs, cancelDeadline };
      report(() => o.onStarted(lost.signal, lease.spec?.leaseTransitions ?? 0));
    } else {
      reign.cancelDeadline();
      Object.assign(reign, { untilMs, cancelDeadline });
    }
  }

  /** The lease when it is ours now. */
  async function acquire(): Promise<Lease | undefined> {
    try {
      // What was stopped must have ended before it may start again.
      await stepping;
      return await take(held ?? (await readLease(at)));
    } catch (error) {
      if (isConflict(error)) return await takeAfterConflict();
      // Whether it was carried out is not known: the next try looks first.
      held = undefined;
      tellError(error);
      return undefined;
    }
  }

  /** Somebody wrote the lease: it is not necessarily somebody else who holds it. */
  async function takeAfterConflict(): Promise<Lease | undefined> {
    held = undefined;
    try {
      return await take(await readLease(at));
    } catch (error) {
      if (!isConflict(error)) tellError(error);
      return undefined;
    }
  }

  async function take(former: Lease | undefined): Promise<Lease | undefined> {
    const holder = former?.spec?.holderIdentity ?? "";
    const isExpired = expiry.observe(former);
    if (holder !== "" && holder !== o.identity) {
      leader = holder;
      // Whatever its age, the lease was given to another.
      stepDown();
      if (!isExpired) return undefined;
      await stepping;
    }
    const nowMs = clock.nowMs();
    const spec = heldSpec({ identity: o.identity, durationMs: leaseDurationMs, nowMs, former: former?.spec });
    held = await writeLease(at, spec, former);
    expiry.observe(held);
    leader = o.identity;
    return held;
  }

  function stepDown(): void {
    if (reign === undefined) return;
    const { lost, cancelDeadline } = reign;
    reign = undefined;
    cancelDeadline();
    lost.abort();
    stepping = (async () => {
      try {
        await o.onStopped?.();
      } catch (error) {
        tellError(error);
      }
    })();
  }

  async function release(lease: Lease): Promise<void> {
    try {
      await writeLease(at, releasedSpec(lease.spec ?? {}, clock.nowMs()), lease);
    } catch (error) {
      // A conflict means that another has it already.
      if (!isConflict(error)) tellError(error);
    }
  }

  function tellError(error: unknown): void {
    try {
      o.onError?.(error);
    } catch {
      // There is nobody left to tell.
    }
  }

  /** A listener's failure is no reason to lose the lease. */
  function report(tell: () => void): void {
    try {
      tell();
    } catch (error) {
      tellError(error);
    }
  }

  return {
    get isLeader() {
      return reign !== undefined && clock.nowMs() < reign.untilMs;
    },
    get leader() {
      return leader;
    },
    start() {
      if (!ending.signal.aborted) running ??= run();
    },
    async stop() {
      ending.abort();
      stepDown();
      await running;
      running = undefined;
      expiry.end();
      await stepping;
      if (held !== undefined) await release(held);
      held = undefined;
    },
  };
}
