// A server that keeps leases in memory, and members that divide shards by them.
import { type Clock, messageOf } from "@plimsoll/component-base";
import type { ManualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, createShardClaims, type KubeRequest, type ShardClaims } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect } from "vitest";

interface StoredLease {
  metadata: {
    name: string;
    resourceVersion: string;
    labels?: Readonly<Record<string, string>>;
    annotations?: Readonly<Record<string, string>>;
  };
  spec: { holderIdentity?: string };
}

function isSelected({ metadata: { labels = {} } }: StoredLease, selector: unknown): boolean {
  return String(selector)
    .split(",")
    .every((term) => labels[term.split("=")[0] ?? ""] === term.split("=")[1]);
}

/** A server that keeps leases; a response takes as long as `wait` says. */
export function leaseServer(wait: () => Promise<void> = () => Promise.resolve()) {
  const leases = new Map<string, StoredLease>();
  let version = 0;
  let underWay = 0;
  let maxAtOnce = 0;
  const cutOff = new Set<string>();
  /** Whose lists fail. */
  const blind = new Set<string>();
  /** Leases that cannot be read by their names. */
  const unreadable = new Set<string>();
  const read = (name: string | undefined, selector: unknown) => {
    if (name === undefined)
      return { items: [...leases.values()].filter((lease) => isSelected(lease, selector)) };
    if (unreadable.has(name)) throw apiError(403, "Forbidden");
    const lease = leases.get(name);
    if (lease === undefined) throw apiError(404, "NotFound");
    return lease;
  };
  const client = (identity: string) =>
    fakeClient(async ({ method = "GET", path, query, body }: KubeRequest) => {
      underWay += 1;
      maxAtOnce = Math.max(maxAtOnce, underWay);
      await wait();
      underWay -= 1;
      if (cutOff.has(identity)) throw new ConnectionError("timeout", "cut off");
      const name = path.split("/")[7];
      if (method === "GET" && blind.has(identity)) throw apiError(403, "Forbidden");
      if (method === "GET") return read(name, query?.["labelSelector"]);
      const wanted = body as StoredLease;
      if (method === "DELETE") {
        const { resourceVersion } = (body as { preconditions: { resourceVersion: string } }).preconditions;
        if (leases.get(name ?? "")?.metadata.resourceVersion !== resourceVersion)
          throw apiError(409, "Conflict");
        leases.delete(name ?? "");
        return {};
      }
      const known = leases.get(wanted.metadata.name);
      if (
        method === "POST"
          ? known !== undefined
          : known?.metadata.resourceVersion !== wanted.metadata.resourceVersion
      )
        throw apiError(409, "Conflict");
      version += 1;
      const stored = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(version) } };
      leases.set(wanted.metadata.name, stored);
      return stored;
    });
  return {
    leases,
    cutOff,
    blind,
    unreadable,
    client,
    /** As another client writes a lease; one that it creates has no labels, and an annotation stays as it was. */
    change(name: string, spec: StoredLease["spec"], labels = leases.get(name)?.metadata.labels): void {
      version += 1;
      const { annotations } = leases.get(name)?.metadata ?? {};
      const metadata = {
        name,
        resourceVersion: String(version),
        ...(labels && { labels }),
        ...(annotations && { annotations }),
      };
      leases.set(name, { metadata, spec });
    },
    get maxAtOnce() {
      return maxAtOnce;
    },
  };
}

/** One whose shards have been used before, and are released. */
export function installedServer(shards = 4, wait?: () => Promise<void>): ReturnType<typeof leaseServer> {
  const server = leaseServer(wait);
  for (let shard = 0; shard < shards; shard += 1) {
    const name = `autoscaler-slot-${shard}`;
    const metadata = {
      name,
      resourceVersion: `installed-${shard}`,
      labels: { "coordination.plimsoll.dev/group": "autoscaler" },
      annotations: { "coordination.plimsoll.dev/holder": "" },
    };
    server.leases.set(name, { metadata, spec: { holderIdentity: "" } });
  }
  return server;
}

/** A member whose log says which shards it gained and lost. */
export function member(server: ReturnType<typeof leaseServer>, clock: Clock, identity: string, shards = 4) {
  const log: string[] = [];
  const errors: string[] = [];
  const claims = createShardClaims({
    client: server.client(identity),
    namespace: "plimsoll",
    name: "autoscaler",
    identity,
    shards,
    leaseDurationMs: 10_000,
    renewDeadlineMs: 7000,
    retryPeriodMs: 2000,
    clock,
    random: () => 0.5,
    onGained: (shard) => log.push(`+${shard}`),
    onLost: (shard) => log.push(`-${shard}`),
    onError: (error) => errors.push(messageOf(error)),
  });
  return { claims, log, errors };
}

export const byNumber = (one: number, other: number) => one - other;

/** Lets time pass; no shard may have two users meanwhile. */
export async function advanceFenced(
  clock: ManualClock,
  members: readonly ShardClaims[],
  ms: number,
): Promise<void> {
  for (let passed = 0; passed < ms; passed += 100) {
    await clock.advance(Math.min(100, ms - passed));
    const used = members.flatMap(({ owned }) => owned);
    expect(new Set(used).size).toBe(used.length);
  }
}
