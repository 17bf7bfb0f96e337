import { manualClock } from "@plimsoll/component-base/testing";
import { parseSelector } from "@plimsoll/core/selector";
import type { ClusterResource } from "@plimsoll/rules";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createConfinedObjects } from "../../src/objects/confined-objects.ts";
import { createObjects } from "../../src/objects/objects.ts";
import { fakeCluster, infoOf, pod } from "../backends/prometheus/cluster.ts";
import { failureIn, valueOf } from "../backends/prometheus/harness.ts";

const kind = (resource: string): ClusterResource => ({ ...infoOf("services"), resource });

function setUp() {
  const clock = manualClock(0);
  const watches: string[] = [];
  const stopped: string[] = [];
  const clusters: ReturnType<typeof fakeCluster>[] = [];
  const options = {
    clock,
    log: silentLog,
    lookUp: async () => undefined,
    reflect: (info: ClusterResource, _onError: unknown, namespace?: string) => {
      const watch = `${namespace ?? "*"}/${info.resource}`;
      watches.push(watch);
      const cluster = fakeCluster({ [info.resource]: [pod(namespace ?? "ns", "a")] });
      clusters.push(cluster);
      return { ...cluster.reflect(info), stop: async () => void stopped.push(watch) };
    },
  };
  const shared = createObjects(options);
  const confined = createConfinedObjects({ ...options, shared });
  onTestFinished(() => confined.stop());
  const select = async (namespace: string | undefined, resource: string) =>
    await confined.select({
      info: kind(resource),
      namespace,
      selector: parseSelector(""),
      caller: { signal: () => new AbortController().signal },
    });
  return { clock, watches, stopped, shared, confined, select, clusters };
}

test("what a rule of a namespace names is watched in this namespace only", async () => {
  const { select, watches } = setUp();
  expect(valueOf(await select("ns", "secrets")).objects).toHaveLength(1);
  await select("ns", "secrets");
  await select("other", "secrets");
  expect(watches).toEqual(["ns/secrets", "other/secrets"]);
});

test("pods, and what is watched in all namespaces already, are watched once", async () => {
  const { select, watches, shared } = setUp();
  shared.watch(kind("services"));
  await select("ns", "services");
  await select("ns", "pods");
  await select("other", "pods");
  expect(watches).toEqual(["*/services", "*/pods"]);
});

test("a namespace has four, and one that was not used for a minute gives way", async () => {
  const { select, clock, watches, stopped } = setUp();
  for (const resource of ["a", "b", "c", "d"]) await select("ns", resource);
  expect(failureIn(await select("ns", "e"))).toEqual({
    code: "Unavailable",
    message: "cannot list e: MetricRules in namespace ns already use 4 resources besides pods",
    retryAfterSeconds: 1,
  });
  expect(watches).toHaveLength(4);
  await clock.advance(60_000);
  await select("ns", "a");
  expect(valueOf(await select("ns", "e")).objects).toHaveLength(1);
  expect(stopped).toEqual(["ns/b"]);
});

test("of too many in all, the namespaces with the most give way to those with less", async () => {
  const { select, stopped, watches } = setUp();
  for (let at = 0; at < 32; at += 1)
    for (const resource of ["a", "b", "c", "d"]) await select(`hostile-${at}`, resource);
  expect(valueOf(await select("victim", "a")).objects).toHaveLength(1);
  expect([watches.length - stopped.length, stopped]).toEqual([128, ["hostile-0/a"]]);
  for (let at = 0; at < 127; at += 1) await select(`single-${at}`, "a");
  expect(failureIn(await select("one-more", "a")).message).toContain(
    "use 128 resources of single namespaces",
  );
  expect(valueOf(await select("victim", "a")).objects).toHaveLength(1);
});

test("what is not used any more is not watched any more", async () => {
  const { select, clock, stopped } = setUp();
  await select("ns", "a");
  await clock.advance(599_000);
  expect(stopped).toEqual([]);
  await clock.advance(120_000);
  expect(stopped).toEqual(["ns/a"]);
  expect(clock.pendingTimers).toBe(0);
});

test("a resource with more objects than are kept is given up, and says so", async () => {
  const { select, clusters, stopped } = setUp();
  await select("ns", "a");
  for (let at = 0; at < 10_000; at += 1) clusters[0]?.put("a", pod("ns", `o${at}`));
  expect(failureIn(await select("ns", "a")).message).toBe(
    "the namespace ns has more than 10000 a: request single objects by name",
  );
  expect(stopped).toEqual(["ns/a"]);
});
