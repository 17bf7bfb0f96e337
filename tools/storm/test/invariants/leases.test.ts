import { expect, test } from "vitest";
import { oneWriter } from "../../src/invariants/one-writer.ts";
import { autoscalerRig, leaseResource, scalePath } from "./autoscaler-rig.ts";

const [first, second] = ["autoscaler-0", "autoscaler-1"] as const;
const leases = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases";
const name = "plimsoll-autoscaler";

function leaderRig() {
  const rig = autoscalerRig(oneWriter);
  const object = (holderIdentity: string) => ({
    metadata: { name, namespace: "kube-system" },
    spec: { holderIdentity },
  });
  return {
    ...rig,
    /** The process takes or renews the lease, and receives that. */
    takes(process: string, identity = `${process}_1`) {
      rig.sent(process, "PUT", `${leases}/${name}`, object(identity));
      rig.written(process, { resource: leaseResource, object: object(identity) });
      rig.received(process, "PUT", `${leases}/${name}`, { body: object(identity) });
    },
    sees: (process: string, holder: string) =>
      rig.received(process, "GET", `${leases}/${name}`, { body: object(holder) }),
    changed: (type: "MODIFIED" | "DELETED", holder = "thief") =>
      rig.written("user", { resource: leaseResource, type, object: object(holder) }),
    writes: (process: string) => rig.sent(process, "PUT", scalePath, { spec: { replicas: 3 } }),
  };
}

test("who never had the lease may not write, nor who released it; events and leases may be written", () => {
  const { takes, writes, written, sent } = leaderRig();
  expect(writes(first)).toContain("it does not have the lease plimsoll-autoscaler");
  expect(sent(first, "POST", "/api/v1/namespaces/team-a/events", {})).toBeUndefined();
  takes(first);
  expect(writes(first)).toBeUndefined();
  const released = { metadata: { name, namespace: "kube-system" }, spec: { holderIdentity: "" } };
  written(first, { resource: leaseResource, object: released });
  expect(writes(first)).toContain("does not have the lease");
});

test("the lease of a former run of the process is not its own", () => {
  const { takes, writes, runs } = leaderRig();
  takes(first);
  runs.set(first, 2);
  expect(writes(first)).toContain("autoscaler-0_2 sends PUT");
});

test("a renew deadline after its last renewal the leader may not write any more", async () => {
  const { takes, writes, pass } = leaderRig();
  takes(first);
  await pass(2.4);
  expect(writes(first)).toBeUndefined();
  await pass(0.1);
  expect(writes(first)).toContain("it renewed the lease plimsoll-autoscaler 2500 ms ago");
  takes(first);
  expect(writes(first)).toBeUndefined();
});

test("no process takes the lease from a holder who may still write", async () => {
  const { takes, writes, pass } = leaderRig();
  takes(first);
  await pass(5);
  takes(second);
  expect(writes(second)).toBeUndefined();
  expect(writes(first)).toContain("autoscaler-1_1 has taken the lease");
});

test("a lease that was removed may be taken by who did not know its holder, and by no other", async () => {
  const one = leaderRig();
  one.takes(first);
  one.changed("DELETED");
  await one.pass(1);
  one.takes(second);
  expect([one.writes(first), one.writes(second)]).toEqual([undefined, undefined]);
  await one.pass(9);
  expect(one.writes(first)).toContain("10000 ms ago");

  const other = leaderRig();
  other.takes(first);
  other.sees(second, `${first}_1`);
  await other.pass(1);
  other.changed("DELETED");
  other.takes(second);
  expect(other.writes(first)).toContain("autoscaler-1_1 has taken the lease");
});

test("a lease that was given away or restored is noticed by its holder at its next renewal", async () => {
  const { takes, writes, changed, restore, sees, pass } = leaderRig();
  takes(first);
  sees(second, `${first}_1`);
  changed("MODIFIED");
  await pass(1);
  takes(second);
  expect(writes(first)).toBeUndefined();
  takes(first);
  restore();
  takes(second);
  expect(writes(first)).toBeUndefined();
  takes(first);
  await pass(1);
  takes(second);
  expect(writes(first)).toContain("has taken the lease");
});

test("a lease that was removed by hand is created for its holder, which neither renews nor releases it", async () => {
  const { takes, writes, written, changed, pass } = leaderRig();
  takes(first);
  for (const holderIdentity of ["", `${first}_1`]) {
    changed("DELETED");
    const object = { metadata: { name, namespace: "kube-system" }, spec: { holderIdentity } };
    written(second, { resource: leaseResource, type: "ADDED", object });
    expect(writes(first)).toBeUndefined();
  }
  await pass(10);
  expect(writes(first)).toContain("10000 ms ago");
});

test("of shards the lease of the member and that of the object's shard count", async () => {
  const { sent, written, pass } = autoscalerRig(oneWriter, { coordination: "shards", flags: ["--shards=2"] });
  const status = "/apis/autoscaling/v2/namespaces/team-a/horizontalpodautoscalers/shop/status";
  const hold = (process: string, lease: string) =>
    written(process, {
      resource: leaseResource,
      object: {
        metadata: { name: lease, namespace: "kube-system" },
        spec: { holderIdentity: `${process}_1` },
      },
    });
  expect(sent(first, "PUT", status, {})).toContain("lease plimsoll-autoscaler-member-autoscaler-0-1");
  hold(first, "plimsoll-autoscaler-member-autoscaler-0-1");
  expect(sent(first, "PUT", status, {})).toMatch(/does not have the lease plimsoll-autoscaler-slot-[01]$/);
  for (const slot of ["0", "1"]) hold(first, `plimsoll-autoscaler-slot-${slot}`);
  expect(sent(first, "PUT", status, {})).toBeUndefined();
  hold(second, "plimsoll-autoscaler-slot-0");
  hold(second, "plimsoll-autoscaler-slot-1");
  expect(sent(first, "PUT", status, {})).toContain("autoscaler-1_1 has taken the lease");
  await pass(7);
  expect(sent(first, "PUT", status, {})).toContain("it renewed the lease plimsoll-autoscaler-member");
});
