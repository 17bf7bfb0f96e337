import { expect, test } from "vitest";
import { canonicalResource, createBuiltinMapper } from "../../src/index.ts";

test("the name of a resource in any spelling", async () => {
  const mapper = createBuiltinMapper({
    source: "",
    custom: [],
    external: [],
    resource: undefined,
    sourceUses: [],
  });
  const named = await Promise.all(
    ["Pod", "deployment.apps", "nodes", "ingresses.networking", "networkpolicy", "pods.apps", "widget"].map(
      (name) => canonicalResource(name, mapper),
    ),
  );
  expect(named).toEqual([
    { resource: "pods", namespaced: true },
    { resource: "deployments.apps", namespaced: true },
    { resource: "nodes", namespaced: false },
    { resource: "ingresses.networking.k8s.io", namespaced: true },
    { resource: "networkpolicies.networking.k8s.io", namespaced: true },
    undefined,
    undefined,
  ]);
});
