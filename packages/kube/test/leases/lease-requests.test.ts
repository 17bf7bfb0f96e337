import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeRequest } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import {
  deleteLease,
  type Lease,
  listLeases,
  ownedSpec,
  readLease,
  releasedSpec,
  writeLease,
} from "../../src/leases/lease.ts";
import { candidate, leaseServer } from "./one-lease.ts";

const path = "/apis/coordination.k8s.io/v1/namespaces/ns/leases";
const stored: Lease = {
  metadata: { name: "main", namespace: "ns", uid: "u1", resourceVersion: "7", labels: { team: "a" } },
  spec: { holderIdentity: "a" },
};

function at(answer: (request: KubeRequest) => unknown = () => stored) {
  const client = fakeClient(answer);
  return { client, namespace: "ns", name: "main", timeoutMs: 5000 };
}

test("a lease is read by its name, and a missing one is none", async () => {
  const place = at();
  expect(await readLease(place)).toBe(stored);
  expect(place.client.requests).toEqual([{ path: `${path}/main`, timeoutMs: 5000 }]);
  const missing = at(() => {
    throw apiError(404, "NotFound");
  });
  expect(await readLease(missing)).toBeUndefined();
  const forbidden = at(() => {
    throw apiError(403, "Forbidden");
  });
  await expect(readLease(forbidden)).rejects.toThrow("403");
});

test("leases are listed by all their labels; a list without items is empty", async () => {
  const place = at(() => ({ items: [stored] }));
  expect(await listLeases({ ...place, labels: { app: "web", tier: "x" } })).toEqual([stored]);
  expect(place.client.requests).toEqual([
    { path, query: { labelSelector: "app=web,tier=x" }, timeoutMs: 5000 },
  ]);
  expect(await listLeases(at(() => ({ items: null })))).toEqual([]);
});

test("only the state of a lease that was seen is deleted", async () => {
  const place = at();
  await deleteLease(place, stored);
  expect(place.client.requests).toEqual([
    {
      method: "DELETE",
      path: `${path}/main`,
      body: {
        kind: "DeleteOptions",
        apiVersion: "v1",
        preconditions: { uid: "u1", resourceVersion: "7" },
      },
      timeoutMs: 5000,
    },
  ]);
});

test("a lease is created, or its seen state replaced, and labels of others are kept", async () => {
  const place = { ...at(), labels: { app: "web" } };
  const spec = { holderIdentity: "b" };
  await writeLease(place, spec, undefined);
  await writeLease(place, spec, stored);
  const body = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", spec };
  expect(place.client.requests).toEqual([
    {
      method: "POST",
      path,
      body: { ...body, metadata: { name: "main", namespace: "ns", labels: { app: "web" } } },
      timeoutMs: 5000,
    },
    {
      method: "PUT",
      path: `${path}/main`,
      body: { ...body, metadata: { ...stored.metadata, labels: { team: "a", app: "web" } } },
      timeoutMs: 5000,
    },
  ]);
});

test("a new owner counts as a transition, the same one keeps since when it owns the lease", () => {
  const nowMs = Date.parse("2026-01-02T03:04:05.678Z");
  const now = "2026-01-02T03:04:05.678000Z";
  const taken = { identity: "a", durationMs: 14_100, nowMs };
  const first = ownedSpec({ ...taken, former: undefined });
  expect(first).toEqual({
    holderIdentity: "a",
    leaseDurationSeconds: 15,
    acquireTime: now,
    renewTime: now,
    leaseTransitions: 0,
  });
  const later = ownedSpec({ ...taken, nowMs: nowMs + 1000, former: first });
  expect(later).toEqual({ ...first, renewTime: "2026-01-02T03:04:06.678000Z" });
  expect(ownedSpec({ ...taken, former: { holderIdentity: "a" } }).acquireTime).toBe(now);
  const former = { ...first, holderIdentity: "b", acquireTime: "2025-01-01T00:00:00.000000Z" };
  expect(ownedSpec({ ...taken, former })).toEqual({ ...first, leaseTransitions: 1 });
  expect(releasedSpec(former, nowMs)).toEqual({ ...first, holderIdentity: "", leaseDurationSeconds: 1 });
});

test("a request of a candidate ends after half of the renew deadline, and not before a second", async () => {
  for (const [renewDeadlineMs, retryPeriodMs, timeoutMs] of [
    [10_000, 2000, 5000],
    [1500, 500, 1000],
  ] as const) {
    const clock = manualClock(0);
    const client = fakeClient(() => {
      throw apiError(404, "NotFound");
    });
    const { elector } = candidate(leaseServer(), clock, "a", { client, renewDeadlineMs, retryPeriodMs });
    elector.start();
    await clock.advance(1);
    expect(client.requests[0]?.timeoutMs).toBe(timeoutMs);
    await elector.stop();
  }
});

test("an error of a candidate is reported, a conflict is not: another was faster", async () => {
  const reported = async (code: number) => {
    const clock = manualClock(0);
    const errors: unknown[] = [];
    const client = fakeClient(({ method }) => {
      throw method === undefined ? apiError(404, "NotFound") : apiError(code);
    });
    const onError = (error: unknown) => void errors.push(error);
    const { elector } = candidate(leaseServer(), clock, "a", { client, onError });
    elector.start();
    await clock.advance(1);
    await elector.stop();
    return errors.map(String);
  };
  expect(await reported(409)).toEqual([]);
  expect(await reported(403)).toEqual([expect.stringContaining("403")]);
});
