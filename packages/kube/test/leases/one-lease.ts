// A server that keeps one lease, and candidates for it.
import type { ManualClock } from "@plimsoll/component-base/testing";
import { ConnectionError, createElector, type ElectorOptions, type KubeRequest } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";

interface StoredLease {
  metadata: { name: string; namespace: string; resourceVersion: string };
  spec: {
    holderIdentity?: string;
    leaseDurationSeconds?: number;
    renewTime?: string;
    leaseTransitions?: number;
  };
}

/** A server that keeps one lease. */
export function leaseServer() {
  let lease: StoredLease | undefined;
  let version = 0;
  const put = (body: StoredLease) => {
    version += 1;
    lease = { ...body, metadata: { ...body.metadata, resourceVersion: String(version) } };
    return lease;
  };
  const server = {
    get lease() {
      return lease;
    },
    /** Whose requests fail. */
    cutOff: new Set<string>(),
    /** Answers of these are lost, the requests are carried out. */
    deaf: new Set<string>(),
    /** Removes the lease, as by hand. */
    remove() {
      lease = undefined;
    },
    /** Writes some fields, as an editor would. */
    edit(spec: StoredLease["spec"]): void {
      if (lease !== undefined) put({ ...lease, spec: { ...lease.spec, ...spec } });
    },
    /** Gives the lease to another. */
    rob(thief: string): void {
      server.edit({ holderIdentity: thief });
    },
    client: (identity: string) =>
      fakeClient(({ method = "GET", body }: KubeRequest) => {
        if (server.cutOff.has(identity)) throw new ConnectionError("timeout", "cut off");
        if (method === "GET") {
          if (lease === undefined) throw apiError(404, "NotFound");
          return lease;
        }
        const wanted = body as StoredLease;
        if (
          method === "POST"
            ? lease !== undefined
            : wanted.metadata.resourceVersion !== lease?.metadata.resourceVersion
        ) {
          throw apiError(409, "Conflict");
        }
        const stored = put(wanted);
        if (server.deaf.has(identity)) throw new ConnectionError("timeout", "lost");
        return stored;
      }),
  };
  return server;
}

export function candidate(
  server: ReturnType<typeof leaseServer>,
  clock: ManualClock,
  identity: string,
  options: Partial<ElectorOptions> = {},
) {
  const log: string[] = [];
  const elector = createElector({
    client: server.client(identity),
    namespace: "ns",
    name: "main",
    identity,
    leaseDurationMs: 15_000,
    renewDeadlineMs: 10_000,
    retryPeriodMs: 2000,
    clock,
    random: () => 0.5,
    onStarted(lost, term) {
      log.push(`started ${String(term)}`);
      lost.addEventListener("abort", () => log.push("lost"));
    },
    onStopped: () => {
      log.push("stopped");
    },
    ...options,
  });
  return { elector, log };
}
