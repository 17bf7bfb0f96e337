import { createServer, type RequestListener } from "node:http";
import { createServer as createTcpServer } from "node:net";
import { gzipSync } from "node:zlib";
import { systemClock } from "@plimsoll/component-base";
import { listen } from "@plimsoll/testbed/world";
import { afterEach, expect, test } from "vitest";
import { createPageFetcher } from "../../src/scrape/http.ts";

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function scrape(listener: RequestListener, { maxBytes = 2000, timeoutMs = 5000 } = {}) {
  const { port, close } = await listen(createServer(listener));
  stops.push(close);
  const tls = { ca: undefined, insecureSkipVerify: false };
  const fetcher = createPageFetcher({ clock: systemClock, maxBytes, userAgent: "test", tls });
  stops.push(fetcher.close);
  let text = "";
  const target = {
    key: "a",
    pod: "web-1",
    isReady: true,
    container: "main",
    origin: `http://127.0.0.1:${port}`,
    path: "/metrics?x=1",
  };
  const fetch = () =>
    fetcher.fetch(target, timeoutMs, {
      start: () => {},
      push(chunk) {
        text += Buffer.from(chunk).toString();
        return true;
      },
    });
  const failure = await fetch().then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { text, failure, fetch };
}

test("a page comes in chunks, over one connection", async () => {
  const connections = new Set<unknown>();
  const seen: (string | undefined)[] = [];
  const { text, failure, fetch } = await scrape((request, response) => {
    connections.add(request.socket);
    seen.push(`${request.method} ${request.url} ${request.headers["accept-encoding"]}`);
    response.write("a 1\n");
    response.end("b 2\n");
  });
  await fetch();
  expect([text, failure, connections.size]).toEqual(["a 1\nb 2\n", undefined, 1]);
  expect(seen).toEqual(Array.from({ length: 2 }, () => "GET /metrics?x=1 identity"));
});

test.each<readonly [string, RequestListener, string]>([
  ["an error", (_, response) => response.writeHead(503).end(), "answers with status 503"],
  [
    "another path",
    (_, response) => response.writeHead(404).end(),
    "answers with status 404: correct live.path",
  ],
  [
    "a page that is forbidden",
    (_, response) => response.writeHead(403).end(),
    "answers with status 403: only a rule of the rules file can send a token, live.tokenFile",
  ],
  [
    "a demand for a token",
    (_, response) => response.writeHead(401).end(),
    "answers with status 401: only a rule of the rules file can send a token, live.tokenFile",
  ],
  [
    "a redirect to the API server",
    (_, response) => response.writeHead(302, { location: "https://10.96.0.1/" }).end(),
    "answers with a redirect (302), which is not followed",
  ],
  [
    "a compressed page",
    (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(1e6))),
    "sends a compressed page, which was not asked for: turn compression off",
  ],
  [
    "a chunk for each byte",
    ({ socket }) =>
      void socket.write(
        `HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${"1\r\nx\r\n".repeat(2_000)}0\r\n\r\n`,
      ),
    "sends a page of tiny chunks",
  ],
  [
    "a page without end",
    (_, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write("a".repeat(10_000)));
      };
      response.on("drain", write);
      write();
    },
    "sends more than 2000 bytes: see --live-response-bytes",
  ],
  [
    "a page of something else",
    (_, response) => response.writeHead(200, { "content-type": "text/html; charset=utf-8" }).end("<html>"),
    "sends text/html; charset=utf-8, which is not a page of metrics: correct live.path",
  ],
  ["a closed connection", (request) => request.socket.destroy(), "closed the connection"],
  [
    "headers without end",
    (_, response) => response.writeHead(200, { "x-long": "a".repeat(100_000) }).end(),
    "sends too long headers",
  ],
])("%s is a failure of this pod", async (_, listener, reason) => {
  expect((await scrape(listener)).failure).toBe(reason);
});

test("a connection that was idle, and is closed when it is used, is opened again", async () => {
  let isFirst = true;
  const { text, failure } = await scrape((request, response) => {
    if (isFirst) request.socket.destroy();
    else response.end("a 1\n");
    isFirst = false;
  });
  expect([text, failure]).toEqual(["a 1\n", undefined]);
});

test("a page that takes too long is given up", async () => {
  const { failure } = await scrape((_, response) => void response.write("a 1\n"), { timeoutMs: 100 });
  expect(failure).toBe("gave no whole page within 100 ms");
});

test("a port that nobody listens on refuses", async () => {
  const { port, close } = await listen(createServer());
  await close();
  const tls = { ca: undefined, insecureSkipVerify: false };
  const fetcher = createPageFetcher({ clock: systemClock, maxBytes: 10, userAgent: "test", tls });
  stops.push(fetcher.close);
  const target = {
    key: "a",
    pod: "a",
    isReady: true,
    container: "a",
    origin: `http://127.0.0.1:${port}`,
    path: "/",
  };
  await expect(fetcher.fetch(target, 1000, { start: () => {}, push: () => true })).rejects.toThrow(
    "refuses the connection",
  );
});

test("no key exchange is offered whose cost the pod chooses", async () => {
  const hello = Promise.withResolvers<Buffer>();
  const server = createTcpServer((socket) => {
    socket.once("data", (bytes) => {
      hello.resolve(bytes);
      socket.destroy();
    });
  });
  const { port, close } = await listen(server);
  stops.push(close);
  const tls = { ca: undefined, insecureSkipVerify: true };
  const fetcher = createPageFetcher({ clock: systemClock, maxBytes: 10, userAgent: "test", tls });
  stops.push(fetcher.close);
  const origin = `https://127.0.0.1:${port}`;
  const page = { start: () => {}, push: () => true };
  const pod = { key: "a", pod: "a", isReady: true, container: "main", path: "/", origin };
  await expect(fetcher.fetch(pod, 5_000, page)).rejects.toThrow("closed the connection");
  const bytes = await hello.promise;
  const at = 44 + (bytes[43] ?? 0);
  const ciphers = Array.from({ length: bytes.readUInt16BE(at) / 2 }, (_, n) =>
    bytes.readUInt16BE(at + 2 + 2 * n),
  );
  // ECDHE-RSA and DHE-RSA, with AES128-GCM-SHA256.
  expect([0xc0_2f, 0x9e].map((one) => ciphers.includes(one))).toEqual([true, false]);
});
