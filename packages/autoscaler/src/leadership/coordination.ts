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
  type ShardClaims,
} from "@plimsoll/kube";
import {
  type Announcement,
  announcementAnnotations,
  announcementOf,
  noAnnouncement,
} from "./announcement.ts";

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

/** Which objects are this process's. */
export interface Ownership {
  /** Whether this process may write the object at the moment of the call. */
  readonly owns: (key: string) => boolean;
  /**
   * Whether the object is this process's, from `gained` to `lost`. Work is scheduled by this: a lease that is invalid for a
   * moment becomes valid again without an event.
   */
  readonly has: (key: string) => boolean;
}

export interface Coordination extends Ownership {
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
  readonly gained: (isMine: (key: string) => boolean) => void;
  /** Called before another process can have the objects. */
  readonly lost: (wasMine: (key: string) => boolean) => void;
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
    onNewLeader: (holder) => deps.log.info({ holder }, "waiting for the lease: another process holds it"),
    gained(isMine) {
      deps.log.info({ owned: coordination.owned, shards: coordination.shards }, "objects gained");
      for (const { gained } of listeners) gained(isMine);
    },
    lost(wasMine) {
      deps.log.info({ owned: coordination.owned, shards: coordination.shards }, "objects lost");
      for (const { lost } of listeners) lost(wasMine);
    },
  });
  return coordination;
}

interface LeaseDeps
  extends Omit<CoordinationDeps, "log">,
    OwnershipListener,
    Pick<Coordination, "subscribe"> {
  readonly onError: (error: unknown) => void;
  readonly onNewLeader: (holder: string) => void;
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
  has: () => true,
  shards: 1,
  owned: 1,
  holders: () => ({ isSelf: true, others: [], silent: [], vacant: undefined }),
  start: () => {},
  stop: () => Promise.resolve(),
} as const;

function withLeader(
  config: Extract<CoordinationConfig, { mode: "leader" }>,
  { gained, lost, subscribe, ...deps }: LeaseDeps,
): Coordination {
  const everything = followShards(() => 0, { gained, lost });
  const elector = createElector({
    ...leaseOf(config),
    ...deps,
    annotations: annotationsOf(deps),
    onStarted: () => everything.gained(0),
    onStopped: () => everything.lost(0),
  });
  return {
    owns: () => elector.isLeader,
    has: everything.has,
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
  { gained, lost, subscribe, ...deps }: LeaseDeps,
): Coordination {
  const shardOf = (key: string) => hash(key) % config.shards;
  const own = followShards(shardOf, { gained, lost });
  const options = {
    ...leaseOf(config),
    ...deps,
    annotations: annotationsOf(deps),
    shards: config.shards,
    onGained: own.gained,
    onLost: own.lost,
  };
  let claims: ShardClaims | undefined;
  // Processes with another number of shards, or with a leader, would own the same objects. Those with this number share
  // the lease of the leader election; the others wait until it has expired.
  const generation = createElector({
    ...leaseOf(config),
    ...deps,
    identity: `${config.shards} shards`,
    isShared: true,
    annotations: () => noAnnouncement,
    onStarted() {
      claims = createShardClaims(options);
      claims.start();
    },
    onStopped: () => claims?.stop(),
  });
  return {
    has: own.has,
    owns: (key) => generation.isLeader && claims?.owns(shardOf(key)) === true,
    shards: config.shards,
    get owned() {
      return generation.isLeader ? (claims?.owned.length ?? 0) : 0;
    },
    holders: () =>
      claims === undefined || !generation.isLeader
        ? leaderOf(config, { isLeader: false, lease: generation.lease })
        : membersOf(claims.memberLeases, deps.identity),
    subscribe,
    start: generation.start,
    stop: generation.stop,
  };
}

/** Which shards are this process's. */
function followShards(shardOf: (key: string) => number, { gained, lost }: OwnershipListener) {
  const shards = new Set<number>();
  const isIn = (shard: number) => (key: string) => shardOf(key) === shard;
  return {
    has: (key: string) => shards.has(shardOf(key)),
    gained(shard: number) {
      shards.add(shard);
      gained(isIn(shard));
    },
    lost(shard: number) {
      shards.delete(shard);
      lost(isIn(shard));
    },
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
  const wanted =
    config.mode === "shards"
      ? `grant get, list, create, update, and delete on leases in namespace ${resourceNamespace} (the kustomize component "shards", or autoscaler.shards of the chart)`
      : `grant get, create, and update on lease ${resourceName} in namespace ${resourceNamespace}`;
  const remedy = `${wanted}, set another namespace with --leader-elect-resource-namespace, or use --leader-elect=false for a single process`;
  return { error: apiErrorText(error), remedy };
}

/** Leases of shards are never longer than lets another process evaluate a lost one's objects within one sync period. */
export function shortened(config: LeaseConfig, syncPeriodMs: number): LeaseConfig {
  const leaseDurationMs = Math.min(config.leaseDurationMs, Math.max(1000, (syncPeriodMs * 2) / 3));
  const renewDeadlineMs = Math.min(config.renewDeadlineMs, (leaseDurationMs * 5) / 6);
  const retryPeriodMs = Math.min(config.retryPeriodMs, renewDeadlineMs / 4);
  return { ...config, leaseDurationMs, renewDeadlineMs, retryPeriodMs };
}
