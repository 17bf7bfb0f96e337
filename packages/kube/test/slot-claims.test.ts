import { ConnectionError, createSlotClaims, type KubeRequest } from "@plimsoll/kube";
import { type ManualClock, manualClock } from "@plimsoll/kube/testing";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { planSlots } from "../src/lease/slot-plan.ts";
import { apiError, fakeClient } from "./fake/fake-client.ts";

interface StoredLease {
  metadata: { name: string; resourceVersion: string };
  spec: { holderIdentity?: string };
}

const byNumber = (one: number, other: number) => one - other;

/** A server that keeps leases. */
function leaseServer() {
  const leases = new Map<string, StoredLease>();
  let version = 0;
  const cutOff = new Set<string>();
  const client = (identity: string) =>
    fakeClient(({ method = "GET", path, body }: KubeRequest) => {
      if (cutOff.has(identity)) throw new ConnectionError("timeout", "cut off");
      const name = path.split("/")[7];
      if (method === "GET") return { items: [...leases.values()] };
      const wanted = body as StoredLease;
      if (method === "DELETE") {
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
  return { leases, cutOff, client };
}

function member(server: ReturnType<typeof leaseServer>, clock: ManualClock, identity: string, slots = 4) {
  const log: string[] = [];
  const claims = createSlotClaims({
    client: server.client(identity),
    namespace: "plimsoll",
    name: "autoscaler",
    identity,
    slots,
    leaseDurationMs: 10_000,
    renewDeadlineMs: 7000,
    retryPeriodMs: 2000,
    clock,
    random: () => 0.5,
    onGained: (slot) => log.push(`+${slot}`),
    onLost: (slot) => log.push(`-${slot}`),
  });
  return { claims, log };
}

test("one member takes all slots, a second one its half, and what one gives up is used by nobody meanwhile", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  a.claims.start();
  await clock.advance(100);
  expect(a.claims.held).toEqual([0, 1, 2, 3]);
  const b = member(server, clock, "b");
  b.claims.start();
  for (let ms = 0; ms < 20_000; ms += 100) {
    await clock.advance(100);
    for (const slot of a.claims.held) expect(b.claims.holds(slot)).toBe(false);
  }
  expect(a.claims.held).toHaveLength(2);
  expect([...a.claims.held, ...b.claims.held].sort(byNumber)).toEqual([0, 1, 2, 3]);
  await a.claims.stop();
  await clock.advance(5000);
  expect(b.claims.held).toEqual([0, 1, 2, 3]);
  await b.claims.stop();
});

test("a lost member's slots are taken over within one period of 15 s, and it stops before", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  const b = member(server, clock, "b");
  a.claims.start();
  b.claims.start();
  await clock.advance(20_000);
  expect(a.claims.held).toHaveLength(2);
  server.cutOff.add("a");
  let ms = 0;
  while (b.claims.held.length < 4 && ms < 60_000) {
    await clock.advance(100);
    ms += 100;
    for (const slot of a.claims.held) expect(b.claims.holds(slot)).toBe(false);
  }
  expect(ms).toBeLessThanOrEqual(15_000);
  expect(a.claims.held).toEqual([]);
  server.cutOff.delete("a");
  await clock.advance(20_000);
  expect(a.claims.held).toHaveLength(2);
  expect(b.claims.held).toHaveLength(2);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});

test("leases of members that are gone for good are removed", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  const a = member(server, clock, "a");
  const b = member(server, clock, "b");
  a.claims.start();
  b.claims.start();
  await clock.advance(10_000);
  server.cutOff.add("b");
  await clock.advance(40_000);
  expect([...server.leases.keys()].filter((name) => name.includes("member"))).toEqual([
    "autoscaler-member-a",
  ]);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});

test("whatever is cut off and when, no slot has two users, and all are used in the end", async () => {
  const names = ["a", "b", "c"];
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ who: fc.constantFrom(...names), forMs: fc.integer({ min: 500, max: 30_000 }) }), {
        maxLength: 8,
      }),
      async (faults) => {
        const server = leaseServer();
        const clock = manualClock(0);
        const members = names.map((name) => member(server, clock, name, 5).claims);
        for (const { start } of members) start();
        const watch = async (ms: number) => {
          for (let passed = 0; passed < ms; passed += 500) {
            await clock.advance(500);
            const used = members.flatMap(({ held }) => held);
            expect(new Set(used).size).toBe(used.length);
          }
        };
        for (const { who, forMs } of faults) {
          if (server.cutOff.has(who)) server.cutOff.delete(who);
          else server.cutOff.add(who);
          await watch(forMs);
        }
        server.cutOff.clear();
        await watch(40_000);
        expect(members.flatMap(({ held }) => held).sort(byNumber)).toEqual([0, 1, 2, 3, 4]);
        expect(members.map(({ held }) => held.length).sort(byNumber)).toEqual([1, 2, 2]);
        await Promise.all(members.map(({ stop }) => stop()));
      },
    ),
    { numRuns: 15 },
  );
});

test("shares differ by one at most", () => {
  const slots = Array.from({ length: 7 }, (_, slot) => ({ slot, lease: undefined }));
  const shares = ["a", "b", "c"].map(
    (identity) =>
      planSlots({ identity, slots, live: new Set(["a", "b", "c"]), held: new Set() }).wanted.length,
  );
  expect(shares).toEqual([3, 2, 2]);
});
