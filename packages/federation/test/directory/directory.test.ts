import { expect, test } from "vitest";
import { loadFederation } from "../../src/config/load-federation.ts";
import { createDirectory, type IsOwn } from "../../src/directory/directory.ts";
import { listedName, targetOf } from "../../src/directory/metric-request.ts";

const file = `
backends:
- {name: keda, service: {namespace: keda, name: m}, groups: [external.metrics.k8s.io],
   match: {labelSelectorKeys: [scaledobject.keda.sh/name]}}
- {name: datadog, service: {namespace: datadog, name: m}, groups: [external.metrics.k8s.io],
   match: {metrics: ["datadogmetric@*"]}}
- {name: team, service: {namespace: team, name: m}, groups: [external.metrics.k8s.io, custom.metrics.k8s.io],
   match: {namespaces: [team-*]}}
- {name: cloud, service: {namespace: cloud, name: m}, groups: [external.metrics.k8s.io, custom.metrics.k8s.io]}
`;

const listed: Readonly<Record<string, readonly string[] | undefined>> = {
  keda: [],
  datadog: [],
  team: ["lag", "pods/rate"],
  cloud: ["lag", "depth", "pods/rate"],
};

function ownerOf(
  path: string,
  options: { selector?: string; isOwn?: IsOwn; lists?: typeof listed } = {},
): string {
  const { selector = "", isOwn = () => false, lists = listed } = options;
  const loaded = loadFederation(file);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const entries = loaded.config.backends.map((config) => ({
    config,
    lists: (target: Parameters<typeof listedName>[0]) => lists[config.name]?.includes(listedName(target)),
  }));
  const [group = "", ...segments] = path.split("/");
  const target = targetOf(`${group}.metrics.k8s.io` as "custom.metrics.k8s.io", segments);
  if (target === undefined) return "no metric";
  const owner = createDirectory(entries, isOwn)({ ...target, selector });
  if (owner.type === "backend") return owner.backend.config.name;
  return owner.type === "own"
    ? "own"
    : `none, unread: ${owner.unread.map(({ config }) => config.name).join(" ")}`;
}

test.each([
  ["external/namespaces/shop/s0-rabbit", "scaledobject.keda.sh/name=shop", "keda"],
  ["external/namespaces/shop/s0-rabbit", "scaledobject.keda.sh/name in (a,b),x=y", "keda"],
  ["external/namespaces/shop/s0-rabbit", "scaledobject.keda.sh/name", "keda"],
  ["external/namespaces/shop/s0-rabbit", "!scaledobject.keda.sh/name", "none, unread: "],
  ["external/namespaces/shop/s0-rabbit", "scaledobject.keda.sh/name!=a", "none, unread: "],
  ["external/namespaces/shop/s0-rabbit", "not a (selector", "none, unread: "],
  ["external/namespaces/shop/s0-rabbit", `scaledobject.keda.sh/name=${"a".repeat(9000)}`, "none, unread: "],
  ["external/namespaces/shop/datadogmetric@shop:cpu", "", "datadog"],
  ["external/namespaces/team-a/lag", "", "team"],
  ["external/namespaces/shop/lag", "", "cloud"],
  ["external/namespaces/team-a/unknown", "", "none, unread: "],
  ["external/namespaces/shop/depth", "", "cloud"],
  ["custom/namespaces/team-a/pods/*/rate", "", "team"],
  ["custom/namespaces/shop/pods/*/rate", "", "cloud"],
  ["custom/namespaces/shop/deployments.apps/web/rate", "", "none, unread: "],
  ["custom/namespaces/shop/datadogmetric@x", "scaledobject.keda.sh/name=a", "no metric"],
])("%s with the selector %s belongs to: %s", (path, selector, owner) => {
  expect(ownerOf(path, { selector })).toBe(owner);
});

test("what is ours is never handed on, whoever matches or lists it", () => {
  const isOwn: IsOwn = ({ metric }) => metric === "lag" || metric === "s0-rabbit";
  expect(ownerOf("external/namespaces/shop/lag", { isOwn })).toBe("own");
  expect(
    ownerOf("external/namespaces/shop/s0-rabbit", { isOwn, selector: "scaledobject.keda.sh/name=a" }),
  ).toBe("own");
});

test("what a rule of ours may be named like is a backend's that matches it, and no backend's that lists it", () => {
  const isOwn: IsOwn = () => "unless-matched";
  expect(ownerOf("external/namespaces/shop/datadogmetric@shop:cpu", { isOwn })).toBe("datadog");
  expect(ownerOf("external/namespaces/shop/lag", { isOwn })).toBe("own");
  expect(ownerOf("external/namespaces/shop/unknown", { isOwn })).toBe("own");
});

test("a metric that is not found says which backends could not be read, of those that might have it", () => {
  const lists = { ...listed, keda: undefined, team: undefined };
  expect(ownerOf("external/namespaces/shop/other", { lists })).toBe("none, unread: keda");
  expect(ownerOf("external/namespaces/team-a/other", { lists })).toBe("none, unread: keda team");
});

test("what a later backend lists is of no known owner while an earlier one was never listed", () => {
  const lists = { ...listed, team: undefined };
  expect(ownerOf("external/namespaces/team-a/lag", { lists })).toBe("none, unread: team");
  expect(ownerOf("external/namespaces/shop/lag", { lists })).toBe("cloud");
  const last = { ...listed, cloud: undefined };
  expect(ownerOf("external/namespaces/team-a/lag", { lists: last })).toBe("team");
});

test.each([
  ["external/namespaces/a/b/c"],
  ["external/a/b/c"],
  ["external/namespaces/a"],
  ["external/namespaces//x"],
  ["custom/namespaces/a/pods"],
  ["custom/namespaces/a/pods/x"],
  ["custom/nodes/a"],
  ["custom/namespaces/a/pods/x/y/z"],
])("%s is the path of no metric", (path) => {
  expect(ownerOf(path)).toBe("no metric");
});

test("objects without a namespace, and namespaces themselves, have metrics of their own", () => {
  const group = "custom.metrics.k8s.io";
  expect(targetOf(group, ["nodes", "n1", "load"])).toEqual({
    group,
    namespace: undefined,
    resource: "nodes",
    name: "n1",
    metric: "load",
  });
  expect(targetOf(group, ["namespaces", "shop", "metrics", "load"])).toEqual({
    group,
    namespace: "shop",
    resource: "namespaces",
    name: "shop",
    metric: "load",
  });
});

test("a part of a path that is longer than any name is of no metric", () => {
  const target = (metric: string) => targetOf("external.metrics.k8s.io", ["namespaces", "shop", metric]);
  expect(target("m".repeat(1_024))?.metric).toHaveLength(1_024);
  expect(target("m".repeat(1_025))).toBeUndefined();
});
