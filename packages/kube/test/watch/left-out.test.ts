import { expect, test } from "vitest";
import { createKeeper } from "../../src/watch/keeper.ts";
import { createStore } from "../../src/watch/store.ts";
import { pod } from "../fake/list-watch.ts";

const object = (namespace: string, at: number) => {
  const one = pod(`p${at}`, at, { fat: "x".repeat(2_000) });
  return { ...one, metadata: { ...one.metadata, namespace } };
};

test("however many objects of one namespace are left out, it is known that others lack some", () => {
  const keeper = createKeeper({
    maxItemBytes: 10_000,
    maxObjectBytes: 1_000,
    maxNamespaceBytes: 100_000,
    maxTotalBytes: 100_000,
    project: (raw) => raw,
    store: createStore(),
    onLeftOut: () => undefined,
  });
  const listing = keeper.beginList();
  for (let at = 1; at <= 10_100; at++) listing.add(keeper.keep(object("hostile", at), 2_500));
  listing.add(keeper.keep(object("listed", 1), 2_500));
  listing.commit();
  keeper.put(keeper.keep(object("watched", 1), 2_500));
  expect(["hostile", "listed", "watched"].map((one) => keeper.leftOutIn(one).length)).toEqual([10_000, 1, 1]);
});
