import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { fakeEngine, podValue } from "../http/fakes.ts";
import { askAs, type Harness, startAdapter } from "../http/harness.ts";

let harness: Harness;
beforeAll(async () => {
  harness = await startAdapter();
});
afterAll(async () => {
  await harness.adapter.stop();
});
beforeEach(() => {
  harness.engine.onCustom = fakeEngine().onCustom;
});

const custom = "/apis/custom.metrics.k8s.io";
const external = "/apis/external.metrics.k8s.io/v1beta1";
const metrics = "/apis/metrics.k8s.io/v1beta1";

test("JSON is indented for people and on demand", async () => {
  const path = `${external}/namespaces/ns/queue_depth`;
  const indented = '{\n  "kind": "ExternalMetricValueList",';
  expect((await askAs(harness, `${path}?pretty=true`)).text.startsWith(indented)).toBe(true);
  expect(
    (await askAs(harness, path, { headers: { "User-Agent": "curl/8" } })).text.startsWith(indented),
  ).toBe(true);
  const off = await askAs(harness, `${path}?pretty=false`, { headers: { "User-Agent": "curl/8" } });
  expect(off.text.startsWith('{"kind"')).toBe(true);
});

const tableAccept =
  "application/json;as=Table;v=v1;g=meta.k8s.io,application/json;as=Table;v=v1beta1;g=meta.k8s.io,application/json";

test("kubectl gets a table of each API", async () => {
  const headers = { Accept: tableAccept };
  const pods = (await askAs(harness, `${metrics}/pods`, { headers })).json();
  expect(pods.kind).toBe("Table");
  expect(pods.apiVersion).toBe("meta.k8s.io/v1");
  expect(pods.columnDefinitions.map((column: { name: string }) => column.name)).toEqual([
    "Name",
    "cpu",
    "memory",
    "Window",
  ]);
  expect(pods.rows[0].cells).toEqual(["api-1", "300m", "96Mi", "5m0s"]);
  expect(pods.rows[0].object).toMatchObject({
    kind: "PartialObjectMetadata",
    apiVersion: "meta.k8s.io/v1",
    metadata: { name: "api-1", namespace: "default" },
  });
  const values = (await askAs(harness, `${custom}/v1beta2/namespaces/default/pods/*/m`, { headers })).json();
  expect(values.rows[0].cells).toEqual([
    "router-1",
    "Pod",
    "packets-per-second",
    "1k",
    "2026-01-02T03:04:05Z",
  ]);
  const queue = (await askAs(harness, `${external}/namespaces/default/queue_depth`, { headers })).json();
  expect(queue.rows[0].cells.slice(0, 3)).toEqual(["queue_depth", "30", "__name__=queue_depth,queue=jobs"]);
  const older = { Accept: "application/json;as=Table;v=v1beta1;g=meta.k8s.io" };
  expect((await askAs(harness, `${metrics}/nodes`, { headers: older })).json().apiVersion).toBe(
    "meta.k8s.io/v1beta1",
  );
});

test("the rows of a table carry as much of their objects as includeObject says", async () => {
  const headers = { Accept: tableAccept };
  const rows = async (path: string, include: string): Promise<unknown> => {
    const answer = await askAs(harness, `${path}?includeObject=${include}`, { headers });
    return answer.json().rows[0].object;
  };
  expect(await rows(`${metrics}/pods`, "None")).toBeNull();
  expect(await rows(`${metrics}/pods`, "Metadata")).toMatchObject({ kind: "PartialObjectMetadata" });
  expect(await rows(`${metrics}/pods`, "")).toMatchObject({ kind: "PartialObjectMetadata" });
  expect(await rows(`${metrics}/pods`, "Object")).toMatchObject({
    kind: "PodMetrics",
    apiVersion: "metrics.k8s.io/v1beta1",
    metadata: { name: "api-1" },
    containers: [{ name: "main" }, { name: "sidecar" }],
  });
  expect(await rows(`${metrics}/nodes/n1`, "Object")).toMatchObject({ kind: "NodeMetrics", window: "1m30s" });
  expect(await rows(`${custom}/v1beta2/namespaces/default/pods/*/m`, "Object")).toMatchObject({
    kind: "MetricValue",
    apiVersion: "custom.metrics.k8s.io/v1beta2",
    metric: { name: "packets-per-second" },
  });
  expect(await rows(`${external}/namespaces/default/queue_depth`, "Object")).toMatchObject({
    kind: "ExternalMetricValue",
    value: "30",
  });
  const odd = await askAs(harness, `${metrics}/pods?includeObject=All`, { headers });
  expect([odd.code, odd.json().message]).toEqual([
    400,
    `Unable to convert to Table as requested: includeObject: Invalid value: "All": must be 'Metadata', 'Object', 'None', or empty`,
  ]);
});

test("the metadata of pods and nodes alone, for those who keep only that", async () => {
  const accept = (kind: string): { headers: Record<string, string> } => ({
    headers: { Accept: `application/json;as=${kind};g=meta.k8s.io;v=v1` },
  });
  const list = await askAs(harness, `${metrics}/pods`, accept("PartialObjectMetadataList"));
  expect(list.json()).toEqual({
    kind: "PartialObjectMetadataList",
    apiVersion: "meta.k8s.io/v1",
    metadata: {},
    items: [
      {
        kind: "PartialObjectMetadata",
        apiVersion: "meta.k8s.io/v1",
        metadata: expect.objectContaining({ name: "api-1", namespace: "default", labels: { app: "api" } }),
      },
    ],
  });
  const one = await askAs(harness, `${metrics}/nodes/n1`, accept("PartialObjectMetadata"));
  expect(one.json()).toMatchObject({ kind: "PartialObjectMetadata", metadata: { name: "n1" } });
  const wrong = await askAs(harness, `${metrics}/pods`, accept("PartialObjectMetadata"));
  expect([wrong.code, wrong.json().message]).toEqual([
    406,
    "you requested PartialObjectMetadata, but the requested object is a list (PodMetricsList)",
  ]);
  const values = `${external}/namespaces/ns/queue_depth`;
  expect((await askAs(harness, values, accept("PartialObjectMetadataList"))).code).toBe(406);
});

test("a failure is written in what the caller reads", async () => {
  const yaml = await askAs(harness, `${metrics}/pods?limit=abc`, { headers: { Accept: "application/yaml" } });
  expect([yaml.code, yaml.headers["content-type"]]).toEqual([400, "application/yaml"]);
  expect(yaml.text).toMatch(/^kind: Status\napiVersion: v1\n[^]*\nreason: BadRequest\ncode: 400\n$/);
  const both = { headers: { Accept: "application/json, application/yaml" } };
  expect((await askAs(harness, `${metrics}/pods?limit=abc`, both)).json().kind).toBe("Status");
  expect(yaml.headers["vary"]).toBe("Accept, Accept-Encoding");
});

test.each([
  ["application/vnd.kubernetes.protobuf, */*", 200, "application/json"],
  ["application/vnd.kubernetes.protobuf,application/json", 200, "application/json"],
  ["application/yaml", 200, "application/yaml"],
  ["application/json;q=0.1, application/yaml", 200, "application/yaml"],
  ["application/vnd.kubernetes.protobuf", 406, "application/json"],
  ["text/html", 406, "application/json"],
  ["application/json;as=Unknown;v=v1;g=x", 406, "application/json"],
])("Accept: %s", async (accept, code, contentType) => {
  const answer = await askAs(harness, `${external}/namespaces/ns/queue_depth`, {
    headers: { Accept: accept },
  });
  expect(answer.code).toBe(code);
  expect(answer.headers["content-type"]).toBe(contentType);
  expect(answer.text).toContain(code === 406 ? '"reason":"NotAcceptable"' : "ExternalMetricValueList");
});

test("a long response in YAML is the JSON that YAML takes, for block style would hold up all others", async () => {
  const headers = { Accept: "application/yaml" };
  const path = `${custom}/v1beta1/namespaces/default/pods/*/m`;
  const short = await askAs(harness, path, { headers });
  expect(short.text.startsWith("kind: MetricValueList\n")).toBe(true);
  const many = Array.from({ length: 200 }, (_, index) => podValue(`router-${index}`, "1"));
  harness.engine.onCustom = async () => ({ ok: true, value: many });
  const long = await askAs(harness, `${path}?`, { headers });
  expect(long.headers["content-type"]).toBe("application/yaml");
  expect(long.text.startsWith('{"kind":"MetricValueList"')).toBe(true);
  expect(parseYaml(long.text)).toEqual(long.json());
});

test("large responses are compressed for those who can read it", async () => {
  const many = Array.from({ length: 2000 }, (_, index) => podValue(`router-${index}`, "1"));
  harness.engine.onCustom = async () => ({ ok: true, value: many });
  const path = `${custom}/v1beta1/namespaces/default/pods/*/m`;
  const zipped = await askAs(harness, path, { headers: { "Accept-Encoding": "gzip" } });
  const plain = await askAs(harness, path);
  expect(zipped.headers["content-encoding"]).toBe("gzip");
  expect(plain.headers["content-encoding"]).toBeUndefined();
  expect(Number(zipped.headers["content-length"])).toBeLessThan(Number(plain.headers["content-length"]) / 5);
  expect(plain.json().items).toHaveLength(2000);
});
