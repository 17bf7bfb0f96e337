import { freePort } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { fakeEngine, fakeKube } from "../http/fakes.ts";
import { askAs, createPki, type Harness, type HarnessOptions, startAdapter } from "../http/harness.ts";
import { adapterOf, entry, federate, startBackend } from "./backends.ts";

const external = "external.metrics.k8s.io";
const custom = "custom.metrics.k8s.io";
const list = '{"kind":"ExternalMetricValueList","items":[ {"metricName":"lag","value":"7"}]}';

async function start(options: HarnessOptions): Promise<Harness> {
  const harness = await startAdapter(options);
  onTestFinished(() => harness.adapter.stop());
  return harness;
}

async function withLag(more = "", options: HarnessOptions = {}) {
  const backend = await startBackend(adapterOf(external, ["lag", "queue_depth"], list));
  const harness = await start({
    ...options,
    federation: (seams) => federate(entry("keda", backend.port, external, more), backend.caPem, seams),
  });
  const isListed = async () => (await askAs(harness, `/apis/${external}/v1beta1`)).text.includes("lag");
  await until("the other adapter is listed", isListed);
  const handedOn = () => backend.requests.filter(({ path }) => path.includes("/namespaces/"));
  return { backend, harness, handedOn };
}

test("our own metrics are ours; those of the other adapter are handed on byte for byte", async () => {
  const { harness, handedOn } = await withLag();
  const own = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/queue_depth`);
  expect(own.json().items[0].value).toBe("30");
  const other = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/lag?labelSelector=a%3Db`);
  expect([other.code, other.text, other.headers["content-type"]]).toEqual([200, list, "application/json"]);
  expect(handedOn().map(({ path }) => path)).toEqual([
    `/apis/${external}/v1beta1/namespaces/shop/lag?labelSelector=a%3Db`,
  ]);
});

test("the other adapter sees our service account, and never who asks", async () => {
  const { harness, handedOn } = await withLag();
  await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/lag`, {
    user: "alice",
    groups: ["admins"],
    headers: {
      "X-Remote-Extra-Team": "a",
      "X-Forwarded-For": "10.0.0.1",
      Cookie: "a=b",
      Accept: "application/json",
    },
  });
  const [request] = handedOn();
  expect(Object.keys(request?.headers ?? {}).sort()).toEqual([
    "accept",
    "accept-encoding",
    "audit-id",
    "authorization",
    "connection",
    "host",
    "plimsoll-federation-hop",
    "user-agent",
  ]);
  expect(request?.headers["authorization"]).toBe("Bearer our-own-token");
  expect(JSON.stringify(request?.headers)).not.toContain("alice");
});

test("who may not read the metric is refused before the other adapter is asked", async () => {
  const kube = fakeKube();
  const { harness, handedOn } = await withLag("", { kube });
  kube.onAccessReview = async () => ({ allowed: false, reason: "no rule" });
  const refused = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/lag`, {
    user: "eve",
    groups: ["others"],
  });
  expect(refused.code).toBe(403);
  expect(refused.json().message).toContain('User "eve" cannot list resource "lag"');
  expect(kube.accessReviews.at(-1)?.resourceAttributes).toMatchObject({
    group: external,
    namespace: "shop",
    resource: "lag",
  });
  expect(handedOn()).toEqual([]);
});

test("nothing in the version leads past what was authorized", async () => {
  const { harness, handedOn } = await withLag();
  const version = "v1beta1%252Fnamespaces%252Fkube-system%252Flag%3Fx=";
  expect((await askAs(harness, `/apis/${external}/${version}/namespaces/shop/lag`)).code).toBe(404);
  expect(handedOn()).toEqual([]);
});

test("impersonation and anonymous callers get nothing", async () => {
  const { harness, handedOn } = await withLag();
  const path = `/apis/${external}/v1beta1/namespaces/shop/lag`;
  expect((await askAs(harness, path, { headers: { "Impersonate-User": "root" } })).code).toBe(403);
  expect((await askAs(harness, path, { identity: undefined })).code).toBe(403);
  expect(handedOn()).toEqual([]);
});

test("discovery has both, in both forms, and another adapter that reads ours gets our own alone", async () => {
  const { harness } = await withLag();
  const names = async (headers = {}) => {
    const answer = await askAs(harness, `/apis/${external}/v1beta1`, { headers });
    return answer.json().resources.map(({ name }: { name: string }) => name);
  };
  expect(await names()).toEqual(["lag", "queue_depth"]);
  expect(await names({ "Plimsoll-Federation-Hop": "1" })).toEqual(["queue_depth"]);
  const aggregated = await askAs(harness, "/apis", {
    headers: { Accept: "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" },
  });
  const group = aggregated
    .json()
    .items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === external);
  expect(group.versions[0].resources.map(({ resource }: { resource: string }) => resource)).toEqual([
    "lag",
    "queue_depth",
  ]);
});

test("a group that only another adapter has is served in all its versions", async () => {
  const backend = await startBackend(
    adapterOf(custom, ["pods/rate", "jobs.batch/age"], '{"kind":"MetricValueList","items":[]}'),
  );
  const harness = await start({
    engine: fakeEngine({ custom: false }),
    federation: (seams) => federate(entry("cloud", backend.port, custom), backend.caPem, seams),
  });
  const names = async () =>
    (await askAs(harness, `/apis/${custom}/v1beta2`))
      .json()
      .resources.map(({ name }: { name: string }) => name);
  await until("the other adapter is listed", async () => (await names()).length === 2);
  expect(await names()).toEqual(["jobs.batch/age", "pods/rate"]);
  const answer = await askAs(harness, `/apis/${custom}/v1beta1/namespaces/shop/pods/*/rate`);
  expect([answer.code, answer.text]).toEqual([200, '{"kind":"MetricValueList","items":[]}']);
  expect((await askAs(harness, `/apis/${custom}/v1beta1/namespaces/shop/pods/*/other`)).code).toBe(404);
});

test("a backend that is down is 503 with its name, and makes nothing unready", async () => {
  const gone = await startBackend(() => {});
  const port = await freePort();
  const running = await start({
    federation: (seams) =>
      federate(entry("keda", port, external, ', match: {metrics: ["s0-*"]}'), gone.caPem, seams),
  });
  const answer = await askAs(running, `/apis/${external}/v1beta1/namespaces/shop/s0-rabbit`);
  expect(answer.code).toBe(503);
  expect(answer.json()).toMatchObject({ kind: "Status", reason: "ServiceUnavailable" });
  expect(answer.json().message).toMatch(/^backend keda: .*ECONNREFUSED/);
  expect(answer.headers["retry-after"]).toBeUndefined();
  const unknown = await askAs(running, `/apis/${external}/v1beta1/namespaces/shop/other`);
  expect([unknown.code, unknown.json().message]).toEqual([
    503,
    expect.stringMatching(
      /^the metric other may belong to backend keda \(.*\), whose metrics haven't been listed yet$/,
    ),
  ]);
  await until("readyz names it", async () =>
    (await askAs(running, "/readyz?verbose")).text.includes("[+]backends ok: backends that are down: keda: "),
  );
  expect((await askAs(running, "/readyz")).text).toBe("ok");
  const metrics = await askAs(running, "/metrics");
  expect(metrics.text).toContain(
    'plimsoll_adapter_backend_requests_total{backend="keda",outcome="unreachable"} 1',
  );
});

test("an APIService that leads back to us is a loop, which ends at once with its reason", async () => {
  const port = await freePort();
  const kube = fakeKube();
  kube.onTokenReview = async () => ({ authenticated: true, user: { username: "adapter", groups: [] } });
  const pki = await createPki();
  const harness = await start({
    pki,
    kube,
    flags: [`--secure-port=${port}`],
    federation: (seams) =>
      federate(entry("self", port, external, ', match: {metrics: ["s0-*"]}'), pki.serving.pem, seams),
  });
  const answer = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/s0-rabbit`);
  expect(answer.code).toBe(503);
  expect(answer.json().message).toContain("a backend points back to a federating adapter");
  const names = (await askAs(harness, `/apis/${external}/v1beta1`)).json().resources;
  expect(names.map(({ name }: { name: string }) => name)).toEqual(["queue_depth"]);
});

test("a watch is refused, a YAML caller gets the same bytes, and a table is the list", async () => {
  const { harness } = await withLag();
  const path = `/apis/${external}/v1beta1/namespaces/shop/lag`;
  expect((await askAs(harness, `${path}?watch=true`)).code).toBe(405);
  const yaml = await askAs(harness, path, { headers: { Accept: "application/yaml" } });
  expect([yaml.headers["content-type"], yaml.text]).toEqual(["application/yaml", list]);
  const table = await askAs(harness, path, {
    headers: { Accept: "application/json;as=Table;v=v1;g=meta.k8s.io,application/json" },
  });
  expect([table.headers["content-type"], table.text]).toEqual(["application/json", list]);
});

test("requests that a silent backend keeps take none of the places of our own", async () => {
  const silent = await startBackend((request, response) => {
    if (!(request.url ?? "").includes("namespaces")) response.writeHead(404).end();
  });
  const harness = await start({
    flags: ["--max-requests-inflight=4"],
    federation: (seams) =>
      federate(entry("silent", silent.port, external, ', match: {metrics: ["s0-*"]}'), silent.caPem, seams),
  });
  const waiting = Array.from({ length: 4 }, (_, index) =>
    askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/s0-${index}?timeout=20s`),
  );
  await until(
    "all places for other adapters are taken",
    () => silent.requests.filter(({ path }) => path.includes("namespaces")).length === 4,
  );
  expect((await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/s0-5`)).code).toBe(429);
  const own = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/queue_depth`);
  expect(own.code).toBe(200);
  await silent.close();
  for (const answer of await Promise.all(waiting)) expect(answer.code).toBe(503);
});

test("an error of the other adapter has neither our token nor an address", async () => {
  const address = "dial tcp 10.20.30.40:9090: connect: connection refused";
  const encodings: readonly BufferEncoding[] = ["utf8", "base64", "base64url", "hex"];
  for (const encoding of encodings)
    for (const isStatus of [true, false]) {
      const listing = adapterOf(external, ["lag"], "");
      const backend = await startBackend((request, response) => {
        if (request.url?.includes("/namespaces/") !== true) return listing(request, response);
        const echo = Buffer.from(`x${request.headers.authorization ?? ""}`).toString(encoding);
        const message = `the "server" failed: ${echo}: ${address}, ${request.headers.host ?? ""}`;
        const status = { kind: "Status", message, details: { causes: [{ message }] }, code: 500 };
        response.writeHead(500, { "Content-Type": isStatus ? "application/json" : "text/plain" });
        response.end(isStatus ? JSON.stringify(status) : message);
      });
      const harness = await start({
        federation: (seams) => federate(entry("keda", backend.port, external), backend.caPem, seams),
      });
      const isListed = async () => (await askAs(harness, `/apis/${external}/v1beta1`)).text.includes("lag");
      await until("the other adapter is listed", isListed);
      const { code, text } = await askAs(harness, `/apis/${external}/v1beta1/namespaces/shop/lag`);
      expect(code).toBe(500);
      expect(text).toContain("connect: connection refused");
      const token = Buffer.from("our-own-token");
      for (const hidden of [
        "our-own-token",
        token.toString("base64").slice(0, -3),
        Buffer.from("x Bearer our-own-token").toString("base64").slice(4, -4),
        token.toString("hex"),
        "10.20.30.40",
        "127.0.0.1",
        String(backend.port),
      ])
        expect(text).not.toContain(hidden);
      expect(!isStatus || (JSON.parse(text) as { readonly kind: string }).kind === "Status").toBe(true);
    }
});
