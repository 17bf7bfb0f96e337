import { manualClock } from "@plimsoll/component-base/testing";
import type { Lease } from "@plimsoll/kube";
import { expect, test } from "vitest";
import { createShardIndex, markOf } from "../../src/leases/shard-index.ts";

const unseenMs = 20_000;

/** The lease of the only shard; `mark`: of which holder a member noted that it wrote it. */
function slot(holderIdentity: string | undefined, mark: string | undefined, resourceVersion = "1"): Lease {
  return {
    metadata: {
      name: "slot-0",
      resourceVersion,
      ...(mark !== undefined && { annotations: markOf({ holderIdentity: mark }) }),
    },
    ...(holderIdentity !== undefined && { spec: { holderIdentity } }),
  };
}

/** As member "a" sees it, beside "b". */
function index() {
  const clock = manualClock(0);
  const shards = createShardIndex({
    clock,
    identity: "a",
    shards: 1,
    nameOf: (shard) => `slot-${shard}`,
    unseenMs,
  });
  const view = (lease?: Lease) => shards.views(lease === undefined ? [] : [lease], new Set(["a", "b"]))[0];
  return { clock, shards, view };
}

test.each([
  { holder: "a", mark: "a", owner: "a", isMarked: true, isFree: "at once" },
  { holder: "b", mark: "b", owner: "b", isMarked: true, isFree: "never" },
  { holder: "zz", mark: "zz", owner: "zz", isMarked: true, isFree: "at once" },
  { holder: "", mark: "", owner: "", isMarked: true, isFree: "at once" },
  { holder: undefined, mark: "", owner: "", isMarked: true, isFree: "at once" },
  { holder: "a", mark: "b", owner: "a", isMarked: false, isFree: "later" },
  { holder: "b", mark: "a", owner: "b", isMarked: false, isFree: "never" },
  { holder: "zz", mark: "a", owner: "zz", isMarked: false, isFree: "later" },
  { holder: "", mark: undefined, owner: "", isMarked: false, isFree: "later" },
  { holder: undefined, mark: undefined, owner: "", isMarked: false, isFree: "later" },
])("a shard of $holder with the mark of $mark is free $isFree", async (row) => {
  const { holder, mark, owner, isMarked, isFree } = row;
  const { clock, view } = index();
  const lease = slot(holder, mark);
  expect(view(lease)).toEqual({ shard: 0, lease, owner, isMarked, isFree: isFree === "at once" });
  await clock.advance(unseenMs - 1);
  expect(view(lease)?.isFree).toBe(isFree === "at once");
  await clock.advance(1);
  expect(view(lease)?.isFree).toBe(isFree !== "never");
});

test("a shard without a lease is never free", async () => {
  const { clock, view } = index();
  for (let look = 0; look < 3; look += 1) {
    expect(view()).toEqual({ shard: 0, lease: undefined, owner: "", isMarked: false, isFree: false });
    await clock.advance(unseenMs / 2);
  }
});

test.each([
  ["marked", slot("b", "b", "2")],
  ["absent", undefined],
])(
  "a state that comes back, as from a backup, after the lease was %s waits as long again",
  async (_, between) => {
    const { clock, shards, view } = index();
    const lease = slot("", undefined);
    view(lease);
    await clock.advance(unseenMs);
    expect(view(lease)?.isFree).toBe(true);
    view(between);
    expect(view(lease)?.isFree).toBe(false);
    view(between);
    expect(clock.pendingTimers).toBe(0);
    view(lease);
    await clock.advance(unseenMs);
    expect(view(lease)?.isFree).toBe(true);
    view({ ...lease, spec: { holderIdentity: "zz" } });
    shards.end();
    expect(clock.pendingTimers).toBe(0);
  },
);

test("a lease without a holder has an empty mark", () => {
  expect(markOf({})).toEqual({ "coordination.plimsoll.dev/holder": "" });
});
