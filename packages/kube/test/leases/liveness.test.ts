// Which members count as alive; times are those of a lease that lasts 10 s.
import { manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createLiveness } from "../../src/leases/liveness.ts";

function watched() {
  const clock = manualClock(0);
  const nameOf = (identity: string) => `member-${identity}`;
  const liveness = createLiveness({
    clock,
    identity: "b",
    leaseDurationMs: 10_000,
    maxRoundMs: 5000,
    nameOf,
  });
  /** Whether "a" is alive; "b" is. */
  const isLive = (lease: Lease | undefined, owners: readonly string[] = []): boolean => {
    const live = liveness.observe(lease === undefined ? [] : [lease], owners);
    expect([...live].filter((identity) => identity !== "a")).toEqual(["b"]);
    return live.has("a");
  };
  const look = (lease: Lease | undefined, owners?: readonly string[], isDisturbed?: boolean): boolean => {
    liveness.begin(isDisturbed);
    return isLive(lease, owners);
  };
  return { clock, liveness, isLive, look };
}

const metadata = { name: "member-a", resourceVersion: "1" };
const own: Lease = { metadata, spec: { holderIdentity: "a" } };
const long: Lease = { metadata, spec: { holderIdentity: "a", leaseDurationSeconds: 30 } };

test.each<[string, Lease, readonly string[], number]>([
  ["its own", own, [], 10_000],
  ["its own, with shards", own, ["", "a"], 10_000],
  ["its own, which says that it lasts longer", long, [], 30_000],
  [
    "its own, which says that it is shorter",
    { ...own, spec: { ...own.spec, leaseDurationSeconds: 1 } },
    [],
    10_000,
  ],
  ["stolen, with shards", { ...long, spec: { ...long.spec, holderIdentity: "zz" } }, ["a"], 10_000],
  ["released, with shards", { ...own, spec: { holderIdentity: "" } }, ["a"], 10_000],
  ["without a spec, with shards", { metadata }, ["a"], 10_000],
])("a member whose lease is %s is alive until that lasts no longer", async (_, lease, owners, lastsMs) => {
  const { clock, liveness, look } = watched();
  expect(look(lease, owners)).toBe(true);
  await clock.advance(lastsMs - 1);
  expect(look(lease, owners)).toBe(true);
  await clock.advance(1);
  expect(look(lease, owners)).toBe(false);
  expect(look({ ...own, metadata: { ...metadata, resourceVersion: "2" } }, owners)).toBe(true);
  liveness.end();
  expect(clock.pendingTimers).toBe(0);
});

test.each<[string, Lease]>([
  ["stolen", { metadata, spec: { holderIdentity: "zz" } }],
  ["released", { metadata, spec: { holderIdentity: "" } }],
  ["without a spec", { metadata }],
])("a member without shards is lost as soon as its lease is %s", (_, lease) => {
  const { clock, look } = watched();
  expect(look(lease)).toBe(false);
  expect(look(own)).toBe(true);
  expect(look(lease)).toBe(false);
  // Another member removed that lease.
  expect(look(undefined)).toBe(false);
  expect(clock.pendingTimers).toBe(0);
});

test("a lease has expired only when it had before the list was requested that shows it, in the same state", async () => {
  const { clock, isLive, look } = watched();
  look(own, ["a"]);
  await clock.advance(9000);
  expect(look(own, ["a"])).toBe(true);
  await clock.advance(3000);
  expect(isLive(own, ["a"])).toBe(true);
  expect(look({ ...own, metadata: { ...metadata, resourceVersion: "2" } }, ["a"])).toBe(true);
});

test("no lease has expired by a list before which one failed", async () => {
  const { clock, look } = watched();
  look(own);
  await clock.advance(10_000);
  expect(look(own, [], true)).toBe(true);
  expect(look(own)).toBe(false);
});

test("an absent lease counts as one that lasts, and has to be created before a member with shards is lost", async () => {
  for (const owners of [[], ["a"]]) {
    const { clock, look } = watched();
    look(own, owners);
    for (let passedMs = 0; passedMs < 10_000; passedMs += 2500) {
      expect(look(undefined, owners)).toBe(true);
      await clock.advance(2500);
    }
    expect(look(undefined, owners)).toBe(owners.length > 0);
  }
});
