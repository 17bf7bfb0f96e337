import type { TLSSocket } from "node:tls";
import { gzipSync } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { externalAdapter, sendJson, startBackend, startRawBackend } from "../fake/backend-server.ts";
import { entry, startFederation, summary } from "../fake/start-federation.ts";

const all = ', match: {metrics: ["*"]}';
const metric = "external.metrics.k8s.io/v1beta1/namespaces/shop/queue";

async function resultOf(url: string, more = all): Promise<string> {
  const { get } = await startFederation(entry("evil", url, more), { clock: systemClock });
  return summary(await get(metric));
}

/** Writes as long as it is read. */
function flood(socket: TLSSocket, chunk: string): void {
  const more = (): void => {
    while (!socket.destroyed && socket.write(chunk)) {
      // The buffer has room.
    }
  };
  socket.on("drain", more);
  more();
}

const raw: readonly (readonly [what: string, write: (socket: TLSSocket) => void, result: string])[] = [
  [
    "interim answers without end",
    (socket) => flood(socket, "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"),
    "refused: backend evil: it sent more than 4 interim responses (1xx)",
  ],
  [
    "an upgrade",
    (socket) =>
      socket.write("HTTP/1.1 101 Switching Protocols\r\nUpgrade: tcp\r\nConnection: Upgrade\r\n\r\n"),
    "refused: backend evil: it asked to upgrade the connection",
  ],
  [
    "a header without end",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nX-Long: ");
      flood(socket, "a".repeat(1024));
    },
    "refused: backend evil: its response is not HTTP: Parse Error: Header overflow",
  ],
  [
    "hundreds of headers",
    (socket) =>
      socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n${"A: b\r\n".repeat(300)}Content-Length: 2\r\n\r\n{}`,
      ),
    "refused: backend evil: its response has more than 100 headers",
  ],
  [
    "no HTTP",
    (socket) => socket.write("SSH-2.0-OpenSSH_9.6\r\n"),
    "refused: backend evil: its response is not HTTP: Parse Error: Expected HTTP/, RTSP/ or ICE/",
  ],
  [
    "a body without end",
    (socket) => {
      socket.write("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n");
      flood(socket, `1000\r\n${" ".repeat(4096)}\r\n`);
    },
    "refused: backend evil: its response has more than 2097152 bytes",
  ],
  [
    "an answer that breaks off",
    (socket) =>
      socket.end("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"),
    "refused: backend evil: its response was cut off: aborted",
  ],
  [
    "two lengths",
    (socket) =>
      socket.write(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}",
      ),
    "refused: backend evil: its response is not HTTP: Parse Error: Transfer-Encoding can't be present with Content-Length",
  ],
];

test.each(raw)("%s: no answer is handed on, and the connection is closed", async (_what, write, result) => {
  const backend = await startRawBackend(write);
  expect(await resultOf(backend.url)).toBe(result);
  await until("the connection is closed", () => backend.sockets.size === 0);
});

test.each([
  [
    200,
    { "Content-Type": "text/html" },
    "<html>login</html>",
    'its response (200) is "text/html" and not JSON',
  ],
  [
    502,
    { "Content-Type": "text/html" },
    "<html>bad gateway</html>",
    'its response (502) is "text/html" and not JSON',
  ],
  [200, {}, "{}", 'its response (200) is "" and not JSON'],
  [200, { "Content-Type": "text/plain" }, "ok", 'its response (200) is "text/plain" and not JSON'],
  [
    200,
    { "Content-Type": "application/json" },
    "not json",
    "its response is not of kind ExternalMetricValueList",
  ],
  [204, { "Content-Type": "application/json" }, "", "it returned 204"],
  [304, {}, "", "it returned 304: redirects are not followed"],
  [
    401,
    { "Content-Type": "application/json" },
    "{}",
    "it returned 401: it rejects the adapter's token, or can't reach the API server to check it",
  ],
  [500, { "Content-Type": "text/plain" }, "a".repeat(20_000), "its response has more than 16384 bytes"],
])("an answer %i with %j is not handed on", async (code, headers, body, problem) => {
  const backend = await startBackend((_request, response) => {
    response.writeHead(code, headers);
    response.end(body);
  });
  expect(await resultOf(backend.url)).toBe(`refused: backend evil: ${problem}`);
});

test("a redirect is not followed, wherever it leads", async () => {
  const target = await startBackend(externalAdapter());
  const backend = await startBackend((_request, response) => {
    response.writeHead(307, { Location: `${target.url}/apis/${metric}`, "Content-Type": "application/json" });
    response.end("{}");
  });
  expect(await resultOf(backend.url)).toBe(
    "refused: backend evil: it returned 307: redirects are not followed",
  );
  expect(target.requests).toEqual([]);
});

test("a packed answer is not unpacked", async () => {
  const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
  const backend = await startBackend((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json", "Content-Encoding": "gzip" });
    response.end(bomb);
  });
  expect(await resultOf(backend.url)).toBe(
    'refused: backend evil: its response is encoded ("gzip"), which was not requested',
  );
});

test("an answer whose nesting has no end is refused", async () => {
  const backend = await startBackend((_request, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end("[".repeat(1_000_000));
  });
  expect(await resultOf(backend.url)).toBe(
    "refused: backend evil: its response is not of kind ExternalMetricValueList",
  );
});

test("a backend that swallows packets: its requests fail, then at once, and another backend has its answers", async () => {
  const clock = manualClock(1_000_000);
  const silent = await startBackend(() => {});
  const good = await startBackend(externalAdapter("depth"));
  const { get, federation, registry } = await startFederation(
    entry("good", good.url, "", "external.metrics.k8s.io") +
      entry("silent", silent.url, ', match: {metrics: ["queue"]}, limits: {concurrency: 3}'),
    { clock },
  );
  const depth = "external.metrics.k8s.io/v1beta1/namespaces/shop/depth";
  await until("the other backend is listed", () => federation.rows("external.metrics.k8s.io").size === 1);
  const waiting = [get(metric), get(metric), get(metric)];
  expect(summary(await get(metric))).toBe("busy: backend silent: 3 requests are in flight to it, its limit");
  expect(summary(await get(depth))).toContain("200 ");
  await until("all are in flight", () => silent.requests.length >= 4);
  await clock.advance(10_000);
  for (const result of await Promise.all(waiting))
    expect(summary(result)).toBe("timeout: backend silent: it did not respond within 10000 ms");
  expect(summary(await get(metric))).toBe(
    "open: backend silent: its last 3 requests failed: it did not respond within 10000 ms; retrying soon",
  );
  expect(federation.note()).toContain("silent: its last 3 requests failed: it did not respond");
  expect(summary(await get(depth))).toContain("200 ");
  const text = await registry.metrics();
  expect(text).toContain('plimsoll_adapter_backend_circuit_open{backend="silent"} 1');
  expect(text).toContain('plimsoll_adapter_backend_circuit_open{backend="good"} 0');
  expect(text).toContain('plimsoll_adapter_backend_requests_total{backend="silent",outcome="timeout"} 3');
  expect(text).toContain('plimsoll_adapter_backend_requests_total{backend="good",outcome="answered"} 2');
});

test("a backend that responds again gets one request first, and all others after it", async () => {
  const clock = manualClock(1_000_000);
  let isDown = true;
  const backend = await startBackend((request, response) => {
    if (isDown) request.socket.destroy();
    else externalAdapter()(request, response);
  });
  const { get } = await startFederation(entry("keda", backend.url, all), { clock });
  for (let round = 0; round < 3; round += 1) expect(summary(await get(metric))).toContain("unreachable: ");
  expect(summary(await get(metric))).toContain("open: ");
  await clock.advance(1_000);
  expect(summary(await get(metric))).toContain("unreachable: ");
  await clock.advance(1_000);
  expect(summary(await get(metric))).toContain("open: ");
  isDown = false;
  await clock.advance(1_000);
  const [first, second] = await Promise.all([get(metric), get(metric)]);
  expect(summary(first)).toContain("200 ");
  expect(summary(second)).toContain("open: ");
  expect(summary(await get(metric))).toContain("200 ");
});

test("a caller that goes away ends its request to the backend", async () => {
  const backend = await startBackend((request, response) => {
    if (!(request.url ?? "").includes("namespaces")) sendJson(response, {}, 404);
  });
  const { get } = await startFederation(entry("slow", backend.url, all), { clock: systemClock });
  const caller = new AbortController();
  const result = get(metric, { signal: caller.signal });
  await until("it is in flight", () => backend.requests.some(({ path }) => path.includes("namespaces")));
  caller.abort();
  expect(summary(await result)).toBe("canceled: backend slow: its caller disconnected");
});

test("a name that cannot be looked up keeps no other work waiting, and is looked up once for all requests", async () => {
  let lookUps = 0;
  const good = await startBackend(externalAdapter("depth"));
  const { get, federation } = await startFederation(
    entry("lost", "https://lost.example", all) + entry("good", good.url, "", "external.metrics.k8s.io"),
    {
      clock: systemClock,
      lookUp: () => {
        lookUps += 1;
        return new Promise(() => {});
      },
    },
  );
  const callers = [new AbortController(), new AbortController(), new AbortController()];
  const waiting = callers.map(({ signal }) => get(metric, { signal }));
  await until("the other backend is listed", () => federation.rows("external.metrics.k8s.io").size === 1);
  expect(lookUps).toBe(1);
  for (const caller of callers) caller.abort();
  for (const result of await Promise.all(waiting)) expect(summary(result)).toContain("canceled: ");
});
