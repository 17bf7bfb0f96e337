import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeRequest } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";
import { installedServer, member } from "./lease-server.ts";

/** Two members, one of whom is gone for good; deleting its lease fails with this code. */
async function reportedWhenDeleting(code: number): Promise<readonly string[]> {
  const server = installedServer();
  const clock = manualClock(0);
  const whole = server.client("a");
  const client = (identity: string) =>
    fakeClient((request: KubeRequest) => {
      if (request.method === "DELETE") throw apiError(code);
      return identity === "a" ? whole.request(request) : server.client(identity).request(request);
    });
  const [a, b] = [member({ ...server, client }, clock, "a"), member({ ...server, client }, clock, "b")];
  a.claims.start();
  b.claims.start();
  await clock.advance(10_000);
  server.cutOff.add("b");
  await clock.advance(40_000);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
  return a.errors;
}

test.each([404, 409])(
  "a lease of a lost member that another removed before (%d) is no error",
  async (code) => {
    expect(await reportedWhenDeleting(code)).toEqual([]);
  },
);

test("a lease of a lost member that may not be removed is reported", async () => {
  expect((await reportedWhenDeleting(403))[0]).toContain("403");
});

test("a member knows who is alive, by their leases", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const [a, b] = [member(server, clock, "a"), member(server, clock, "b")];
  expect([a.claims.members, a.claims.memberLeases]).toEqual([1, []]);
  a.claims.start();
  b.claims.start();
  await clock.advance(10_000);
  expect(a.claims.members).toBe(2);
  expect(a.claims.memberLeases.map(({ metadata }) => metadata.name)).toEqual([
    "autoscaler-member-a",
    "autoscaler-member-b",
  ]);
  server.cutOff.add("b");
  await clock.advance(40_000);
  expect(a.claims.memberLeases.map(({ spec }) => spec?.holderIdentity)).toEqual(["a"]);
  await Promise.all([a.claims.stop(), b.claims.stop()]);
});

test("who stops uses nothing from that moment on, though its leases are not released yet", async () => {
  const server = installedServer();
  const clock = manualClock(0);
  const { claims, log } = member(server, clock, "a");
  claims.start();
  await clock.advance(10_000);
  expect(claims.owned).toEqual([0, 1, 2, 3]);
  const stopped = claims.stop();
  expect([claims.owned, claims.owns(0), log.slice(4)]).toEqual([[], false, ["-0", "-1", "-2", "-3"]]);
  await stopped;
  claims.start();
  await clock.advance(10_000);
  expect([...server.leases.values()].map(({ spec }) => spec.holderIdentity)).toEqual(["", "", "", "", ""]);
});
