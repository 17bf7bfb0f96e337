import { type AddressInfo, createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, expect, test } from "vitest";
import {
  createNodeFetch,
  createPrometheusClient,
  type PrometheusClient,
  type PrometheusClientOptions,
  PrometheusError,
} from "../src/index.ts";
import {
  type FakeHandler,
  type FakePrometheus,
  failure,
  startFakePrometheus,
  success,
  vector,
} from "../src/testing.ts";

const closers: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function start(
  handler: FakeHandler,
  options: Partial<PrometheusClientOptions> = {},
): Promise<{ fake: FakePrometheus; client: PrometheusClient }> {
  const fake = await startFakePrometheus(handler);
  const client = createPrometheusClient({ url: fake.url, ...options });
  closers.push(
    () => fake.close(),
    () => client.close(),
  );
  return { fake, client };
}

async function errorOf(promise: Promise<unknown>): Promise<PrometheusError> {
  const error: unknown = await promise.then(
    () => new Error("no error"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof PrometheusError)) throw error;
  return error;
}

test("decodes a vector with every kind of number", async () => {
  const values = ["1.5", "NaN", "+Inf", "-Inf", "1e3", "-0", "1e-320"];
  const { client } = await start(() =>
    vector(values.map((value, at) => ({ labels: { n: String(at) }, value }))),
  );
  const result = await client.query("x");
  expect(result.type === "vector" && result.samples.map((sample) => sample.value)).toEqual([
    1.5,
    Number.NaN,
    Infinity,
    -Infinity,
    1000,
    -0,
    1e-320,
  ]);
  expect(result.type === "vector" && result.samples[0]).toEqual({
    labels: { n: "0" },
    atMs: 1_700_000_000_000,
    value: 1.5,
  });
});

test("decodes scalar, string and matrix, warnings and infos", async () => {
  const { fake, client } = await start(() =>
    success({ resultType: "scalar", result: [1.5, "2"] }, { warnings: ["w"], infos: ["i"] }),
  );
  expect(await client.query("a")).toEqual({
    type: "scalar",
    atMs: 1500,
    value: 2,
    warnings: ["w"],
    infos: ["i"],
  });
  fake.handle(() => success({ resultType: "string", result: [1, "text"] }));
  expect(await client.query("b")).toMatchObject({ type: "string", text: "text" });
  fake.handle(() =>
    success({
      resultType: "matrix",
      result: [
        {
          metric: { a: "b" },
          values: [
            [1, "2"],
            [3.25, "NaN"],
          ],
        },
      ],
    }),
  );
  expect(await client.queryRange("c", { startMs: 0, endMs: 1, stepMs: 1 })).toMatchObject({
    type: "matrix",
    series: [
      {
        labels: { a: "b" },
        points: [
          [1000, 2],
          [3250, Number.NaN],
        ],
      },
    ],
  });
});

test("a response that says it is partial comes with a warning", async () => {
  const data = { resultType: "vector", result: [] };
  const { client } = await start(() => ({
    body: JSON.stringify({ status: "success", isPartial: true, data }),
  }));
  expect((await client.query("a")).warnings).toEqual(["the response is partial"]);
});

test("labels named like object members are data, not members", async () => {
  const body =
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__proto__":"p","constructor":"c"},"value":[1,"1"]}]}}';
  const { client } = await start(() => ({ body }));
  const result = await client.query("x");
  expect(result.type === "vector" && Object.entries(result.samples[0]?.labels ?? {})).toEqual([
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
  expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
});

test("sends a real timeout, the time only when requested, and keeps the base's path and parameters", async () => {
  const { fake, client } = await start(() => vector([]));
  await client.query("up", { timeoutMs: 1_500 });
  await client.query("up", { atMs: 1_234_567 });
  const prefixed = createPrometheusClient({
    url: `${fake.url}/prefix/?tenant=a`,
    headers: { "X-Scope": "s" },
  });
  closers.push(() => prefixed.close());
  await prefixed.query("up");
  const [first, second, third] = fake.requests;
  expect([first?.path, first?.parameters.get("timeout"), first?.parameters.get("time")]).toEqual([
    "/api/v1/query",
    "1500ms",
    null,
  ]);
  expect(second?.parameters.get("time")).toBe("1234.567");
  expect([third?.path, third?.parameters.get("tenant"), third?.headers["x-scope"]]).toEqual([
    "/prefix/api/v1/query",
    "a",
    "s",
  ]);
});

test("GET for short queries, POST for long ones and on request", async () => {
  const { fake, client } = await start(() => vector([]));
  const long = `up{a=~"${"x|".repeat(3_000)}"}`;
  await client.query("up");
  await client.query(long);
  const poster = createPrometheusClient({ url: fake.url, verb: "POST" });
  closers.push(() => poster.close());
  await poster.query("up");
  expect(fake.requests.map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
  expect(fake.requests[1]?.parameters.get("query")).toBe(long);
});

test("reads the token each time, and takes user and password from the address", async () => {
  let token = "one";
  const { fake, client } = await start(() => vector([]), { bearerToken: () => token });
  await client.query("a");
  token = "two";
  await client.query("b");
  const basic = createPrometheusClient({ url: fake.url.replace("//", "//user:p%40ss@") });
  closers.push(() => basic.close());
  await basic.query("c");
  expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer one",
    "Bearer two",
    `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
  ]);
});

test("series, label names and label values", async () => {
  const { fake, client } = await start(({ path }) =>
    path === "/api/v1/series" ? success([{ __name__: "a" }]) : success(["b"]),
  );
  const range = { startMs: 1_000, endMs: 2_500 };
  expect(await client.series(["x", "y"], range)).toEqual([{ __name__: "a" }]);
  expect(await client.labelNames(["x"], range)).toEqual(["b"]);
  expect(await client.labelValues("__name__", ["x"], range)).toEqual(["b"]);
  expect(fake.requests.map(({ path }) => path)).toEqual([
    "/api/v1/series",
    "/api/v1/labels",
    "/api/v1/label/__name__/values",
  ]);
  expect([...(fake.requests[0]?.parameters ?? [])]).toEqual([
    ["match[]", "x"],
    ["match[]", "y"],
    ["start", "1.000"],
    ["end", "2.500"],
  ]);
});

test("identical queries in flight are one request", async () => {
  let answer: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { fake, client } = await start(async () => {
    await gate;
    return vector([]);
  });
  const all = [client.query("up"), client.query("up"), client.query("down")];
  await expect.poll(() => fake.requests.length).toBe(2);
  answer();
  await Promise.all(all);
  expect(fake.requests).toHaveLength(2);
});

test("connections are kept alive", async () => {
  const { fake, client } = await start(() => vector([]));
  for (let i = 0; i < 5; i += 1) await client.query(`q${i}`);
  expect(fake.connections).toBe(1);
});

test.each([
  [400, failure(400, "bad_data", "parse error"), "bad_data", /parse error/],
  [422, failure(422, "execution", "too many samples"), "execution", /too many samples/],
  [503, failure(503, "timeout", "query timed out"), "timeout", /timed out/],
  [500, failure(500, "internal", "oops"), "server_error", /oops/],
  [502, { status: 502, body: "<html>bad gateway</html>" }, "server_error", /bad gateway/],
  [401, { status: 401, body: "no" }, "unauthorized", /401/],
  [404, { status: 404, body: "404 page not found" }, "bad_response", /404/],
  [414, { status: 414, body: "" }, "bad_data", /414/],
] as const)("HTTP %i", async (_status, reply, kind, message) => {
  const { client } = await start(() => reply);
  const error = await errorOf(client.query("up"));
  expect(error.kind).toBe(kind);
  expect(error.message).toMatch(message);
});

test.each([
  ["2", 2_000],
  ["soon", undefined],
])("429 with Retry-After %s", async (header, expected) => {
  const { client } = await start(() => ({ status: 429, headers: { "retry-after": header }, body: "" }));
  expect(await errorOf(client.query("up"))).toMatchObject({ kind: "rate_limited", retryAfterMs: expected });
});

test.each([
  ["HTML", "<html>login</html>"],
  ["cut JSON", '{"status":"success","data":{"resultType":"vec'],
  ["an array", "[]"],
  ["an error with 200", '{"status":"error","errorType":"x","error":"y"}'],
  ["no data", '{"status":"success"}'],
  ["another result type", '{"status":"success","data":{"resultType":"table","result":[]}}'],
  ["null result", '{"status":"success","data":{"resultType":"vector","result":null}}'],
  [
    "a number as value",
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,2]}]}}',
  ],
  [
    "a number as label",
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"a":1},"value":[1,"2"]}]}}',
  ],
  [
    "an empty value",
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,""]}]}}',
  ],
  [
    "a hex value",
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{},"value":[1,"0x10"]}]}}',
  ],
])("200 with %s is not a response", async (_name, body) => {
  const { client } = await start(() => ({ body }));
  expect((await errorOf(client.query("up"))).kind).toBe("bad_response");
});

test("a redirect is not followed", async () => {
  const { fake, client } = await start(
    ({ path }) =>
      path === "/elsewhere" ? vector([]) : { status: 302, headers: { location: "/elsewhere" }, body: "" },
    { bearerToken: () => "secret" },
  );
  const error = await errorOf(client.query("up"));
  expect([error.kind, error.message]).toEqual([
    "bad_response",
    "HTTP 302: a redirect to /elsewhere is not followed",
  ]);
  expect(fake.requests).toHaveLength(1);
});

test("gzip is understood, and a broken one refused", async () => {
  const good = gzipSync('{"status":"success","data":["a"]}');
  const { fake, client } = await start(() => ({ headers: { "content-encoding": "gzip" }, body: good }));
  expect(await client.labelNames([], { startMs: 0 })).toEqual(["a"]);
  fake.handle(() => ({ headers: { "content-encoding": "gzip" }, body: "this is not gzip at all" }));
  expect((await errorOf(client.query("up"))).kind).toBe("bad_response");
});

test("a gzip bomb is dropped at the limit of decoded bytes", async () => {
  const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, 0x20));
  const { client } = await start(() => ({ headers: { "content-encoding": "gzip" }, body: bomb }), {
    maxResponseBytes: 100_000,
  });
  expect((await errorOf(client.query("up"))).kind).toBe("too_large");
});

test("a response without end is dropped at the limit, and its socket closed", async () => {
  const { client, fake } = await start(
    () => (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const chunk = Buffer.alloc(16_384, 0x20);
      const more = (): void => {
        while (!response.destroyed && response.write(chunk)) continue;
      };
      response.on("drain", more);
      more();
    },
    { maxResponseBytes: 1_000_000 },
  );
  expect((await errorOf(client.query("up"))).kind).toBe("too_large");
  await expect.poll(() => fake.openSockets()).toBe(0);
});

test("no server listening", async () => {
  const fake = await startFakePrometheus(() => vector([]));
  await fake.close();
  const client = createPrometheusClient({ url: fake.url });
  closers.push(() => client.close());
  const error = await errorOf(client.query("up"));
  expect(error.kind).toBe("unreachable");
  expect(error.message).toMatch(/ECONNREFUSED/);
});

test("a name that does not resolve", async () => {
  const client = createPrometheusClient({ url: "http://no-such-host.invalid:9090" });
  closers.push(() => client.close());
  expect((await errorOf(client.query("up"))).kind).toBe("unreachable");
});

test("a connection that is never completed is given up on", async () => {
  // Accepts, and then says nothing: the TLS handshake never comes to its end.
  const silent = createServer();
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const network = createNodeFetch({ connectTimeoutMs: 50 });
  closers.push(
    async () => network.close(),
    async () => void silent.close(),
  );
  const client = createPrometheusClient({ url: `https://127.0.0.1:${port}`, fetch: network.fetch });
  const error = await errorOf(client.query("up"));
  expect([error.kind, error.message]).toEqual(["unreachable", "no connection within 50 ms"]);
});

test("no response: the deadline ends it and the socket is closed", async () => {
  const { fake, client } = await start(() => () => undefined, { timeoutMs: 50 });
  for (let i = 0; i < 20; i += 1) expect((await errorOf(client.query(`q${i}`))).kind).toBe("timeout");
  await expect.poll(() => fake.openSockets()).toBe(0);
});

test("a response that trickles: the deadline is for all of it", async () => {
  const { fake, client } = await start(
    () => (response) => {
      response.writeHead(200, { "content-type": "application/json" });
      const timer = setInterval(() => response.write(" "), 10);
      response.on("close", () => clearInterval(timer));
    },
    { timeoutMs: 120 },
  );
  expect((await errorOf(client.query("up"))).kind).toBe("timeout");
  await expect.poll(() => fake.openSockets()).toBe(0);
});

test.each([
  ["a fixed length", { "content-length": "100000" }],
  ["chunks", {}],
])("a connection that breaks within a body of %s", async (_name, headers) => {
  const { client } = await start(() => (response) => {
    response.writeHead(200, { "content-type": "application/json", ...headers });
    response.write('{"status":"success","data":{"resultType":"vector","result":[]}}', () =>
      response.socket?.destroy(),
    );
  });
  expect((await errorOf(client.query("up"))).kind).toBe("unreachable");
});

test("a connection that is reset before a response is tried once more", async () => {
  let seen = 0;
  const { client, fake } = await start(() => {
    seen += 1;
    return seen === 1 ? (response) => response.socket?.resetAndDestroy() : vector([]);
  });
  expect((await client.query("up")).type).toBe("vector");
  fake.handle(() => (response) => response.socket?.resetAndDestroy());
  expect((await errorOf(client.query("other"))).kind).toBe("unreachable");
});

test("the caller's abort is the caller's own error, and frees the socket", async () => {
  const { fake, client } = await start(() => () => undefined);
  const controller = new AbortController();
  const pending = client.query("up", { signal: controller.signal });
  await expect.poll(() => fake.requests.length).toBe(1);
  controller.abort(new Error("caller left"));
  await expect(pending).rejects.toThrow("caller left");
  await expect.poll(() => fake.openSockets()).toBe(0);
});

test("refuses an address that is no http URL", () => {
  expect(() => createPrometheusClient({ url: "ftp://x" })).toThrow(/http or https/);
  expect(() => createPrometheusClient({ url: "nonsense" })).toThrow(TypeError);
});
