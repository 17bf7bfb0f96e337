import { parseSelector } from "@plimsoll/core/selector";
import { expect, test } from "vitest";
import { createSelections } from "../../src/objects/selections.ts";
import { fakeCluster, infoOf, pod } from "../backends/prometheus/cluster.ts";

const all = parseSelector("");

function pods() {
  const cluster = fakeCluster({});
  const selections = createSelections(cluster.reflect(infoOf("pods")));
  const select = (namespace?: string) => selections.select(namespace, all);
  const names = (namespace?: string) => select(namespace).objects.map(({ metadata }) => metadata.name);
  return { cluster, selections, select, names };
}

test("nothing is kept of a namespace whose objects are gone", () => {
  const { cluster, selections, names } = pods();
  for (const namespace of ["one", "two", "three"]) {
    cluster.put("pods", pod(namespace, "a"));
    expect(names(namespace)).toEqual(["a"]);
    cluster.remove("pods", namespace, "a");
  }
  expect([...selections.entries.keys()]).toEqual([""]);
});

test("what was selected before a namespace became empty does not count when it is filled again", () => {
  const { cluster, select, names } = pods();
  cluster.put("pods", pod("one", "a"));
  const before = select("one");
  expect(before.isUnchanged()).toBe(true);
  cluster.remove("pods", "one", "a");
  expect(before.isUnchanged()).toBe(false);
  expect(names("one")).toEqual([]);
  cluster.put("pods", pod("one", "b"));
  expect(before.isUnchanged()).toBe(false);
  expect(names("one")).toEqual(["b"]);
  expect(names()).toEqual(["b"]);
});
