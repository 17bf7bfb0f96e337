import { manualClock } from "@plimsoll/component-base/testing";
import { expect, onTestFinished, test } from "vitest";
import { createWatchedRules } from "../../src/catalog/watched-rules.ts";
import { defaultRuleLimits } from "../../src/compile/limits.ts";
import type { WatchedRule } from "../../src/kind/kind.ts";
import { createFakeApi } from "../fake-api.ts";
import { context, externalSpec, ingresses, podsSpec } from "../rules.ts";

function setUp() {
  const clock = manualClock(1_000_000);
  const api = createFakeApi(clock);
  const decided: WatchedRule[] = [];
  const warnings: string[] = [];
  const log = {
    debug: () => {},
    info: () => {},
    warn: (_fields: object, message: string) => void warnings.push(message),
    error: () => {},
  };
  const resources = { hasIngresses: false, lookups: 0 };
  const rules = createWatchedRules({
    client: api.client,
    clock,
    log,
    random: () => 0.5,
    namespaceLabel: "namespace",
    limits: defaultRuleLimits,
    source: context.source,
    byResource: (name) => {
      resources.lookups += 1;
      const isThere = resources.hasIngresses && name === "ingresses.networking.k8s.io";
      return Promise.resolve(isThere ? ingresses : undefined);
    },
    onDecided: (rule) => void decided.push(rule),
  });
  onTestFinished(() => rules.stop());
  return { clock, api, rules, decided, warnings, resources };
}

const hits = {
  type: "Object",
  query: "hits",
  object: { resource: "ingresses.networking.k8s.io", label: "ingress" },
};

test("what is listed and what changes is in force within two seconds, without another list", async () => {
  const { clock, api, rules, decided } = setUp();
  api.put("packets", podsSpec());
  expect(rules.state()).toBe("starting");
  rules.start();
  await clock.advance(100);
  expect(rules.state()).toBe("present");
  expect(rules.catalog.custom("shop", "pods", "packets")?.query).toMatch(/^sum by/);
  api.put("packets", podsSpec("sum by (pod) (changed)"));
  api.put("queue", externalSpec());
  await clock.advance(2_000);
  expect(rules.catalog.custom("shop", "pods", "packets")?.query).toMatch(/changed/);
  expect(rules.catalog.external("shop", "queue")?.name).toBe("queue");
  api.remove("shop", "packets");
  await clock.advance(2_000);
  expect(rules.catalog.custom("shop", "pods", "packets")).toBeUndefined();
  expect(api.state.lists).toBe(1);
  expect(decided.map(({ metadata }) => metadata.name)).toEqual(["packets", "packets", "queue", "packets"]);
});

test("the rules of the first list are known as soon as they are decided on, whatever changes meanwhile", async () => {
  const { clock, api, rules } = setUp();
  api.put("packets", podsSpec());
  rules.start();
  await clock.advance(0);
  expect(rules.state()).toBe("starting");
  const states: string[] = [];
  for (let step = 0; step < 10; step += 1) {
    api.put("queue", externalSpec(), { namespace: `n${step}` });
    await clock.advance(20);
    states.push(rules.state());
  }
  expect(states.slice(0, 2)).toEqual(["starting", "starting"]);
  expect(states.slice(3)).toEqual(Array(7).fill("present"));
});

test("a rule that flaps is decided on once a second, and its last state wins", async () => {
  const { clock, api, rules, decided } = setUp();
  rules.start();
  await clock.advance(100);
  for (let step = 0; step < 100; step += 1) {
    api.put("packets", podsSpec(`sum by (pod) (step_${step})`));
    await clock.advance(50);
  }
  expect(decided.length).toBeLessThanOrEqual(6);
  await clock.advance(1_000);
  expect(rules.catalog.custom("shop", "pods", "packets")?.query).toMatch(/step_99/);
});

test("ten thousand rules of one namespace at once: fifty are served, and another namespace is not delayed", async () => {
  const { clock, api, rules } = setUp();
  rules.start();
  await clock.advance(100);
  for (let index = 0; index < 10_000; index += 1)
    api.put(`r${String(index).padStart(5, "0")}`, externalSpec(), { namespace: "hostile" });
  api.put("packets", podsSpec());
  await clock.advance(1_500);
  expect(rules.catalog.custom("shop", "pods", "packets")?.name).toBe("packets");
  expect(rules.catalog.counts()).toEqual({ accepted: 51, refused: 9_950 });
  expect(rules.catalog.external("hostile", "r00049")?.name).toBe("r00049");
  expect(rules.catalog.external("hostile", "r00050")).toBeUndefined();
});

test("a cluster without the definition is no failure, and rules count as soon as it is installed", async () => {
  const { clock, api, rules, warnings } = setUp();
  api.state.isInstalled = false;
  rules.start();
  await clock.advance(100);
  expect(rules.state()).toBe("missing");
  expect(warnings).toEqual([]);
  api.state.isInstalled = true;
  api.put("packets", podsSpec());
  await clock.advance(60_000);
  expect(rules.state()).toBe("present");
  expect(rules.catalog.custom("shop", "pods", "packets")?.name).toBe("packets");
});

test("a first list that fails is said with its reason, until one succeeds", async () => {
  const { clock, api, rules, warnings } = setUp();
  api.put("packets", podsSpec());
  api.state.isForbidden = true;
  rules.start();
  expect(rules.problem()).toBeUndefined();
  await clock.advance(100);
  expect([rules.state(), rules.problem()]).toEqual([
    "failing",
    "the MetricRules cannot be listed: Forbidden",
  ]);
  expect(warnings).toEqual(["cannot watch MetricRules"]);
  api.state.isForbidden = false;
  await clock.advance(60_000);
  expect([rules.state(), rules.problem()]).toEqual(["present", undefined]);
  expect(rules.catalog.custom("shop", "pods", "packets")?.name).toBe("packets");
});

test("rules go with their definition, and come back with it", async () => {
  const { clock, api, rules } = setUp();
  api.put("packets", podsSpec());
  rules.start();
  await clock.advance(100);
  api.uninstall();
  await clock.advance(60_000);
  expect(rules.state()).toBe("missing");
  expect(rules.catalog.custom("shop", "pods", "packets")).toBeUndefined();
  api.state.isInstalled = true;
  api.put("packets", podsSpec("sum by (pod) (other)"));
  await clock.advance(120_000);
  expect(rules.catalog.custom("shop", "pods", "packets")?.query).toMatch(/other/);
});

test("a resource that is installed later makes its rules count", async () => {
  const { clock, api, rules, resources } = setUp();
  api.put("hits", hits);
  rules.start();
  await clock.advance(1_500);
  const decision = () => {
    const rule = rules.get("shop", "hits");
    return rule === undefined ? undefined : rules.catalog.decisionOn(rule);
  };
  expect(decision()).toMatchObject({ type: "refused", refusal: { reason: "UnknownResource" } });
  await clock.advance(30_000);
  expect(resources.lookups).toBe(1);
  resources.hasIngresses = true;
  await clock.advance(90_000);
  expect(decision()).toMatchObject({ type: "accepted" });
  expect(rules.catalog.custom("shop", "ingresses.networking.k8s.io", "hits")?.name).toBe("hits");
});

test("a namespace that is deleted and created again has its new rules only", async () => {
  const { clock, api, rules } = setUp();
  api.put("packets", podsSpec());
  api.put("queue", externalSpec());
  rules.start();
  await clock.advance(100);
  api.remove("shop", "packets");
  api.remove("shop", "queue");
  api.put("queue", externalSpec("other"));
  await clock.advance(2_000);
  expect(rules.catalog.custom("shop", "pods", "packets")).toBeUndefined();
  expect(rules.catalog.external("shop", "queue")?.query).toBe('other{namespace="shop"}');
});
