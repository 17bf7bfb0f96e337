import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { pathOf } from "../../src/backend/federated-request.ts";
import { customList, externalAdapter, externalList, sendJson, startBackend } from "../fake/backend-server.ts";
import { entry, startFederation, summary } from "../fake/start-federation.ts";

const all = ', match: {metrics: ["*"]}';
const metric = "external.metrics.k8s.io/v1beta1/namespaces/shop/queue";

test("an answer is handed on byte for byte, whatever its spacing and its order", async () => {
  const body = `  {"kind" : "ExternalMetricValueList",\n"items":[ {"metricName":"Queue","value":"1e3","extra":"\\u00fc"} ], "x": 1.50}\n\n`;
  const backend = await startBackend((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json; charset=utf-8", "Set-Cookie": "a=b" });
    response.end(body);
  });
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  expect(await get(metric)).toEqual({
    ok: true,
    code: 200,
    contentType: "application/json; charset=utf-8",
    retryAfter: undefined,
    body: Buffer.from(body),
  });
});

test.each([
  [404, '{"kind":"Status","code":404}', "application/json"],
  [403, '{"kind":"Status","code":403}', "application/json"],
  [500, '{"kind":"Status","code":500}', "application/json"],
  [429, "Too many requests\n", "text/plain; charset=utf-8"],
])("an error of the backend is handed on with its code: %i", async (code, body, contentType) => {
  const backend = await startBackend((_request, response) => {
    response.writeHead(code, { "Content-Type": contentType, "Retry-After": "7" });
    response.end(body);
  });
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  expect(await get(metric)).toEqual({
    ok: true,
    code,
    contentType,
    retryAfter: code === 429 ? "7" : undefined,
    body: Buffer.from(body),
  });
});

test("the backend sees our token and nothing of the caller", async () => {
  const backend = await startBackend(externalAdapter());
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  await get(`${metric}?labelSelector=${encodeURIComponent("a=b,c in (d,e)")}&timeout=5s`, {
    auditId: "audit-1",
  });
  const request = backend.requests.find(({ path }) => path.includes("namespaces"));
  expect(request?.path).toBe(`/apis/${metric}?labelSelector=a%3Db%2Cc+in+%28d%2Ce%29&timeout=5s`);
  expect(request?.headers).toEqual({
    host: `127.0.0.1:${backend.port}`,
    accept: "application/json",
    "accept-encoding": "identity",
    authorization: "Bearer secret-1",
    "user-agent": "plimsoll-test/1",
    "plimsoll-federation-hop": "1",
    "audit-id": "audit-1",
    connection: "keep-alive",
  });
});

test("a part of the path that has a slash or a question mark stays one part", async () => {
  const backend = await startBackend(externalAdapter());
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  await get("external.metrics.k8s.io/v1beta1/namespaces/shop/a%2F..%2Fb%3Fc%23d");
  expect(backend.requests.find(({ path }) => path.includes("namespaces"))?.path).toBe(
    "/apis/external.metrics.k8s.io/v1beta1/namespaces/shop/a%2F..%2Fb%3Fc%23d",
  );
});

test.each(["v1beta1%252Fnamespaces%252Fkube-system%252Fqueue%3Fx=", "v1beta1%3Fx=", "v1%20beta1", "v1beta2"])(
  "a version that the group does not have is of no backend: %s",
  async (version) => {
    const backend = await startBackend(externalAdapter());
    const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
    expect(await get(`external.metrics.k8s.io/${version}/namespaces/shop/queue`)).toBe("none");
  },
);

test("a version stays one part of the path", () => {
  const signal = new AbortController().signal;
  const request = { group: "external.metrics.k8s.io", segments: ["namespaces", "a", "b"], signal } as const;
  const more = { version: "v1%2F..?x=#", query: new URLSearchParams(), isHandedOn: false };
  expect(pathOf({ ...request, ...more })).toBe(
    "/apis/external.metrics.k8s.io/v1%252F..%3Fx%3D%23/namespaces/a/b",
  );
});

test("a request that was handed on once is not handed on again", async () => {
  const backend = await startBackend(externalAdapter());
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  await until("its list was read", () => backend.requests.length > 0);
  expect(summary(await get(metric, { isHandedOn: true }))).toBe(
    "loop: backend keda: the request was already forwarded once (plimsoll-federation-hop): a backend points back to a federating adapter",
  );
  expect(backend.requests.filter(({ path }) => path.includes("namespaces"))).toEqual([]);
});

test.each([
  [
    "a pod of another namespace",
    "namespaces/shop/pods/*/rate",
    customList("shop/a", "other/b"),
    "another namespace",
  ],
  [
    "a node in place of a pod",
    "namespaces/shop/pods/a/rate",
    {
      kind: "MetricValueList",
      items: [{ describedObject: { kind: "Node", name: "a" }, metricName: "rate" }],
    },
    "another kind than requested",
  ],
  ["another pod", "namespaces/shop/pods/a/rate", customList("shop/b"), "another object than requested"],
  [
    "no list",
    "namespaces/shop/pods/a/rate",
    { kind: "PodList", items: [] },
    "its response is not of kind MetricValueList",
  ],
  ["another metric", "namespaces/shop/pods/a/lag", customList("shop/a"), "another metric than requested"],
  [
    "another metric in v1beta2",
    "namespaces/shop/pods/a/lag",
    { kind: "MetricValueList", items: [{ metric: { name: "rate" } }] },
    "another metric than requested",
  ],
])("an answer with %s is refused", async (_what, path, document, problem) => {
  const backend = await startBackend((_request, response) => sendJson(response, document));
  const { get } = await startFederation(entry("cloud", backend.url, all), { clock: systemClock });
  const result = summary(await get(`custom.metrics.k8s.io/v1beta1/${path}`));
  expect(result).toMatch(/^refused: backend cloud: its response/);
  expect(result).toContain(problem);
});

test("objects of the namespace that was requested, and those that say none, are handed on", async () => {
  const backend = await startBackend((_request, response) => sendJson(response, customList("shop/a", "/b")));
  const { get } = await startFederation(entry("cloud", backend.url, all), { clock: systemClock });
  const result = await get("custom.metrics.k8s.io/v1beta1/namespaces/shop/pods/*/rate");
  expect(summary(result)).toBe(`200 ${JSON.stringify(customList("shop/a", "/b"))}`);
});

test("a new token and a new CA are used without a restart, and requests in flight end well", async () => {
  const clock = manualClock(1_000_000);
  const other = await generateServingCertificate(["127.0.0.1"], Date.now());
  let release = (): void => {};
  const first = await startBackend((_request, response) => {
    release = () => sendJson(response, externalList("queue", "1"));
  });
  const { get, files, log } = await startFederation(entry("keda", first.url, `${all}, timeout : 60s`), {
    clock,
  });
  const running = get(metric);
  await until("it is in flight", () => first.requests.some(({ path }) => path.includes("namespaces")));
  const answer = release;
  files.set("/token", "secret-2");
  files.set("/ca", other.caPem);
  await clock.advance(10_000);
  answer();
  expect(summary(await running)).toContain("200 ");
  expect(summary(await get(metric))).toMatch(/^unreachable: backend keda: .*certificate/);

  await first.close();
  const second = await startBackend(externalAdapter(), { cert: other.certPem, key: other.keyPem });
  const again = await startFederation(entry("keda", second.url, all), { clock });
  again.files.set("/ca", other.caPem);
  again.files.set("/token", "secret-3");
  await clock.advance(10_000);
  expect(summary(await again.get(metric))).toContain("200 ");
  expect(second.requests.findLast(({ path }) => path.includes("namespaces"))?.headers["authorization"]).toBe(
    "Bearer secret-3",
  );

  again.files.set("/token", " ");
  await clock.advance(10_000);
  expect(summary(await again.get(metric))).toContain("200 ");
  expect(JSON.stringify([...log, ...(again.log ?? [])])).not.toContain("secret-");
});

test("a token that is refused is read again at once, and the request sent once more", async () => {
  const clock = manualClock(1_000_000);
  const tokens: unknown[] = [];
  let wanted = "secret-2";
  const backend = await startBackend((request, response) => {
    const isMetric = request.url?.includes("namespaces") === true;
    if (isMetric) tokens.push(request.headers.authorization);
    if (isMetric && request.headers.authorization !== `Bearer ${wanted}`) sendJson(response, {}, 401);
    else externalAdapter()(request, response);
  });
  const { get, files } = await startFederation(entry("keda", backend.url, all), { clock });
  files.set("/token", "secret-2");
  expect(summary(await get(metric))).toContain("200 ");
  expect(tokens).toEqual(["Bearer secret-1", "Bearer secret-2"]);
  tokens.length = 0;
  wanted = "secret-3";
  await clock.advance(1_000);
  expect(summary(await get(metric))).toMatch(/^refused: backend keda: it returned 401: .* API server/);
  expect(tokens).toEqual(["Bearer secret-2"]);
});

test("a CA that cannot be read is not taken into use", async () => {
  const clock = manualClock(1_000_000);
  const broken = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n";
  const backend = await startBackend(externalAdapter());
  const { get, files, log } = await startFederation(entry("keda", backend.url, all), { clock });
  const good = files.get("/ca") ?? "";
  for (const ca of [broken, `${good}${broken}`, good.slice(0, -40)]) {
    files.set("/ca", ca);
    await clock.advance(10_000);
    expect(log.map(({ message }) => message)).toContain("cannot use a backend's files; keeping the old ones");
    log.length = 0;
    expect(summary(await get(metric))).toContain("200 ");
  }
});

test("a file that is missing at the start is named, with its backend", async () => {
  await expect(
    startFederation(
      "- {name: keda, url: 'https://127.0.0.1:1', tokenFile: /none, groups: [custom.metrics.k8s.io]}",
      {
        clock: systemClock,
      },
    ),
  ).rejects.toThrow("backend keda: /none: there is no such file");
});

test("a certificate of another name is refused", async () => {
  const named = await generateServingCertificate(["keda.example"], Date.now());
  const backend = await startBackend(externalAdapter(), { cert: named.certPem, key: named.keyPem });
  const { get, files } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  files.set("/ca", named.caPem);
  expect(summary(await get(metric))).toMatch(/^unreachable: backend keda/);
  expect(backend.requests).toEqual([]);
});

test("a connection that the backend closed while it was idle costs no request", async () => {
  const backend = await startBackend(externalAdapter());
  const { get } = await startFederation(entry("keda", backend.url, all), { clock: systemClock });
  for (let round = 0; round < 20; round += 1) {
    expect(summary(await get(metric))).toContain("200 ");
    for (const socket of backend.sockets) socket.destroy();
  }
});
