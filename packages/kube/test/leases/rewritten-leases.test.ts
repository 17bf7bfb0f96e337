// Leases of shards and of members that another client writes or removes again and again.
import { manualClock } from "@plimsoll/component-base/testing";
import { expect, test } from "vitest";
import { advanceFenced, byNumber, installedServer, member } from "./lease-server.ts";

type Server = ReturnType<typeof installedServer>;
const remove = ({ leases }: Server, name: string) => void leases.delete(name);
const steal = (server: Server, name: string) => server.change(name, { holderIdentity: "zz" });
const release = (server: Server, name: string) => server.change(name, { holderIdentity: "" });
const give = (server: Server, name: string) => server.change(name, { holderIdentity: "b" });

test.each([
  ["the lease of a member is stolen", "autoscaler-member-a", steal],
  ["the lease of a member is released", "autoscaler-member-a", release],
  ["the lease of a member is removed", "autoscaler-member-a", remove],
  ["the lease of a shard is stolen", "autoscaler-slot-0", steal],
  ["the lease of a shard is released", "autoscaler-slot-0", release],
  ["the lease of a shard is given to another member", "autoscaler-slot-0", give],
  ["the lease of a shard is removed", "autoscaler-slot-0", remove],
])("%s again and again: the shards have one user, and are used in the end", async (_, name, edit) => {
  for (const everyMs of [100, 500, 1000, 3700]) {
    const server = installedServer();
    const clock = manualClock(0);
    const members = ["a", "b"].map((of) => member(server, clock, of).claims);
    members[0]?.start();
    await clock.advance(900);
    members[1]?.start();
    await advanceFenced(clock, members, 20_000);
    expect(members.map(({ owned }) => owned.length)).toEqual([2, 2]);
    for (let ms = 0; ms < 60_000; ms += everyMs) {
      edit(server, name);
      await advanceFenced(clock, members, everyMs);
    }
    await advanceFenced(clock, members, 40_000);
    expect(members.flatMap(({ owned }) => owned).sort(byNumber)).toEqual([0, 1, 2, 3]);
    await Promise.all(members.map(({ stop }) => stop()));
  }
});

test("who sees a stolen lease does not take the shard before its owner, which cannot list, has lost it", async () => {
  for (const edit of [steal, release, remove]) {
    const server = installedServer();
    const clock = manualClock(0);
    const [a, b] = [member(server, clock, "a").claims, member(server, clock, "b").claims];
    a.start();
    await clock.advance(900);
    b.start();
    await advanceFenced(clock, [a, b], 20_000);
    server.blind.add("a");
    for (const shard of a.owned) edit(server, `autoscaler-slot-${shard}`);
    await advanceFenced(clock, [a, b], 60_000);
    // Half of the shards are left to a member that renews.
    expect([a.owned, b.owned.length]).toEqual([[], 2]);
    server.blind.clear();
    await advanceFenced(clock, [a, b], 40_000);
    expect([a.owned.length, b.owned.length]).toEqual([2, 2]);
    await Promise.all([a.stop(), b.stop()]);
  }
});
