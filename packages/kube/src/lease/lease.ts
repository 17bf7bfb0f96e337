import { isNotFound } from "../api-error.ts";
import type { KubeClient } from "../client.ts";
import type { KubeObject } from "../object.ts";
import { resourcePath } from "../resource.ts";

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  /** How often the holder has changed: it only grows, and so tells older holders from newer. */
  readonly leaseTransitions?: number;
}

export interface Lease extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface LeaseAt {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  readonly timeoutMs: number;
  /** Of a lease that is created. */
  readonly labels?: Readonly<Record<string, string>>;
}

const leases = { group: "coordination.k8s.io", version: "v1", resource: "leases" };

/** undefined when there is none. Throws ApiError or ConnectionError. */
export async function readLease(o: LeaseAt): Promise<Lease | undefined> {
  try {
    return await o.client.request<Lease>({
      path: resourcePath(leases, o.namespace, o.name),
      timeoutMs: o.timeoutMs,
    });
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** Throws ApiError or ConnectionError. */
export async function listLeases(o: Omit<LeaseAt, "name">): Promise<readonly Lease[]> {
  const labelSelector = Object.entries(o.labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
  const list = await o.client.request<{ readonly items?: readonly Lease[] | null }>({
    path: resourcePath(leases, o.namespace),
    query: { labelSelector },
    timeoutMs: o.timeoutMs,
  });
  return list.items ?? [];
}

/** Deletes this very state of the lease. Throws ApiError or ConnectionError. */
export async function deleteLease(o: LeaseAt, lease: Lease): Promise<void> {
  const { uid, resourceVersion } = lease.metadata;
  await o.client.request({
    method: "DELETE",
    path: resourcePath(leases, o.namespace, o.name),
    body: { kind: "DeleteOptions", apiVersion: "v1", preconditions: { uid, resourceVersion } },
    timeoutMs: o.timeoutMs,
  });
}

/** Creates the lease, or replaces the very state in `former`; a conflict (409) says that somebody was quicker. */
export function writeLease(o: LeaseAt, spec: LeaseSpec, former: Lease | undefined): Promise<Lease> {
  const { name, namespace, labels } = o;
  const metadata = former?.metadata ?? { name, namespace, ...(labels === undefined ? {} : { labels }) };
  return o.client.request<Lease>({
    method: former === undefined ? "POST" : "PUT",
    path: resourcePath(leases, o.namespace, former === undefined ? undefined : o.name),
    body: { apiVersion: "coordination.k8s.io/v1", kind: "Lease", metadata, spec },
    timeoutMs: o.timeoutMs,
  });
}

/** The spec of a lease that `identity` takes or keeps. */
export function heldSpec(o: {
  readonly identity: string;
  readonly durationMs: number;
  readonly nowMs: number;
  readonly former: LeaseSpec | undefined;
}): LeaseSpec {
  const { former } = o;
  const keeps = former?.holderIdentity === o.identity;
  const now = microTime(o.nowMs);
  return {
    ...former,
    holderIdentity: o.identity,
    leaseDurationSeconds: Math.ceil(o.durationMs / 1000),
    acquireTime: keeps ? (former.acquireTime ?? now) : now,
    renewTime: now,
    leaseTransitions: (former?.leaseTransitions ?? 0) + (former === undefined || keeps ? 0 : 1),
  };
}

/** The spec of a lease that its holder gives back: nobody has to wait for it to expire. */
export function releasedSpec(former: LeaseSpec, nowMs: number): LeaseSpec {
  const now = microTime(nowMs);
  return { ...former, holderIdentity: "", leaseDurationSeconds: 1, acquireTime: now, renewTime: now };
}

function microTime(atMs: number): string {
  return new Date(atMs).toISOString().replace("Z", "000Z");
}
