import { expect, test } from "vitest";
import type { ShardView } from "../../src/leases/shard-index.ts";
import { planShards } from "../../src/leases/shard-plan.ts";

const view = (shard: number, more: Partial<ShardView> = {}): ShardView => ({
  shard,
  owner: "",
  lease: { metadata: { name: `slot-${shard}` } },
  isFree: true,
  isMarked: false,
  ...more,
});
const numbers = (views: readonly ShardView[]) => views.map(({ shard }) => shard);
const plan = (shards: readonly ShardView[], owned: readonly number[] = [], identity = "b") =>
  planShards({ identity, shards, owned: new Set(owned), live: new Set(["b", "a"]) });

test("members begin at different shards, so that they rarely want the same one", () => {
  const shards = [0, 1, 2, 3, 4].map((shard) => view(shard));
  expect(numbers(plan(shards, [], "a").wanted)).toEqual([0, 1, 2]);
  expect(numbers(plan(shards).wanted)).toEqual([2, 3]);
  expect(numbers(plan(shards.map((one) => ({ ...one, lease: undefined }))).absent)).toEqual([2, 3, 4, 0, 1]);
});

test("a free shard that carries the own name is wanted first, and released where it is too much", () => {
  const shards = [view(0, { owner: "b" }), view(1, { owner: "b" }), view(2), view(3, { owner: "a" })];
  expect(numbers(plan(shards).wanted)).toEqual([0, 1]);
  const kept = view(2, { owner: "b", isMarked: true, isFree: false });
  const { wanted, orphaned } = plan([...shards.with(2, kept), view(4), view(5, { owner: "b" })], [2]);
  expect([numbers(wanted), numbers(orphaned)]).toEqual([[5, 0], [1]]);
});

test("an owned shard is lost to another owner, and when its mark is gone; the highest ones are surplus", () => {
  const own = { owner: "b", isMarked: true, isFree: false };
  const shards = [
    view(0, own),
    view(1, { ...own, owner: "a" }),
    view(2, { ...own, isMarked: false }),
    view(3, own),
    view(4, own),
  ];
  const { lost, surplus, wanted } = plan(shards, [4, 3, 2, 1, 0]);
  expect([lost, surplus, wanted]).toEqual([[1, 2], [4], []]);
});
