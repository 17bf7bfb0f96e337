import { isConflict, isNotFound } from "../api-error.ts";
import type { KubeClient } from "../client.ts";
import { type Clock, systemClock } from "../clock.ts";
import { sleep } from "../sleep.ts";
import { createExpiryWatch } from "./expiry-watch.ts";
import {
  deleteLease,
  heldSpec,
  type Lease,
  type LeaseAt,
  listLeases,
  releasedSpec,
  writeLease,
} from "./lease.ts";
import { planSlots, type SlotView } from "./slot-plan.ts";

export interface SlotClaimsOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  /** Leases are called NAME-slot-N and NAME-member-IDENTITY. */
  readonly name: string;
  /** Unlike that of any other member. */
  readonly identity: string;
  readonly slots: number;
  /** Others wait so long for a member that is not heard of. */
  readonly leaseDurationMs: number;
  /** A member that has not renewed for so long gives everything up; shorter than the lease. */
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly clock?: Clock;
  readonly random?: () => number;
  readonly onGained: (slot: number) => void;
  /** The slot may not be used from now on; told before anybody else can have it. */
  readonly onLost: (slot: number) => void;
  readonly onError?: (error: unknown) => void;
}

/** Divides slots among the processes that are alive, so that no slot is ever used by two. */
export interface SlotClaims {
  holds(slot: number): boolean;
  readonly held: readonly number[];
  /** Members seen alive, this one included. */
  readonly members: number;
  start(): void;
  /** Gives everything back. */
  stop(): Promise<void>;
}

const groupLabel = "coordination.plimsoll.dev/group";

/**
 * A member renews one lease of its own; a slot's lease names the member that has it, and is written only when it
 * changes hands. A slot may be taken when its holder's own lease has been seen unchanged for as long as it lasts, and
 * by then its holder has stopped, as its renew deadline is shorter.
 */
export function createSlotClaims(o: SlotClaimsOptions): SlotClaims {
  const clock = o.clock ?? systemClock;
  const random = o.random ?? (() => Math.random());
  if (!(o.leaseDurationMs > o.renewDeadlineMs && o.renewDeadlineMs > o.retryPeriodMs && o.retryPeriodMs > 0))
    throw new RangeError("the lease must outlast the renew deadline, and that the retry period");
  const at: Omit<LeaseAt, "name"> = {
    client: o.client,
    namespace: o.namespace,
    timeoutMs: Math.max(1000, o.renewDeadlineMs / 2),
    labels: { [groupLabel]: o.name },
  };
  const memberPrefix = `${o.name}-member-`;
  const slotPrefix = `${o.name}-slot-`;
  const ownName = `${memberPrefix}${o.identity.toLowerCase().replace(/[^a-z0-9.-]/g, "-")}`;
  const ending = new AbortController();
  const expiries = new Map<string, ReturnType<typeof createExpiryWatch>>();
  const held = new Map<number, Lease>();
  /** Given up, to be handed over at the next step: what was under way has ended by then. */
  const leaving = new Map<number, Lease>();
  let own: Lease | undefined;
  let validUntilMs = Number.NEGATIVE_INFINITY;
  let cancelDeadline = (): void => {};
  let live: ReadonlySet<string> = new Set([o.identity]);
  let running: Promise<void> | undefined;

  return {
    holds: (slot) => held.has(slot) && clock.nowMs() < validUntilMs,
    get held() {
      return clock.nowMs() < validUntilMs ? [...held.keys()].sort((a, b) => a - b) : [];
    },
    get members() {
      return live.size;
    },
    start() {
      if (!ending.signal.aborted) running ??= run();
    },
    stop,
  };

  async function run(): Promise<void> {
    while (!ending.signal.aborted) {
      try {
        await step();
      } catch (error) {
        if (!isConflict(error)) tell(error);
      }
      await sleep(clock, o.retryPeriodMs * (1 + random() / 5), ending.signal);
    }
  }

  async function step(): Promise<void> {
    const startedAtMs = clock.nowMs();
    await beat();
    if (ending.signal.aborted || clock.nowMs() >= startedAtMs + o.renewDeadlineMs) return;
    validUntilMs = startedAtMs + o.renewDeadlineMs;
    cancelDeadline();
    cancelDeadline = clock.after(validUntilMs - clock.nowMs(), loseAll);
    const all = await listLeases(at);
    const members = all.filter(({ metadata }) => metadata.name.startsWith(memberPrefix));
    live = observe(members);
    const slots = slotViews(all);
    const handedOver = await handOver();
    const plan = planSlots({ identity: o.identity, slots, live, held: new Set(held.keys()) });
    for (const slot of plan.lost) lose(slot);
    for (const slot of plan.surplus) {
      const lease = held.get(slot);
      if (lease !== undefined) leaving.set(slot, lease);
      lose(slot);
    }
    for (const { slot, lease } of plan.orphaned) {
      if (lease !== undefined && !leaving.has(slot) && !handedOver.has(slot)) leaving.set(slot, lease);
    }
    for (const view of plan.wanted)
      if (!leaving.has(view.slot) && !handedOver.has(view.slot)) await claim(view);
    await bury(members, slots);
  }

  /** Renews the own lease; a lease that another state of it replaced is looked at anew by the next step. */
  async function beat(): Promise<void> {
    const known = own;
    own = undefined;
    const former = known ?? (await listLeases(at)).find(({ metadata }) => metadata.name === ownName);
    own = await writeLease({ ...at, name: ownName }, specFrom(former), former);
  }

  function specFrom(former: Lease | undefined) {
    return heldSpec({
      identity: o.identity,
      durationMs: o.leaseDurationMs,
      nowMs: clock.nowMs(),
      former: former?.spec,
    });
  }

  function observe(members: readonly Lease[]): ReadonlySet<string> {
    const alive = new Set([o.identity]);
    const seen = new Set<string>();
    for (const lease of members) {
      const { name } = lease.metadata;
      seen.add(name);
      let expiry = expiries.get(name);
      if (expiry === undefined) {
        expiry = createExpiryWatch(clock, o.leaseDurationMs);
        expiries.set(name, expiry);
      }
      const holder = lease.spec?.holderIdentity ?? "";
      if (!expiry.observe(lease) && holder !== "") alive.add(holder);
    }
    for (const [name, expiry] of expiries) {
      if (seen.has(name)) continue;
      expiry.end();
      expiries.delete(name);
    }
    return alive;
  }

  function slotViews(all: readonly Lease[]): readonly SlotView[] {
    const byName = new Map(all.map((lease) => [lease.metadata.name, lease]));
    return Array.from({ length: o.slots }, (_, slot) => ({
      slot,
      lease: byName.get(`${slotPrefix}${slot}`),
    }));
  }

  async function claim({ slot, lease }: SlotView): Promise<void> {
    try {
      const taken = await writeLease({ ...at, name: `${slotPrefix}${slot}` }, specFrom(lease), lease);
      if (ending.signal.aborted || clock.nowMs() >= validUntilMs) {
        leaving.set(slot, taken);
        return;
      }
      held.set(slot, taken);
      report(() => o.onGained(slot));
    } catch (error) {
      // A conflict: another was quicker.
      if (!isConflict(error)) tell(error);
    }
  }

  function lose(slot: number): void {
    if (held.delete(slot)) report(() => o.onLost(slot));
  }

  /** The deadline has passed without a renewal: what is taken up again is claimed anew, against the state then. */
  function loseAll(): void {
    validUntilMs = Number.NEGATIVE_INFINITY;
    for (const slot of held.keys()) lose(slot);
  }

  async function handOver(): Promise<ReadonlySet<number>> {
    const slots = new Set(leaving.keys());
    for (const [slot, lease] of leaving) {
      leaving.delete(slot);
      await release(`${slotPrefix}${slot}`, lease);
    }
    return slots;
  }

  async function release(name: string, lease: Lease): Promise<void> {
    try {
      await writeLease({ ...at, name }, releasedSpec(lease.spec ?? {}, clock.nowMs()), lease);
    } catch (error) {
      if (!isConflict(error)) tell(error);
    }
  }

  /** The first of the living removes the leases of those that are gone and have nothing. */
  async function bury(members: readonly Lease[], slots: readonly SlotView[]): Promise<void> {
    if ([...live].sort()[0] !== o.identity) return;
    const holders = new Set(slots.map(({ lease }) => lease?.spec?.holderIdentity));
    for (const lease of members) {
      const holder = lease.spec?.holderIdentity ?? "";
      if (live.has(holder) || (holder !== "" && holders.has(holder))) continue;
      try {
        await deleteLease({ ...at, name: lease.metadata.name }, lease);
      } catch (error) {
        if (!isConflict(error) && !isNotFound(error)) tell(error);
      }
    }
  }

  async function stop(): Promise<void> {
    ending.abort();
    for (const [slot, lease] of held) leaving.set(slot, lease);
    loseAll();
    await running;
    cancelDeadline();
    for (const expiry of expiries.values()) expiry.end();
    await handOver();
    if (own !== undefined) await release(ownName, own);
  }

  function report(run: () => void): void {
    try {
      run();
    } catch (error) {
      tell(error);
    }
  }

  function tell(error: unknown): void {
    try {
      o.onError?.(error);
    } catch {
      // There is nobody left to tell.
    }
  }
}
