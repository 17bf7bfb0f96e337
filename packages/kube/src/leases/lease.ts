// Reads and writes coordination.k8s.io/v1 Leases.
import { isNotFound } from "../client/api-error.ts";
import type { KubeClient } from "../client/client.ts";
import type { KubeObject, ObjectMeta } from "../objects/object.ts";
import { resourcePath } from "../objects/resource.ts";

/** The part of a coordination.k8s.io/v1 Lease that says who owns it, and since when. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the owner has changed: it only grows, so that older owners can be distinguished from newer. */
  readonly leaseTransitions?: number;
}

/** A coordination.k8s.io/v1 Lease. */
export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

/** Where a lease is, and how long a request about it may take. */
export interface LeaseAt {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
  /** Of a lease that is written, beside those that it has. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Set with each write, as they are then; others of the lease are kept. */
  readonly annotations?: (() => Readonly<Record<string, string>>) | undefined;
}

/** The resource of leases. */
export const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" };

/** Reads a lease; undefined when there is none. Throws ApiError or ConnectionError. */
export async function readLease(at: LeaseAt): Promise<Lease | undefined> {
  try {
    return await at.client.request<Lease>({
      path: resourcePath(leases, at.namespace, at.name),
      timeoutMs: at.timeoutMs,
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The leases with these labels. Throws ApiError or ConnectionError. */
export async function listLeases(at: Omit<LeaseAt, "name">): Promise<readonly Lease[]> {
  const labelSelector = Object.entries(at.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const list = await at.client.request<{ readonly items?: readonly Lease[] | null }>({
    path: resourcePath(leases, at.namespace),
    query: { labelSelector },
    timeoutMs: at.timeoutMs,
  });
  return list.items ?? [];
}

/** Deletes this very state of the lease. Throws ApiError or ConnectionError. */
export async function deleteLease(at: LeaseAt, lease: Lease): Promise<void> {
  const { uid, resourceVersion } = lease.metadata;
  await at.client.request({
    method: "DELETE",
    path: resourcePath(leases, at.namespace, at.name),
    body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid, resourceVersion } },
    timeoutMs: at.timeoutMs,
  });
}

/** Creates the lease, or replaces the very state in `former`; a conflict (409) says that another client wrote it. */
export function writeLease(at: LeaseAt, spec: LeaseSpec, former: Lease | undefined): Promise<Lease> {
  const { name, namespace, labels, annotations } = at;
  const known: ObjectMeta = former?.metadata ?? { name, namespace };
  const metadata: ObjectMeta = {
    ...known,
    ...(labels && { labels: { ...known.labels, ...labels } }),
    ...(annotations && { annotations: { ...known.annotations, ...annotations() } }),
  };
  return at.client.request<Lease>({
    method: former === undefined ? "POST" : "PUT",
    path: resourcePath(leases, at.namespace, former === undefined ? undefined : at.name),
    body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec },
    timeoutMs: at.timeoutMs,
  });
}

const maxBelievedMs = 600_000;
/** The API server takes no more. */
const maxTransitions = 2 ** 31 - 1;

/**
 * How long the lease lasts by what it says itself; 0 when it says nothing. Ten minutes at most: another client may have
 * written any duration, and a leader that has ended must not keep the lease for years.
 */
export function believedMs(lease: Lease | undefined): number {
  return Math.min(maxBelievedMs, (lease?.spec?.leaseDurationSeconds ?? 0) * 1000);
}

/** The spec of a lease that `identity` takes or keeps. */
export function ownedSpec(taken: {
  readonly identity: string;
  readonly durationMs: number;
  readonly nowMs: number;
  readonly former: LeaseSpec | undefined;
}): LeaseSpec {
  const { identity, former } = taken;
  const keeps = former?.holderIdentity === identity;
  const now = microTime(taken.nowMs);
  const transitions = (former?.leaseTransitions ?? 0) + (former === undefined || keeps ? 0 : 1);
  return {
    ...former,
    holderIdentity: identity,
    leaseDurationSeconds: Math.ceil(taken.durationMs / 1000),
    acquireTime: keeps ? (former.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: Math.min(transitions, maxTransitions),
  };
}

/** The spec of a lease that its owner releases: others need not wait for it to expire. */
export function releasedSpec(former: LeaseSpec | undefined, nowMs: number): LeaseSpec {
  const now = microTime(nowMs);
  return { ...former, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace("Z", "000Z");
}
