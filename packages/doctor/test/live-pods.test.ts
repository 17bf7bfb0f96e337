// Pods that live.podSelector selects, of WorkloadAutoscalers and of MetricRules that an HPA uses.
import type { Fields } from "@plimsoll/core/internal/values";
import { expect, test } from "vitest";
import { known } from "../src/index.ts";
import { metricRule } from "./cases/operation.ts";
import { ago, deployment, examine, hpa, mainContainer, nowMs, type World, wla } from "./world.ts";

const live = (app: string, port: string | number = "metrics") => ({
  port,
  podSelector: { matchLabels: { app } },
});
const gateway = (more: Fields = {}): Fields => ({
  kind: "Pod",
  metadata: {
    name: "gateway-1",
    namespace: "default",
    labels: { app: "gateway" },
    creationTimestamp: ago(60),
  },
  spec: { containers: [{ ...mainContainer, ports: [{ name: "http", containerPort: 8080 }] }], ...more },
});
const target = { type: "AverageValue", averageValue: "1" };
const unread = known([{ samples: { values: [] } }]);

const ofQuery = (block: Fields, pods: readonly Fields[]): World => ({
  object: wla({ spec: { metrics: [{ type: "Query", query: { promql: "sum(a)", live: block, target } }] } }),
  facts: { namespacePods: known(pods), samples: unread },
});
const ofRule = (block: Fields, pods: readonly Fields[], more: Fields = {}): World => ({
  object: hpa({ spec: { metrics: [{ type: "Pods", pods: { metric: { name: "http_requests" }, target } }] } }),
  facts: {
    namespacePods: known(pods),
    samples: unread,
    metricRules: known([metricRule({ spec: { live: block, ...more } })]),
  },
});
const titles = (world: World) => examine("PL-057", world).findings.map(({ title }) => title);

test.each([
  ["query[0]", ofQuery],
  ["http_requests", ofRule],
] as const)("pods that %s selects are looked at", (name, worldOf) => {
  expect(titles(worldOf(live("web"), [gateway()]))).toEqual([`${name} reads no pod`]);
  expect(titles(worldOf(live("gateway"), [gateway()]))).toEqual([
    `${name} reads the port metrics, which no container declares`,
  ]);
  const { facts, ...world } = worldOf(live("gateway", "http"), [gateway({ hostNetwork: true })]);
  const refused = { ...facts, samples: known([{ samples: { error: "it uses the network of its node" } }]) };
  expect(titles({ ...world, facts: refused })).toEqual([
    `${name} reads pods that use the network of their node`,
  ]);
  for (const port of ["http", 8080]) expect(titles(worldOf(live("gateway", port), [gateway()]))).toEqual([]);
});

test("pods that have ended are none, and none are missed at zero replicas", () => {
  const ended = { ...gateway(), status: { phase: "Succeeded" } };
  const leaving = gateway();
  const deleted = { ...leaving, metadata: { ...(leaving["metadata"] as Fields), deletionTimestamp: ago(1) } };
  const world = ofQuery(live("gateway", "http"), [ended, deleted]);
  expect(titles(world)).toEqual(["query[0] reads no pod"]);
  const target = known({ found: true as const, object: deployment({ spec: { replicas: 0 } }) });
  expect(titles({ ...world, facts: { ...world.facts, target } })).toEqual([]);
});

test("pods of a node's network are read where the adapter may, also without series", () => {
  const world = ofQuery(live("gateway", "http"), [gateway({ hostNetwork: true })]);
  expect(titles(world)).toEqual([]);
  const samples = known([{ samples: { error: "gateway-1 uses the network of its node" } }]);
  expect(titles({ ...world, facts: { ...world.facts, samples } })).toHaveLength(1);
});

test("a rule of another type, and a metric that is read, have no finding", () => {
  expect(titles(ofRule(live("web"), [], { type: "External" }))).toEqual([]);
  const world = ofRule(live("web"), []);
  const samples = known([{ samples: { pods: [{ name: "shop-0", value: "1", atMs: nowMs }] } }]);
  expect(titles({ ...world, facts: { ...world.facts, samples } })).toEqual([]);
});
