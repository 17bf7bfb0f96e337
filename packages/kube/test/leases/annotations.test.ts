import { manualClock } from "@plimsoll/component-base/testing";
import { createElector, type KubeRequest, type Lease } from "@plimsoll/kube";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";

/** A server that keeps one lease, which another client has annotated. */
function leaseServer() {
  let version = 1;
  let lease: Lease = {
    metadata: {
      name: "lock",
      namespace: "default",
      resourceVersion: "1",
      annotations: { "example.com/owner": "platform" },
    },
    spec: { holderIdentity: "" },
  };
  return {
    lease: () => lease,
    client: fakeClient(({ method = "GET", body }: KubeRequest) => {
      if (method === "GET") return lease;
      const wanted = body as Lease;
      if (wanted.metadata.resourceVersion !== lease.metadata.resourceVersion) throw apiError(409, "Conflict");
      lease = { ...wanted, metadata: { ...wanted.metadata, resourceVersion: String(++version) } };
      return lease;
    }),
  };
}

test("a lease carries the annotations of its owner as they are at each renewal, beside those of others", async () => {
  const { lease, client } = leaseServer();
  const clock = manualClock(0);
  let port = 8443;
  const elector = createElector({
    client,
    namespace: "default",
    name: "lock",
    identity: "one",
    clock,
    random: () => 0,
    annotations: () => ({ "example.com/port": String(port) }),
    onStarted: () => {},
  });
  const watcher = createElector({
    client,
    namespace: "default",
    name: "lock",
    identity: "two",
    clock,
    random: () => 0.5,
    onStarted: () => {},
  });
  elector.start();
  await clock.advance(100);
  expect(lease().metadata.annotations).toEqual({
    "example.com/owner": "platform",
    "example.com/port": "8443",
  });
  watcher.start();
  port = 9443;
  await clock.advance(6000);
  expect(lease().metadata.annotations?.["example.com/port"]).toBe("9443");
  expect(watcher.lease?.metadata.annotations?.["example.com/port"]).toBe("9443");
  expect(elector.lease).toEqual(lease());
  expect([watcher.isLeader, watcher.lease?.spec?.holderIdentity]).toEqual([false, "one"]);
  await Promise.all([elector.stop(), watcher.stop()]);
});
