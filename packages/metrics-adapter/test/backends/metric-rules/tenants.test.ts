import { manualClock } from "@plimsoll/component-base/testing";
import { createPrometheusClient } from "@plimsoll/prometheus";
import { type FakeHandler, startFakePrometheus, vector } from "@plimsoll/prometheus/testing";
import { expect, onTestFinished, test } from "vitest";
import { loadMetricRules } from "../../../src/backends/metric-rules/load.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import { recordingLog } from "../../http/fakes.ts";
import { fakeCluster, fakeMapper } from "../prometheus/cluster.ts";
import { failureIn, required, rulesOf, valueOf } from "../prometheus/harness.ts";
import { fakeRules } from "./fake-rules.ts";

const tenantIn: FakeHandler = ({ headers }) => {
  const tenant = String(headers["x-scope-orgid"]);
  return vector([{ labels: { tenant }, value: String(Number(tenant.replace(/\D/g, "") || 0)) }]);
};

/** A server with a tenant for each namespace, and MetricRules that read it. */
async function setUp(handler: FakeHandler = tenantIn) {
  const fakes = await Promise.all([startFakePrometheus(() => vector([])), startFakePrometheus(handler)]);
  const [plain, tenants] = fakes;
  const tenantHeaders = { "X-Scope-OrgID": "ns-{namespace}" };
  const clients = [
    createPrometheusClient({ url: plain.url }),
    createPrometheusClient({ url: tenants.url, tenantHeaders }),
  ] as const;
  const clock = manualClock(1_700_000_000_000);
  const api = fakeRules();
  const create = required(await loadMetricRules({ namespaceLabel: "namespace", rulesPerNamespace: 50 }));
  const source = { client: clients[1], resultMaxAgeMs: 5_000, isByNamespace: true, serves: () => true };
  const engine = assembleEngine({
    rules: rulesOf("rules: []"),
    source: { client: clients[0], resultMaxAgeMs: 5_000 },
    sources: new Map([["tenants", source]]),
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({}).reflect(info),
    createMetricRules: create,
    api: { client: api.client(clock) },
    clock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    log: recordingLog(),
  });
  onTestFinished(async () => {
    await engine.stop();
    await Promise.all([...clients, ...fakes].map((one) => one.close()));
  });
  await engine.start();
  await clock.advance(200);
  const get = async (namespace: string, metric = "own") =>
    await required(engine.external).get({
      metric,
      namespace,
      labelSelector: "",
      signal: () => new AbortController().signal,
    });
  return {
    api,
    clock,
    get,
    requests: tenants.requests,
    /** The same rule in each namespace. */
    async rulesIn(namespaces: readonly string[]) {
      for (const namespace of namespaces)
        api.put(namespace, "own", { type: "External", query: "up", source: "tenants" });
      await clock.advance(2_000);
    },
    tenantOf: async (namespace: string) => valueOf(await get(namespace))[0]?.labels?.["tenant"],
  };
}

const namespaces = Array.from({ length: 10 }, (_, at) => `team-${at}`);

test("two namespaces with the same rule read a tenant each: at the same time, and out of the caches", async () => {
  const { rulesIn, tenantOf, requests } = await setUp();
  await rulesIn(namespaces);
  const expected = namespaces.map((name) => `ns-${name}`);
  expect(await Promise.all(namespaces.map(tenantOf))).toEqual(expected);
  const sent = requests.length;
  expect(await Promise.all(namespaces.map(tenantOf))).toEqual(expected);
  expect(requests).toHaveLength(sent);
  for (const { headers, parameters } of requests) {
    const namespace = String(headers["x-scope-orgid"]).replace("ns-", "");
    expect(parameters.get("query")).toBe(`up{namespace="${namespace}"}`);
  }
});

test("nothing is sent for lists of series, and nothing for a namespace that can be none", async () => {
  const { rulesIn, get, clock, requests } = await setUp();
  await rulesIn(["shop", "../admin", "admin|shop", "SHOP", "a\nX-Scope-OrgID: admin"]);
  await clock.advance(120_000);
  expect(failureIn(await get("../admin")).code).toBe("MetricNotFound");
  expect(failureIn(await get("admin|shop")).code).toBe("MetricNotFound");
  expect([
    ...new Set(requests.map(({ headers, path }) => `${path} ${String(headers["x-scope-orgid"])}`)),
  ]).toEqual(["/api/v1/query ns-shop"]);
});

test("a namespace that is deleted and created again reads its own tenant, with its new rule only", async () => {
  const { api, clock, rulesIn, get, tenantOf, requests } = await setUp();
  await rulesIn(["shop"]);
  expect(await tenantOf("shop")).toBe("ns-shop");
  api.remove("shop", "own");
  await clock.advance(2_000);
  expect(failureIn(await get("shop")).code).toBe("MetricNotFound");
  api.put("shop", "own", { type: "External", query: "other", source: "tenants" });
  await clock.advance(2_000);
  expect(await tenantOf("shop")).toBe("ns-shop");
  expect(requests.at(-1)?.parameters.get("query")).toBe('other{namespace="shop"}');
});

test("whether the server is back is asked as a tenant that was queried before", async () => {
  let isAway = false;
  const { rulesIn, get, clock, tenantOf, requests } = await setUp((request) =>
    isAway ? (response) => void response.destroy() : tenantIn(request),
  );
  await rulesIn(["shop", "other"]);
  expect(await tenantOf("shop")).toBe("ns-shop");
  await clock.advance(6_000);
  isAway = true;
  for (let times = 0; times < 4; times += 1) expect(failureIn(await get("shop")).code).toBe("Unavailable");
  isAway = false;
  await clock.advance(10_000);
  const sent = requests.length;
  expect(await tenantOf("other")).toBe("ns-other");
  const [probe] = requests.slice(sent);
  expect([probe?.parameters.get("query"), probe?.headers["x-scope-orgid"]]).toEqual(["vector(1)", "ns-shop"]);
});
