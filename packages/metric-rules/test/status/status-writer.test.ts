import { sleep } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import type { InstantResult } from "@plimsoll/prometheus";
import { silentLog } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createWatchedRules, type WatchedRules } from "../../src/catalog/watched-rules.ts";
import type { CompiledRule } from "../../src/compile/compiled.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import type { RuleServer } from "../../src/serve/serve.ts";
import { createStatusWriter } from "../../src/status/status-writer.ts";
import { createFakeApi } from "../fake-api.ts";
import { context, externalSpec, podsSpec } from "../rules.ts";

const vector = (value: number, labels: Record<string, string> = { pod: "a" }): InstantResult => ({
  type: "vector",
  samples: [{ labels, value, atMs: 0 }],
  warnings: [],
  infos: [],
});

type Cluster = ReturnType<typeof newCluster>;

function newCluster() {
  const clock = manualClock(Date.parse("2026-01-01T00:00:00Z"));
  return { clock, api: createFakeApi(clock), checked: [] as string[], value: vector(1), windowMs: 0 };
}

/** Another adapter, with a namespace label of its own. */
function addReplica(cluster: Cluster, { seed = 0.1, namespaceLabel = "namespace" } = {}) {
  const { clock, api, checked } = cluster;
  const server: Pick<RuleServer, "result"> = {
    async result(rule: CompiledRule, { signal }) {
      checked.push(rule.name);
      if (rule.live !== undefined) await sleep(clock, cluster.windowMs, signal());
      return { ok: true, value: cluster.value };
    },
  };
  const rules: WatchedRules = createWatchedRules({
    client: api.client,
    clock,
    log: silentLog,
    random: () => seed,
    namespaceLabel,
    limits: defaultRuleLimits,
    allowsLive: true,
    source: context.source,
    byResource: () => Promise.resolve(undefined),
    onDecided: (rule) => writer.decided(rule),
  });
  const seams = { client: api.client, clock, log: silentLog, random: () => seed };
  const writer = createStatusWriter({ ...seams, rules, server });
  onTestFinished(async () => {
    await writer.stop();
    await rules.stop();
  });
  rules.start();
}

const at = (cluster: Cluster) => new Date(cluster.clock.nowMs()).toISOString().slice(11, 19);
const conditionsOf = (cluster: Cluster, key: string) =>
  cluster.api
    .statusOf(key)
    ?.conditions.map(({ type, status, reason, observedGeneration }) =>
      [type, status, reason, observedGeneration].join(" "),
    );

test("the status has the query that is sent, what it gives, and what is wrong", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  cluster.api.put("broken", podsSpec("sum("));
  addReplica(cluster);
  await cluster.clock.advance(2_000);
  expect(cluster.api.statusOf("shop/packets")).toMatchObject({
    observedGeneration: 1,
    query: 'sum by (pod) (rate(packets_total{namespace="shop"}[2m]))',
    series: 1,
    sample: { value: "1", at: "1970-01-01T00:00:00Z" },
    checkedAt: expect.stringMatching(/^2026-01-01T00:00:0\dZ$/),
  });
  expect(conditionsOf(cluster, "shop/packets")).toEqual([
    "Accepted True Accepted 1",
    "Resolved True Resolved 1",
  ]);
  expect(conditionsOf(cluster, "shop/broken")).toEqual([
    "Accepted False Unparsable 1",
    "Resolved False NotAccepted 1",
  ]);
  expect(cluster.api.statusOf("shop/broken")?.conditions[0]?.message).toBe(
    "spec.query: the query ends too early (at character 5) (PLM5102)",
  );
});

test("a query that gives nothing usable says so, and is tried again until it does", async () => {
  const cluster = newCluster();
  cluster.value = { ...vector(1), samples: [] } as InstantResult;
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(2_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved False NoSeries 1");
  const { length } = cluster.api.writes;
  await cluster.clock.advance(1_000_000);
  expect(cluster.checked.length).toBeGreaterThan(5);
  expect(cluster.api.writes.length).toBe(length);
  cluster.value = vector(5, { Pod: "a" });
  await cluster.clock.advance(150_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved False NoObjectLabel 1");
  cluster.value = vector(5);
  await cluster.clock.advance(150_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved True Resolved 1");
});

const live = { port: "metrics", podSelector: { matchLabels: { app: "web" } } };

test("a live query without series says which pods to look at", async () => {
  const cluster = newCluster();
  cluster.value = { ...vector(1), samples: [] } as InstantResult;
  cluster.api.put("packets", { ...podsSpec(), live });
  addReplica(cluster);
  await cluster.clock.advance(2_000);
  expect(cluster.api.statusOf("shop/packets")?.conditions[1]?.message).toMatch(
    /^the query returned no series now: check that live.podSelector selects pods, and that they serve the metrics/,
  );
});

test("a live rule that was edited shows that its new query has not been tried yet", async () => {
  const cluster = newCluster();
  cluster.windowMs = 60_000;
  cluster.api.put("packets", { ...podsSpec(), live });
  addReplica(cluster);
  await cluster.clock.advance(70_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved True Resolved 1");
  cluster.api.put("packets", { ...podsSpec("sum by (pod) (other_total)"), live });
  await cluster.clock.advance(2_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved Unknown NotChecked 2");
  expect(cluster.api.statusOf("shop/packets")).not.toHaveProperty("sample");
  await cluster.clock.advance(70_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved True Resolved 2");
});

test("checks that wait for long windows delay no status of another namespace", async () => {
  const cluster = newCluster();
  cluster.windowMs = 300_000;
  addReplica(cluster);
  for (let at = 0; at < 1_000; at += 1)
    cluster.api.put(`r${at}`, { ...podsSpec(), live }, { namespace: `hostile-${at % 100}` });
  await cluster.clock.advance(200_000);
  expect(cluster.checked.length).toBeLessThanOrEqual(100 * 4);
  cluster.api.put("packets", podsSpec());
  cluster.api.put("requests", { ...externalSpec(), live });
  await cluster.clock.advance(10_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved True Resolved 1");
  expect(cluster.checked.slice(-2)).toEqual(["packets", "requests"]);
});

test("a result that lacks series which are too large is no value, and the status says what to do", async () => {
  const cluster = newCluster();
  cluster.value = { ...vector(1), leftOut: 2 };
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(2_000);
  expect(cluster.api.statusOf("shop/packets")?.conditions[1]).toMatchObject({
    status: "False",
    reason: "QueryFailed",
    message: expect.stringMatching(/^2 series were left out of the response, .*: drop the long labels, or/),
  });
});

test("a rule that gives nothing any more is tried again as soon as one that never did", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(60_000);
  cluster.value = { ...vector(1), samples: [] } as InstantResult;
  await cluster.clock.advance(2_300_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved False NoSeries 1");
  cluster.value = vector(1);
  await cluster.clock.advance(151_000);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved True Resolved 1");
});

test("what a check found is written also where the first write of it is refused", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(60_000);
  cluster.value = { ...vector(1), samples: [] } as InstantResult;
  const { length } = cluster.checked;
  cluster.api.state.refusedWrites.push({
    code: 409,
    body: { kind: "Status", code: 409, reason: "Conflict" },
  });
  while (cluster.checked.length === length) await cluster.clock.advance(10_000);
  await cluster.clock.advance(5_000);
  expect(cluster.api.writes.map(({ code }) => code)).toEqual([200, 409, 200]);
  expect(conditionsOf(cluster, "shop/packets")?.[1]).toBe("Resolved False NoSeries 1");
  expect(cluster.checked).toHaveLength(length + 1);
});

test("another label of the same query is checked at once", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(60_000);
  cluster.api.put("packets", { ...podsSpec(), podLabel: "pood" });
  await cluster.clock.advance(2_000);
  expect(conditionsOf(cluster, "shop/packets")).toEqual([
    "Accepted True Accepted 2",
    "Resolved False NoObjectLabel 2",
  ]);
});

test("a change of the specification shows within two seconds, and a condition keeps its time while it stays", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster);
  await cluster.clock.advance(60_000);
  const before = cluster.api.statusOf("shop/packets")?.conditions[0]?.lastTransitionTime;
  cluster.api.put("packets", podsSpec("sum by (pod) (other)"));
  await cluster.clock.advance(2_000);
  expect(conditionsOf(cluster, "shop/packets")).toEqual([
    "Accepted True Accepted 2",
    "Resolved True Resolved 2",
  ]);
  expect(cluster.api.statusOf("shop/packets")?.query).toMatch(/other/);
  expect(cluster.api.statusOf("shop/packets")?.conditions[0]?.lastTransitionTime).toBe(before);
  expect(at(cluster)).toBe("00:01:02");
});

test("nothing is written while nothing changes, whatever the number of replicas", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster, { seed: 0.1 });
  addReplica(cluster, { seed: 0.9 });
  await cluster.clock.advance(60_000);
  const { length } = cluster.api.writes;
  expect(cluster.api.writes.filter(({ code }) => code === 200)).toHaveLength(1);
  await cluster.clock.advance(1_500_000);
  expect(cluster.api.writes).toHaveLength(length);
});

test("replicas that disagree do not write against each other", async () => {
  const cluster = newCluster();
  cluster.api.put("packets", podsSpec());
  addReplica(cluster, { seed: 0.1 });
  addReplica(cluster, { seed: 0.9, namespaceLabel: "kubernetes_namespace" });
  await cluster.clock.advance(3_600_000);
  expect(cluster.api.writes.length).toBeLessThanOrEqual(8);
});

test("a conflict is tried again with the new state; a status of an object that is gone is not written to its successor", async () => {
  const cluster = newCluster();
  addReplica(cluster);
  await cluster.clock.advance(100);
  const conflict = { code: 409, body: { kind: "Status", code: 409, reason: "Conflict" } };
  cluster.api.state.refusedWrites.push(conflict, conflict);
  cluster.api.put("packets", podsSpec());
  await cluster.clock.advance(10_000);
  expect(cluster.api.writes.map(({ code }) => code)).toEqual([409, 409, 200]);
  cluster.api.remove("shop", "packets");
  cluster.api.put("packets", podsSpec("sum("));
  await cluster.clock.advance(3_000);
  expect(conditionsOf(cluster, "shop/packets")?.[0]).toBe("Accepted False Unparsable 1");
  expect(cluster.api.writes.filter(({ code }) => code === 200)).toHaveLength(2);
});

test("writes that are refused are few", async () => {
  const cluster = newCluster();
  addReplica(cluster);
  const forbidden = { code: 403, body: { kind: "Status", code: 403, reason: "Forbidden" } };
  cluster.api.state.refusedWrites.push(...Array.from({ length: 100 }, () => forbidden));
  cluster.api.put("packets", podsSpec());
  await cluster.clock.advance(3_600_000);
  expect(cluster.api.writes.length).toBeLessThanOrEqual(13);
});

test("of ten thousand rules of one namespace few are written at a time, and another namespace does not wait", async () => {
  const cluster = newCluster();
  addReplica(cluster);
  await cluster.clock.advance(100);
  for (let index = 0; index < 10_000; index += 1)
    cluster.api.put(`r${index}`, externalSpec(), { namespace: "hostile" });
  cluster.api.put("packets", podsSpec());
  await cluster.clock.advance(10_000);
  expect(cluster.api.writes.length).toBeLessThanOrEqual(101);
  expect(cluster.api.writes.slice(0, 10).map(({ key }) => key)).toContain("shop/packets");
});
