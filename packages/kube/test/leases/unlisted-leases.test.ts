// Leases without the label of the group: lists do not show them.
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { advanceFenced, byNumber, installedServer, leaseServer, member } from "./lease-server.ts";

const unlabeled = (name: string) =>
  `the lease ${name} has no label coordination.plimsoll.dev/group=autoscaler`;

test.each([
  ["zz", "slot-1"],
  ["", "slot-1"],
  ["zz", "member-a"],
  ["a", "member-a"],
])(
  "a lease that another client created for %j as %s without the label is taken over, with a warning that names it",
  async (holderIdentity, of) => {
    const name = `autoscaler-${of}`;
    const server = leaseServer();
    const clock = manualClock(0);
    server.change(name, { holderIdentity });
    const [a, b] = [member(server, clock, "a"), member(server, clock, "b")];
    for (const { claims } of [a, b]) claims.start();
    await advanceFenced(clock, [a.claims, b.claims], 60_000);
    expect([a, b].flatMap(({ claims }) => claims.owned).sort(byNumber)).toEqual([0, 1, 2, 3]);
    expect([a, b].map(({ claims }) => claims.owned.length)).toEqual([2, 2]);
    expect(server.leases.get(name)?.metadata.labels).toEqual({
      "coordination.plimsoll.dev/group": "autoscaler",
    });
    const errors = [...a.errors, ...b.errors];
    expect(errors.filter((text) => text.startsWith(unlabeled(name)))).not.toEqual([]);
    expect(new Set(errors).size).toBe(1);
    expect(a.errors.length).toBeLessThanOrEqual(1);
    await Promise.all([a.claims.stop(), b.claims.stop()]);
  },
);

test("leases that lose their labels while their owners use them have one user, and get them back", async () => {
  for (let atMs = 0; atMs < 2400; atMs += 300) {
    const server = installedServer(5);
    const clock = manualClock(0);
    const members = ["a", "b", "c"].map((of) => member(server, clock, of, 5).claims);
    for (const { start } of members) start();
    await advanceFenced(clock, members, 30_000 + atMs);
    for (const [name, { spec }] of server.leases) server.change(name, spec, {});
    await advanceFenced(clock, members, 60_000);
    expect(members.map(({ owned }) => owned.length)).toEqual([2, 2, 1]);
    for (const { metadata } of server.leases.values()) expect(metadata.labels).not.toEqual({});
    await Promise.all(members.map(({ stop }) => stop()));
  }
});

test("a lease that cannot be read keeps no other shard from being divided", async () => {
  const server = leaseServer();
  const clock = manualClock(0);
  server.change("autoscaler-slot-1", { holderIdentity: "zz" });
  server.unreadable.add("autoscaler-slot-1");
  const { claims, errors } = member(server, clock, "a");
  claims.start();
  await advanceFenced(clock, [claims], 60_000);
  expect(claims.owned).toEqual([0, 2, 3]);
  expect(errors).toContain("403 Forbidden");
  server.unreadable.clear();
  await advanceFenced(clock, [claims], 30_000);
  expect(claims.owned).toEqual([0, 1, 2, 3]);
  await claims.stop();
});

test("a member whose lease loses its label again and again, and that renews it, keeps its shards", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a"), member(server, clock, "b")];
  a.claims.start();
  await clock.advance(900);
  b.claims.start();
  await advanceFenced(clock, [a.claims, b.claims], 30_000);
  for (const { log } of [a, b]) log.length = 0;
  for (let ms = 0; ms < 60_000; ms += 100) {
    const lease = server.leases.get("autoscaler-member-a");
    if (lease?.metadata.labels?.["coordination.plimsoll.dev/group"] !== undefined)
      server.change("autoscaler-member-a", lease.spec, {});
    await advanceFenced(clock, [a.claims, b.claims], 100);
  }
  expect([a, b].map(({ claims }) => claims.owned.length)).toEqual([2, 2]);
  expect([...a.log, ...b.log]).toEqual([]);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});
