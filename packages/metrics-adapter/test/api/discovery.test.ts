import { createHash } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { fakeEngine } from "../http/fakes.ts";
import { askAs, type Harness, startAdapter } from "../http/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});

const aggregated = (version: string): string =>
  `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;

test("the legacy group list names every group with all its versions", async () => {
  const answer = await askAs(harness, "/apis");
  expect(answer.json()).toEqual({
    kind: "APIGroupList",
    apiVersion: "v1",
    groups: [
      {
        name: "custom.metrics.k8s.io",
        versions: [
          { groupVersion: "custom.metrics.k8s.io/v1beta2", version: "v1beta2" },
          { groupVersion: "custom.metrics.k8s.io/v1beta1", version: "v1beta1" },
        ],
        preferredVersion: { groupVersion: "custom.metrics.k8s.io/v1beta2", version: "v1beta2" },
      },
      {
        name: "external.metrics.k8s.io",
        versions: [{ groupVersion: "external.metrics.k8s.io/v1beta1", version: "v1beta1" }],
        preferredVersion: { groupVersion: "external.metrics.k8s.io/v1beta1", version: "v1beta1" },
      },
      {
        name: "metrics.k8s.io",
        versions: [{ groupVersion: "metrics.k8s.io/v1beta1", version: "v1beta1" }],
        preferredVersion: { groupVersion: "metrics.k8s.io/v1beta1", version: "v1beta1" },
      },
    ],
  });
  const group = await askAs(harness, "/apis/metrics.k8s.io/");
  expect(group.json()).toMatchObject({ kind: "APIGroup", apiVersion: "v1", name: "metrics.k8s.io" });
});

test("the resource lists are those of prometheus-adapter, in a stable order", async () => {
  const custom = {
    kind: "APIResourceList",
    apiVersion: "v1",
    groupVersion: "custom.metrics.k8s.io/v1beta1",
    resources: [
      row("ingresses.networking.k8s.io/requests-per-second", "MetricValueList", true),
      row("namespaces/packets-per-second", "MetricValueList", false),
      row("pods/packets-per-second", "MetricValueList", true),
    ],
  };
  expect((await askAs(harness, "/apis/custom.metrics.k8s.io/v1beta1")).json()).toEqual(custom);
  expect((await askAs(harness, "/apis/custom.metrics.k8s.io/v1beta2/")).json()).toEqual({
    ...custom,
    groupVersion: "custom.metrics.k8s.io/v1beta2",
  });
  expect((await askAs(harness, "/apis/external.metrics.k8s.io/v1beta1")).json().resources).toEqual([
    row("queue_depth", "ExternalMetricValueList", true),
  ]);
  expect((await askAs(harness, "/apis/metrics.k8s.io/v1beta1")).json().resources).toEqual([
    row("nodes", "NodeMetrics", false, ["get", "list"]),
    row("pods", "PodMetrics", true, ["get", "list"]),
  ]);
});

function row(name: string, kind: string, namespaced: boolean, verbs = ["get"]): object {
  return { name, singularName: "", namespaced, kind, verbs };
}

test.each(["v2", "v2beta1"])("aggregated discovery %s is complete and tagged", async (version) => {
  const answer = await askAs(harness, "/apis", { headers: { Accept: aggregated(version) } });
  expect(answer.code).toBe(200);
  expect(answer.headers["content-type"]).toBe(aggregated(version));
  expect(answer.headers["vary"]).toBe("Accept, Accept-Encoding");
  expect(answer.headers.etag).toBe(
    `"${createHash("sha256").update(answer.text).digest("hex").toUpperCase()}"`,
  );
  const document = answer.json();
  expect(document).toMatchObject({
    kind: "APIGroupDiscoveryList",
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
  });
  const groups = document.items.map((item: { metadata: { name: string } }) => item.metadata.name);
  expect(groups).toEqual(["custom.metrics.k8s.io", "external.metrics.k8s.io", "metrics.k8s.io"]);
  const [v1beta2, v1beta1] = document.items[0].versions;
  expect([v1beta2.version, v1beta1.version]).toEqual(["v1beta2", "v1beta1"]);
  expect(v1beta2.freshness).toBe("Current");
  expect(v1beta2.resources[2]).toEqual({
    resource: "pods",
    responseKind: { group: "", version: "", kind: "" },
    scope: "Namespaced",
    singularResource: "",
    verbs: [],
    subresources: [
      {
        subresource: "packets-per-second",
        responseKind: { group: "custom.metrics.k8s.io", version: "v1beta2", kind: "MetricValueList" },
        verbs: ["get"],
      },
    ],
  });
  expect(document.items[2].versions[0].resources[0]).toEqual({
    resource: "nodes",
    responseKind: { group: "metrics.k8s.io", version: "v1beta1", kind: "NodeMetrics" },
    scope: "Cluster",
    singularResource: "",
    verbs: ["get", "list"],
  });
});

test("the aggregator's own Accept and ETag work as it expects", async () => {
  const accept = `${aggregated("v2")},${aggregated("v2beta1")},application/json`;
  const first = await askAs(harness, "/apis", { headers: { Accept: accept } });
  expect(first.headers["content-type"]).toBe(aggregated("v2"));
  const headers = { Accept: accept, "If-None-Match": first.headers.etag ?? "" };
  const second = await askAs(harness, "/apis", { headers });
  expect([second.code, second.text]).toEqual([304, ""]);
  const before = harness.engine.customRows;
  harness.engine.customRows = [...before, { groupResource: "nodes", namespaced: false, metric: "load" }];
  const third = await askAs(harness, "/apis", { headers });
  harness.engine.customRows = before;
  expect(third.code).toBe(200);
  expect(third.text).toContain('"load"');
  expect(third.headers.etag).not.toBe(first.headers.etag);
});

test("a resource has one scope, whatever its rows say", async () => {
  const engine = fakeEngine();
  engine.customRows = [
    { groupResource: "brands.cheese.io", namespaced: false, metric: "a" },
    { groupResource: "brands.cheese.io", namespaced: true, metric: "b" },
    { groupResource: "brands.cheese.io", namespaced: false, metric: "c" },
  ];
  const other = await startAdapter({ engine, pki: harness.pki });
  try {
    const { resources } = (await askAs(other, "/apis/custom.metrics.k8s.io/v1beta1")).json();
    expect(resources.map((entry: { namespaced: boolean }) => entry.namespaced)).toEqual([true, true, true]);
  } finally {
    await other.adapter.stop();
  }
});

test("a group without metrics still shows one row, because older clients choke on none", async () => {
  const engine = fakeEngine();
  engine.customRows = [];
  engine.externalRows = [];
  const other = await startAdapter({ engine, pki: harness.pki });
  try {
    const custom = await askAs(other, "/apis/custom.metrics.k8s.io/v1beta1");
    expect(custom.json().resources).toEqual([row("custommetrics", "MetricValueList", true)]);
    const external = await askAs(other, "/apis/external.metrics.k8s.io/v1beta1");
    expect(external.json().resources).toEqual([row("externalmetrics", "ExternalMetricValueList", true)]);
  } finally {
    await other.adapter.stop();
  }
});

interface OpenApiV3 {
  readonly openapi: string;
  readonly paths: Record<string, unknown>;
  readonly components: { readonly schemas: Record<string, Record<string, unknown>> };
}

test("OpenAPI v3: the index leads to a document for each group-version", async () => {
  const { paths } = (await askAs(harness, "/openapi/v3")).json();
  expect(Object.keys(paths)).toEqual([
    "apis/custom.metrics.k8s.io/v1beta1",
    "apis/custom.metrics.k8s.io/v1beta2",
    "apis/external.metrics.k8s.io/v1beta1",
    "apis/metrics.k8s.io/v1beta1",
  ]);
  for (const [name, { serverRelativeURL }] of Object.entries<{ serverRelativeURL: string }>(paths)) {
    const answer = await askAs(harness, serverRelativeURL);
    expect(answer.code).toBe(200);
    expect(serverRelativeURL).toBe(`/openapi/v3/${name}?hash=${answer.headers.etag?.replaceAll('"', "")}`);
    const document: OpenApiV3 = answer.json();
    expect(document.openapi).toBe("3.0.0");
    expect(Object.keys(document.paths).every((path) => path.startsWith(`/${name}/`))).toBe(true);
    for (const reference of references(document)) {
      expect(document.components.schemas).toHaveProperty([reference.replace("#/components/schemas/", "")]);
    }
  }
  const metrics = (await askAs(harness, "/openapi/v3/apis/metrics.k8s.io/v1beta1")).json();
  expect(metrics.components.schemas["io.k8s.metrics.pkg.apis.metrics.v1beta1.PodMetrics"]).toMatchObject({
    "x-kubernetes-group-version-kind": [{ group: "metrics.k8s.io", version: "v1beta1", kind: "PodMetrics" }],
  });
});

test("OpenAPI v2 holds all groups, and every reference in it leads somewhere", async () => {
  const answer = await askAs(harness, "/openapi/v2", { headers: { Accept: "application/json" } });
  const document = answer.json();
  expect(document.swagger).toBe("2.0");
  for (const reference of references(document)) {
    expect(document.definitions).toHaveProperty([reference.replace("#/definitions/", "")]);
  }
  const ids = Object.values<{ get: { operationId: string } }>(document.paths).map(
    (path) => path.get.operationId,
  );
  expect(new Set(ids).size).toBe(ids.length);
  const again = await askAs(harness, "/openapi/v2", {
    headers: { "If-None-Match": answer.headers.etag ?? "" },
  });
  expect(again.code).toBe(304);
});

function references(value: unknown): string[] {
  if (typeof value !== "object" || value === null) {
    return [];
  }
  return Object.entries(value).flatMap(([key, child]) =>
    key === "$ref" && typeof child === "string" ? [child] : references(child),
  );
}

test("the index, the version and the metrics", async () => {
  expect((await askAs(harness, "/")).json().paths).toContain("/apis/custom.metrics.k8s.io/v1beta2");
  expect((await askAs(harness, "/version")).json()).toMatchObject({
    major: "1",
    minor: "0",
    gitVersion: "v1.2.3",
  });
  const metrics = await askAs(harness, "/metrics");
  expect(metrics.headers["content-type"]).toContain("text/plain");
  expect(metrics.text).toMatch(
    /plimsoll_adapter_requests_total\{api="discovery",verb="get",code="200"\} \d+/,
  );
  expect(metrics.text).toContain(
    'plimsoll_adapter_authentications_total{method="front-proxy",outcome="user"}',
  );
  expect(metrics.text).toMatch(/plimsoll_adapter_requests_in_flight\{request_kind="system"\} 1/);
  expect(metrics.text).toMatch(
    /serving_certificate_expiry_timestamp_seconds 1\.\d+e\+?9|expiry_timestamp_seconds \d{10}/,
  );
});

test("a group comes and goes with its rules, in every document", async () => {
  const engine = fakeEngine({ external: false });
  const changing = await startAdapter({ engine });
  const groups = async (): Promise<readonly string[]> =>
    (await askAs(changing, "/apis")).json().groups.map(({ name }: { name: string }) => name);
  const path = "/apis/external.metrics.k8s.io/v1beta1";
  expect(await groups()).not.toContain("external.metrics.k8s.io");
  expect((await askAs(changing, path)).code).toBe(404);
  Object.assign(engine, { external: { list: () => ["queue_depth"], get: engine.onExternal } });
  expect(await groups()).toContain("external.metrics.k8s.io");
  expect((await askAs(changing, path)).json().resources).toMatchObject([{ name: "queue_depth" }]);
  expect((await askAs(changing, `${path}/namespaces/ns/queue_depth`)).code).toBe(200);
  expect((await askAs(changing, "/openapi/v3")).json().paths).toHaveProperty([path.slice(1)]);
  expect((await askAs(changing, "/")).json().paths).toContain(path);
  await changing.adapter.stop();
});
