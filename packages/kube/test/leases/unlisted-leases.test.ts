// Leases without the label of the group: lists do not show them.
import { manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { createUnlistedLeases, missingLabel } from "../../src/leases/unlisted-leases.ts";
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

const leaseOf = (name: string, labels?: Readonly<Record<string, string>>): Lease => ({
  metadata: { name, ...(labels && { labels }) },
});

test("a lease is read by its name until it is gone or listed, and its missing labels are named once", async () => {
  const known = new Map([
    ["bare", leaseOf("bare")],
    ["half", leaseOf("half", { app: "web", tier: "y" })],
    ["whole", leaseOf("whole", { app: "web", tier: "x" })],
  ]);
  const client = fakeClient(({ path }) => {
    const lease = known.get(path.split("/")[7] ?? "");
    if (lease === undefined) throw apiError(404, "NotFound");
    return lease;
  });
  const errors: string[] = [];
  const at = { client, namespace: "ns", timeoutMs: 5000, labels: { app: "web", tier: "x" } };
  const unlisted = createUnlistedLeases(at, (error) => errors.push(String(error)));
  const read = async (listed: readonly Lease[] = []) => {
    const before = client.requests.length;
    const found = await unlisted.read(listed);
    return [found.map(({ metadata }) => metadata.name), client.requests.length - before];
  };
  for (const name of ["gone", "bare", "half", "whole"]) unlisted.add(name);
  expect(await read()).toEqual([["bare", "half", "whole"], 4]);
  const missing = (name: string, labels: string) =>
    `Error: the lease ${name} has no label ${labels}, so lists do not show it; the next write of a member adds the label`;
  expect(errors).toEqual([missing("bare", "app=web,tier=x"), missing("half", "tier=x")]);
  expect(await read()).toEqual([["bare", "half", "whole"], 3]);
  expect(await read([leaseOf("bare"), leaseOf("whole")])).toEqual([["half"], 1]);
  expect(errors).toHaveLength(2);
  // It lost its label once more.
  unlisted.add("bare");
  await read();
  expect(errors.slice(2)).toEqual([missing("bare", "app=web,tier=x")]);

  for (let n = 0; n < 40; n += 1) unlisted.add(`other-${n}`);
  expect((await read())[1]).toBe(32);
  expect(missingLabel({}, leaseOf("bare"))).toBeUndefined();
});
