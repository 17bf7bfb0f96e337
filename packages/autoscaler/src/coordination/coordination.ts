import { ApiError, type Clock, createElector, createSlotClaims, type KubeClient } from "@plimsoll/kube";
import { hash } from "../hash.ts";

/** How several processes share the work. */
export type CoordinationConfig =
  | { readonly mode: "alone" }
  | (LeaseConfig & { readonly mode: "leader" })
  | (LeaseConfig & { readonly mode: "shards"; readonly shards: number });

export interface LeaseConfig {
  readonly leaseDurationMs: number;
  readonly renewDeadlineMs: number;
  readonly retryPeriodMs: number;
  readonly resourceName: string;
  readonly resourceNamespace: string;
}

/** Says which objects this process may write about, at the moment of asking. */
export interface Coordination {
  holds(key: string): boolean;
  readonly slots: number;
  readonly held: number;
  start(): void;
  /** Gives everything back. */
  stop(): Promise<void>;
}

export interface CoordinationEvents {
  readonly onGained: (isMine: (key: string) => boolean) => void;
  /** Told before another process can have the objects. */
  readonly onLost: (wasMine: (key: string) => boolean) => void;
  readonly onError: (error: unknown) => void;
}

export function createCoordination(
  config: CoordinationConfig,
  o: CoordinationEvents & {
    readonly client: KubeClient;
    readonly clock: Clock;
    readonly random: () => number;
    readonly identity: string;
  },
): Coordination {
  switch (config.mode) {
    case "alone":
      return alone();
    case "leader":
      return led(config, o);
    case "shards":
      return sharded(config, o);
  }
}

function alone(): Coordination {
  return { holds: () => true, slots: 1, held: 1, start: () => {}, stop: () => Promise.resolve() };
}

function led(
  config: Extract<CoordinationConfig, { mode: "leader" }>,
  o: Parameters<typeof createCoordination>[1],
): Coordination {
  const everything = () => true;
  const elector = createElector({
    ...leaseOf(config),
    client: o.client,
    identity: o.identity,
    clock: o.clock,
    random: o.random,
    onStarted: () => o.onGained(everything),
    onStopped: () => o.onLost(everything),
    onError: o.onError,
  });
  return {
    holds: () => elector.isLeader,
    slots: 1,
    get held() {
      return elector.isLeader ? 1 : 0;
    },
    start: elector.start,
    stop: elector.stop,
  };
}

function sharded(
  config: Extract<CoordinationConfig, { mode: "shards" }>,
  o: Parameters<typeof createCoordination>[1],
): Coordination {
  const slotOf = (key: string) => hash(key) % config.shards;
  const claims = createSlotClaims({
    ...leaseOf(config),
    client: o.client,
    identity: o.identity,
    slots: config.shards,
    clock: o.clock,
    random: o.random,
    onGained: (slot) => o.onGained((key) => slotOf(key) === slot),
    onLost: (slot) => o.onLost((key) => slotOf(key) === slot),
    onError: o.onError,
  });
  return {
    holds: (key) => claims.holds(slotOf(key)),
    slots: config.shards,
    get held() {
      return claims.held.length;
    },
    start: claims.start,
    stop: claims.stop,
  };
}

function leaseOf(config: LeaseConfig) {
  const { resourceName, resourceNamespace, leaseDurationMs, renewDeadlineMs, retryPeriodMs } = config;
  return {
    name: resourceName,
    namespace: resourceNamespace,
    leaseDurationMs,
    renewDeadlineMs,
    retryPeriodMs,
  };
}

/** What to tell who wants an evaluation now. */
export const nothingHeldText =
  'this process holds no lease, so it evaluates nothing: use coordination { mode: "alone" } (--leader-elect=false) to evaluate on demand';

/** What to tell when the lease could not be had; with the way out where trying again does not help. */
export function leaseFailureText(config: CoordinationConfig, error: unknown): string {
  const isRefused = error instanceof ApiError && (error.code === 403 || error.code === 404);
  if (!isRefused || config.mode === "alone") return "coordination failed; trying again";
  const { resourceName, resourceNamespace } = config;
  return `nothing is evaluated until lease ${resourceName} in namespace ${resourceNamespace} can be used: allow leases there, name another namespace with --leader-elect-resource-namespace, or use --leader-elect=false for a single process`;
}

/**
 * Leases of shards are short enough that a lost process's objects are evaluated by another within one sync period.
 */
export function shortened(config: LeaseConfig, syncPeriodMs: number): LeaseConfig {
  const leaseDurationMs = Math.min(config.leaseDurationMs, Math.max(1000, (syncPeriodMs * 2) / 3));
  const renewDeadlineMs = Math.min(config.renewDeadlineMs, (leaseDurationMs * 2) / 3);
  const retryPeriodMs = Math.min(config.retryPeriodMs, renewDeadlineMs / 4);
  return { ...config, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
