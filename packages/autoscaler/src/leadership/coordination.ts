// Decides which objects this process evaluates: by leader election, or by shards.
import type { Clock, Logger } from "@plimsoll/component-base";
import {
  ApiError,
  apiErrorText,
  createElector,
  createShardClaims,
  type Elector,
  hash,
  type KubeClient,
  type Lease,
} from "@plimsoll/kube";
import { type Announcement, announcementAnnotations, announcementOf } from "./announcement.ts";

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

/** Which objects this process may write at the moment of the call. */
export interface Coordination {
  owns(key: string): boolean;
  /** 1 with one leader, or alone. */
  readonly shards: number;
  /** Shards that this process owns. */
  readonly owned: number;
  /** Who decides, and where they serve, as of the leases that were seen last. */
  holders(): Holders;
  subscribe(listener: OwnershipListener): void;
  start(): void;
  /** Gives everything back. */
  stop(): Promise<void>;
}

/** The processes that decide. */
export interface Holders {
  /** This process is one of them. */
  readonly isSelf: boolean;
  readonly others: readonly Announcement[];
  /** Identities of others that announce no address. */
  readonly silent: readonly string[];
  /** The lease that has no holder. */
  readonly vacant: string | undefined;
}

/** Follows which objects are this process's. */
export interface OwnershipListener {
  readonly onGained: (isMine: (key: string) => boolean) => void;
  /** Called before another process can have the objects. */
  readonly onLost: (wasMine: (key: string) => boolean) => void;
}

export interface CoordinationDeps {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly identity: string;
  readonly log: Pick<Logger, "info" | "warn">;
  /** Where this process serves; undefined while it does not. */
  readonly announcement?: () => Announcement | undefined;
}

export function createCoordination(config: CoordinationConfig, deps: CoordinationDeps): Coordination {
  const listeners: OwnershipListener[] = [];
  const coordination = create(config, {
    ...deps,
    subscribe: (listener) => void listeners.push(listener),
    onError: (error) => deps.log.warn(leaseFailure(config, error), "coordination failed; retrying"),
    onGained(isMine) {
      deps.log.info({ owned: coordination.owned, shards: coordination.shards }, "objects gained");
      for (const { onGained } of listeners) onGained(isMine);
    },
    onLost(wasMine) {
      deps.log.info({ owned: coordination.owned, shards: coordination.shards }, "objects lost");
      for (const { onLost } of listeners) onLost(wasMine);
    },
  });
  return coordination;
}

interface LeaseDeps
  extends Omit<CoordinationDeps, "log">,
    OwnershipListener,
    Pick<Coordination, "subscribe"> {
  readonly onError: (error: unknown) => void;
}

function create(config: CoordinationConfig, deps: LeaseDeps): Coordination {
  switch (config.mode) {
    case "alone":
      return { ...alone, subscribe: deps.subscribe };
    case "leader":
      return withLeader(config, deps);
    case "shards":
      return withShards(config, deps);
  }
}

const alone = {
  owns: () => true,
  shards: 1,
  owned: 1,
  holders: () => ({ isSelf: true, others: [], silent: [], vacant: undefined }),
  start: () => {},
  stop: () => Promise.resolve(),
} as const;

function withLeader(
  config: Extract<CoordinationConfig, { mode: "leader" }>,
  { onGained, onLost, subscribe, ...deps }: LeaseDeps,
): Coordination {
  const everything = () => true;
  const elector = createElector({
    ...leaseOf(config),
    ...deps,
    annotations: annotationsOf(deps),
    onStarted: () => onGained(everything),
    onStopped: () => onLost(everything),
  });
  return {
    owns: () => elector.isLeader,
    shards: 1,
    get owned() {
      return elector.isLeader ? 1 : 0;
    },
    holders: () => leaderOf(config, elector),
    subscribe,
    start: elector.start,
    stop: elector.stop,
  };
}

function withShards(
  config: Extract<CoordinationConfig, { mode: "shards" }>,
  { onGained, onLost, subscribe, ...deps }: LeaseDeps,
): Coordination {
  const shardOf = (key: string) => hash(key) % config.shards;
  const claims = createShardClaims({
    ...leaseOf(config),
    ...deps,
    annotations: annotationsOf(deps),
    shards: config.shards,
    onGained: (shard) => onGained((key) => shardOf(key) === shard),
    onLost: (shard) => onLost((key) => shardOf(key) === shard),
  });
  return {
    owns: (key) => claims.owns(shardOf(key)),
    shards: config.shards,
    get owned() {
      return claims.owned.length;
    },
    holders: () => membersOf(claims.memberLeases, deps.identity),
    subscribe,
    start: claims.start,
    stop: claims.stop,
  };
}

function annotationsOf({ announcement }: Pick<CoordinationDeps, "announcement">) {
  return announcement === undefined ? undefined : () => announcementAnnotations(announcement());
}

function leaderOf(
  { resourceName, resourceNamespace }: LeaseConfig,
  { isLeader, lease }: Pick<Elector, "isLeader" | "lease">,
): Holders {
  const none = { isSelf: false, others: [], silent: [], vacant: undefined };
  if (isLeader) return { ...none, isSelf: true };
  const holder = lease?.spec?.holderIdentity ?? "";
  if (holder === "") return { ...none, vacant: `${resourceNamespace}/${resourceName}` };
  const announcement = announcementOf(lease);
  return announcement === undefined ? { ...none, silent: [holder] } : { ...none, others: [announcement] };
}

function membersOf(leases: readonly Lease[], identity: string): Holders {
  const others: Announcement[] = [];
  const silent: string[] = [];
  for (const lease of leases) {
    const holder = lease.spec?.holderIdentity ?? "";
    if (holder === identity) continue;
    const announcement = announcementOf(lease);
    if (announcement === undefined) silent.push(holder);
    else others.push(announcement);
  }
  return { isSelf: true, others, silent, vacant: undefined };
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

/** The error of a caller that wants an evaluation now. */
export const notLeadingText =
  'this process owns no lease, so it evaluates nothing: use coordination { mode: "alone" } (--leader-elect=false) to evaluate on demand';

/** Why the lease cannot be used, with a remedy where a retry does not help. */
function leaseFailure(config: CoordinationConfig, error: unknown): { error: string; remedy?: string } {
  const isRefused = error instanceof ApiError && (error.code === 403 || error.code === 404);
  if (!isRefused || config.mode === "alone") return { error: apiErrorText(error) };
  const { resourceName, resourceNamespace } = config;
  const remedy = `allow lease ${resourceName} in namespace ${resourceNamespace}, name another namespace with --leader-elect-resource-namespace, or use --leader-elect=false for a single process`;
  return { error: apiErrorText(error), remedy };
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
