// What comes of responses that are none, and of connections that fail.
import { createServer } from "node:net";
import { gzipSync } from "node:zlib";
import { listen } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { createNodeFetch, createPrometheusClient, type FetchLike, type RequestClock } from "../src/index.ts";
import { failure, startFakePrometheus, vector } from "../src/testing.ts";
import { clientOf, errorOf, start } from "./client-rig.ts";

test.each([
  [400, failure(400, "bad_data", "parse error"), "bad_data", /parse error/],
  [422, failure(422, "execution", "too many samples"), "execution", /too many samples/],
  [503, failure(503, "timeout", "query timed out"), "timeout", /timed out/],
  [500, failure(500, "internal", "oops"), "server_error", /oops/],
  [502, { status: 502, body: "<html>bad gateway</html>" }, "server_error", /bad gateway/],
  [401, { status: 401, body: "no" }, "unauthorized", /401/],
  [404, { status: 404, body: "404 page not found" }, "bad_response", /404/],
  [414, { status: 414, body: "" }, "bad_data", /414/],
  [407, { status: 407, body: "Squid" }, "unauthorized", /Squid/],
  [408, { status: 408, body: "slow" }, "timeout", /slow/],
  // Prometheus that ends, Mimir whose frontend is replaced.
  [499, failure(499, "canceled", "context canceled"), "server_error", /context canceled/],
  [503, failure(503, "canceled", "query was canceled"), "server_error", /query was canceled/],
  [422, failure(422, "canceled", "query was canceled"), "server_error", /query was canceled/],
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

test("a redirect to another host is not followed", async () => {
  const location = "http://elsewhere.example/api/v1/query";
  const { fake, client } = await start(() => ({ status: 302, headers: { location }, body: "" }), {
    bearerToken: () => "secret",
  });
  const error = await errorOf(client.query("up"));
  expect([error.kind, error.message]).toEqual([
    "bad_response",
    `HTTP 302: a redirect to ${location} is not followed; use that address if it is correct`,
  ]);
  expect(fake.requests).toHaveLength(1);
});

test.each([
  [301, false],
  [302, false],
  [307, true],
  [308, true],
])("a redirect by %d to the same host is followed for GET; for POST: %s", async (status, isForPost) => {
  const { fake, client } = await start(({ path }) =>
    path.startsWith("/here/")
      ? vector([])
      : { status, headers: { location: `/here${path}?query=up` }, body: "" },
  );
  expect((await client.query("up")).type).toBe("vector");
  expect(fake.requests.map(({ path }) => path)).toEqual(["/api/v1/query", "/here/api/v1/query"]);
  const long = client.query(`up{a="${"x".repeat(5_000)}"}`);
  const failure = await long.then(() => "none", String);
  expect(failure).toMatch(isForPost ? /^none$/ : /is not followed/);
  const posts = fake.requests.slice(2).map(({ method, parameters }) => [method, parameters.has("timeout")]);
  expect(posts).toEqual(Array.from({ length: isForPost ? 2 : 1 }, () => ["POST", true]));
});

test.each([
  ["http://prometheus.example:9090", "https://prometheus.example:9090/here", 2],
  ["http://prometheus.example:9090", "https://prometheus.example/here", 2],
  ["http://prometheus.example", "https://prometheus.example/here", 2],
  ["http://prometheus.example:9090", "https://prometheus.example:8443/here", 1],
  ["http://prometheus.example:9090", "https://other.example/here", 1],
  ["http://prometheus.example:9090", "http://prometheus.example:9091/here", 1],
  ["https://prometheus.example", "http://prometheus.example/here", 1],
])("of %s a redirect to %s makes %d requests", async (url, location, requests) => {
  const sent: string[] = [];
  const fetch: FetchLike = async (to) => {
    sent.push(to);
    return sent.length === 1
      ? { status: 301, headers: { get: (name) => (name === "location" ? location : null) }, body: null }
      : { status: 503, headers: { get: () => null }, body: null };
  };
  await errorOf(clientOf({ url, fetch }).query("up"));
  expect(sent).toHaveLength(requests);
});

test.each([0, -3_600_000, 3_600_000])(
  "all hops of a redirect share one timeout; the wall clock is set by %d ms",
  async (setMs) => {
    const delays: number[] = [];
    let nowMs = 0;
    const clock: RequestClock = {
      nowMs: () => (nowMs === 0 ? 0 : nowMs + setMs),
      steadyMs: () => nowMs,
      after(delayMs) {
        delays.push(delayMs);
        return () => undefined;
      },
    };
    const fetch: FetchLike = async (to) => {
      nowMs += 4_000;
      return { status: 301, headers: { get: (name) => (name === "location" ? to : null) }, body: null };
    };
    await errorOf(
      clientOf({ url: "http://prometheus.example", fetch, clock }).query("up", { timeoutMs: 9_000 }),
    );
    expect(delays).toEqual([9_000, 5_000, 1_000, 1]);
  },
);

test("a redirect that never ends is followed three times", async () => {
  const { fake, client } = await start(({ path }) => ({
    status: 301,
    headers: { location: path },
    body: "",
  }));
  expect((await errorOf(client.query("up"))).kind).toBe("bad_response");
  expect(fake.requests).toHaveLength(4);
});

test("gzip is understood, and a broken one refused", async () => {
  const good = gzipSync('{"status":"success","data":["a"]}');
  const { fake, client } = await start(() => ({ headers: { "content-encoding": "gzip" }, body: good }));
  expect(await client.labelNames([], { startMs: 0 })).toEqual(["a"]);
  fake.handle(() => ({ headers: { "content-encoding": "gzip" }, body: "this is not gzip at all" }));
  expect((await errorOf(client.query("up"))).kind).toBe("bad_response");
});

test("a compressed response that has no end after its data keeps no socket", async () => {
  const data = gzipSync('{"status":"success","data":["a"]}');
  const { fake, client } = await start(() => (response) => {
    response.writeHead(200, { "content-encoding": "gzip" });
    // Zeros may follow the data of gzip.
    response.write(Buffer.concat([data, Buffer.alloc(4)]));
  });
  expect(await client.labelNames([], { startMs: 0 })).toEqual(["a"]);
  await expect.poll(() => fake.openSockets()).toBe(0);
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
  const client = clientOf({ url: fake.url });
  const error = await errorOf(client.query("up"));
  expect(error.kind).toBe("unreachable");
  expect(error.message).toMatch(/ECONNREFUSED/);
});

test("a name that does not resolve", async () => {
  const client = clientOf({ url: "http://no-such-host.invalid:9090" });
  expect((await errorOf(client.query("up"))).kind).toBe("unreachable");
});

test("of an alert of TLS the text is shown that stays the same", async () => {
  const reason =
    "write EPROTO 407D8858317F0000:error:0A00045C:SSL routines:ssl3_read_bytes:tlsv13 alert certificate required:../deps/openssl/rec_layer_s3.c:918:SSL alert number 116:";
  const fetch: FetchLike = () => Promise.reject(new Error(`request to https://x failed, reason: ${reason}`));
  const error = await errorOf(clientOf({ url: "https://x", fetch }).query("up"));
  expect([error.kind, error.message]).toEqual(["unreachable", "TLS: tlsv13 alert certificate required"]);
});

test("a connection that is never completed is given up on", async () => {
  // Accepts, and then says nothing: the TLS handshake never comes to its end.
  const silent = createServer();
  const { port } = await listen(silent);
  const network = createNodeFetch({ connectTimeoutMs: 50 });
  onTestFinished(() => network.close());
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
