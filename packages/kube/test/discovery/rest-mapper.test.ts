import { manualClock } from "@plimsoll/component-base/testing";
import { createRestMapper } from "@plimsoll/kube";
import { until } from "@plimsoll/testbed/world";
import { apiError, fakeClient } from "@plimsoll/testbed/world/cluster";
import { expect, test } from "vitest";

function resource(name: string, kind: string, options: Record<string, unknown> = {}) {
  return {
    resource: name,
    responseKind: { group: "", version: "", kind },
    scope: "Namespaced",
    singularResource: kind.toLowerCase(),
    verbs: ["get", "list"],
    ...options,
  };
}

const core = {
  kind: "APIGroupDiscoveryList",
  items: [
    {
      metadata: {},
      versions: [
        {
          version: "v1",
          resources: [
            resource("pods", "Pod", { shortNames: ["po"], subresources: [{ subresource: "status" }] }),
            resource("nodes", "Node", { scope: "Cluster" }),
            resource("events", "Event", { shortNames: ["ev"] }),
          ],
        },
      ],
    },
  ],
};

function named(...extra: unknown[]) {
  return {
    kind: "APIGroupDiscoveryList",
    items: [
      {
        metadata: { name: "apps" },
        versions: [
          {
            version: "v1",
            resources: [
              resource("deployments", "Deployment", {
                shortNames: ["deploy"],
                subresources: [{ subresource: "scale" }],
              }),
            ],
          },
        ],
      },
      {
        metadata: { name: "autoscaling" },
        versions: ["v2", "v1"].map((version) => ({
          version,
          resources: [
            resource("horizontalpodautoscalers", "HorizontalPodAutoscaler", { shortNames: ["hpa"] }),
          ],
        })),
      },
      {
        metadata: { name: "events.k8s.io" },
        versions: [{ version: "v1", resources: [resource("events", "Event")] }],
      },
      {
        metadata: { name: "networking.k8s.io" },
        versions: [
          { version: "v1", resources: [resource("ingresses", "Ingress", { singularResource: "" })] },
        ],
      },
      ...extra,
    ],
  };
}

function aggregated(groups: () => unknown) {
  return fakeClient(({ path }) => (path === "/api" ? core : groups()));
}

test("an empty list that a server prints as null is an empty list", async () => {
  const nothing = { singularResource: null, shortNames: null, verbs: null };
  const group = {
    metadata: { name: "example.com" },
    versions: [{ version: "v1", resources: [resource("widgets", "Widget", nothing)] }],
  };
  const mapper = createRestMapper({ client: aggregated(() => named(group)) });
  expect(await mapper.byResource("unknown")).toBeUndefined();
  expect(await mapper.byResource("widgets")).toMatchObject({ singular: "widget", shortNames: [], verbs: [] });
});

test("kinds and resources are found under all their names", async () => {
  const client = aggregated(named);
  const mapper = createRestMapper({ client });
  const found = async (name: string) => {
    const info = await mapper.byResource(name);
    return info === undefined ? undefined : `${info.resource}.${info.version}.${info.group}`;
  };
  expect(await found("pods")).toBe("pods.v1.");
  expect(await found("Pod")).toBe("pods.v1.");
  expect(await found("po")).toBe("pods.v1.");
  expect(await found("deployments.apps")).toBe("deployments.v1.apps");
  expect(await found("deployment.apps")).toBe("deployments.v1.apps");
  expect(await found("deployments.v1.apps")).toBe("deployments.v1.apps");
  expect(await found("Ingresses.networking.k8s.io")).toBe("ingresses.v1.networking.k8s.io");
  expect(await found("ingress")).toBe("ingresses.v1.networking.k8s.io");
  expect(await found("HPA")).toBe("horizontalpodautoscalers.v2.autoscaling");
  expect(await found("events")).toBe("events.v1.");
  expect(await found("events.events.k8s.io")).toBe("events.v1.events.k8s.io");
  expect(await found("ingress.networking")).toBe("ingresses.v1.networking.k8s.io");
  expect(await found("events.ev")).toBe("events.v1.events.k8s.io");
  expect(await found("pods.")).toBe("pods.v1.");
  expect(await found("deployments.extensions")).toBeUndefined();
  expect(
    (await mapper.byKind("autoscaling", "HorizontalPodAutoscaler")).map(({ version }) => version),
  ).toEqual(["v2", "v1"]);
  expect(await mapper.byKind("", "Deployment")).toEqual([]);
  expect(await mapper.groupVersions("autoscaling")).toEqual(["v2", "v1"]);
  expect(await mapper.groupVersions("")).toEqual(["v1"]);
  expect(await mapper.groupVersions("nope")).toEqual([]);
  expect(await mapper.byResource("deploy")).toEqual({
    group: "apps",
    version: "v1",
    resource: "deployments",
    singular: "deployment",
    kind: "Deployment",
    namespaced: true,
    verbs: ["get", "list"],
    hasScale: true,
    shortNames: ["deploy"],
  });
  expect(await mapper.byResource("nodes")).toMatchObject({ namespaced: false, hasScale: false });
});

test("discovery is read once for many lookups, and again when it is old", async () => {
  const clock = manualClock(0);
  const client = aggregated(named);
  const mapper = createRestMapper({ client, clock, maxAgeMs: 60_000 });
  await Promise.all([
    mapper.byResource("pods"),
    mapper.byKind("apps", "Deployment"),
    mapper.groupVersions("apps"),
  ]);
  expect(client.requests.map(({ path }) => path)).toEqual(["/api", "/apis"]);
  expect(client.requests[0]?.accept).toContain("apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
  await clock.advance(59_000);
  await mapper.byResource("pods");
  expect(client.requests).toHaveLength(2);
  await clock.advance(1000);
  await mapper.byResource("pods");
  await clock.advance(0);
  expect(client.requests).toHaveLength(4);
  await mapper.refresh();
  expect(client.requests).toHaveLength(6);
});

test("a kind that is installed later is found, and asking for unknown ones costs one look in ten seconds", async () => {
  const clock = manualClock(0);
  const extra: unknown[] = [];
  const client = aggregated(() => named(...extra));
  const mapper = createRestMapper({ client, clock });
  expect(await mapper.byKind("example.com", "Rocket")).toEqual([]);
  extra.push({
    metadata: { name: "example.com" },
    versions: [{ version: "v1alpha1", resources: [resource("rockets", "Rocket")] }],
  });
  for (let i = 0; i < 100; i += 1) expect(await mapper.byKind("example.com", "Rocket")).toEqual([]);
  expect(client.requests).toHaveLength(2);
  await clock.advance(10_000);
  expect(await mapper.byKind("example.com", "Rocket")).toMatchObject([
    { resource: "rockets", version: "v1alpha1" },
  ]);
  expect(client.requests).toHaveLength(4);
});

test("a server without aggregated discovery is read group by group; what fails is skipped and reported", async () => {
  const errors: string[] = [];
  let isBroken = true;
  const answers: Record<string, unknown> = {
    "/api": { kind: "APIVersions", versions: ["v1"] },
    "/apis": {
      kind: "APIGroupList",
      groups: [
        {
          name: "autoscaling",
          versions: [{ version: "v1" }, { version: "v2" }],
          preferredVersion: { version: "v2" },
        },
        { name: "custom.metrics.k8s.io", versions: [{ version: "v1beta2" }] },
      ],
    },
    "/api/v1": {
      resources: [
        {
          name: "pods",
          singularName: "pod",
          namespaced: true,
          kind: "Pod",
          verbs: ["get"],
          shortNames: ["po"],
        },
        { name: "replicationcontrollers", singularName: "", namespaced: true, kind: "ReplicationController" },
        { name: "replicationcontrollers/scale", namespaced: true, kind: "Scale" },
      ],
    },
    "/apis/autoscaling/v1": {
      resources: [{ name: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" }],
    },
    "/apis/autoscaling/v2": {
      resources: [{ name: "horizontalpodautoscalers", kind: "HorizontalPodAutoscaler" }],
    },
    "/apis/custom.metrics.k8s.io/v1beta2": { resources: null },
  };
  const client = fakeClient(({ path }) => {
    if (isBroken && path === "/apis/custom.metrics.k8s.io/v1beta2") throw apiError(503, "ServiceUnavailable");
    return answers[path];
  });
  const mapper = createRestMapper({ client, onError: (error) => errors.push(String(error)) });
  expect(await mapper.byResource("replicationcontroller")).toMatchObject({
    hasScale: true,
    kind: "ReplicationController",
  });
  expect(await mapper.byResource("pod")).toMatchObject({ hasScale: false });
  expect(await mapper.groupVersions("autoscaling")).toEqual(["v2", "v1"]);
  expect(await mapper.groupVersions("custom.metrics.k8s.io")).toEqual(["v1beta2"]);
  expect(errors).toEqual(["Error: discovery of custom.metrics.k8s.io/v1beta2: 503 ServiceUnavailable"]);
  isBroken = false;
  await mapper.refresh();
  expect(errors).toHaveLength(1);
});

test("what is known serves on when discovery fails later; without any knowledge the error is the caller's", async () => {
  const clock = manualClock(0);
  const errors: unknown[] = [];
  let isDown = true;
  const client = aggregated(() => {
    if (isDown) throw apiError(500);
    return named();
  });
  const mapper = createRestMapper({ client, clock, maxAgeMs: 1000, onError: (error) => errors.push(error) });
  await expect(mapper.byResource("pods")).rejects.toThrow("500");
  isDown = false;
  expect(await mapper.byResource("pods")).toBeDefined();
  isDown = true;
  await clock.advance(60_000);
  expect(await mapper.byResource("pods")).toBeDefined();
  await until("the failure is reported", () => errors.length === 1);
  expect(mapper.problem()).toBe("discovery has failed since 1970-01-01T00:01:00.000Z: 500");
  isDown = false;
  await clock.advance(10_000);
  await mapper.byResource("pods");
  await until("discovery is read again", () => mapper.problem() === undefined);
});

test("a server that never responds delays no lookup of a known resource", async () => {
  const clock = manualClock(0);
  const answers: (() => void)[] = [];
  let isSilent = false;
  const client = fakeClient(async ({ path }) => {
    if (isSilent) await new Promise<void>((resolve) => answers.push(resolve));
    return path === "/api" ? core : named();
  });
  const mapper = createRestMapper({ client, clock, maxAgeMs: 600_000 });
  await mapper.byResource("pods");
  isSilent = true;
  await clock.advance(600_000);
  for (let minute = 0; minute < 10; minute += 1) {
    expect(await mapper.byResource("pods")).toBeDefined();
    expect(await mapper.byKind("apps", "Deployment")).toHaveLength(1);
    await clock.advance(60_000);
  }
  expect(client.requests).toHaveLength(3);

  const unknown = mapper.byResource("rockets");
  await clock.advance(3000);
  expect(await unknown).toBeUndefined();
  isSilent = false;
  for (const answer of answers) answer();
  await until("discovery was read", () => client.requests.length === 4);
});

test("without any discovery a lookup waits for a while, and the next one uses the late response", async () => {
  const clock = manualClock(0);
  let answer = (): void => undefined;
  const client = fakeClient(async ({ path }) => {
    if (path === "/api") await new Promise<void>((resolve) => (answer = resolve));
    return path === "/api" ? core : named();
  });
  const mapper = createRestMapper({ client, clock });
  const early = Promise.resolve(mapper.byResource("pods")).catch(String);
  await clock.advance(3000);
  expect(await early).toContain("discovery: no response within 3000 ms");
  await expect(mapper.byResource("pods")).rejects.toThrow("no response within");
  answer();
  await until("discovery was read", () => client.requests.length === 2);
  expect(await mapper.byResource("pods")).toBeDefined();
  expect(client.requests).toHaveLength(2);
});
