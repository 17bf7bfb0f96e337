import { connect as connectPlain } from "node:net";
import { connect } from "node:tls";
import { systemClock } from "@plimsoll/component-base";
import type { ServerLimits } from "@plimsoll/component-base/process";
import { generateServingCertificate } from "@plimsoll/kube/serving";
import { until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { listenerLimits } from "../../../src/serving/secure-server/limits.ts";
import { createSecureListener } from "../../../src/serving/secure-server/listener.ts";
import { keyPair } from "../../../src/serving/serving-certificate.ts";

const ignore = (): void => {};

/** Node's server measures these times by itself, so that the tests of them take real time: little. */
async function listen(
  limits: Partial<ServerLimits>,
): Promise<{ port: number; ca: string; served: () => number; close: () => Promise<void> }> {
  let served = 0;
  const { certPem, keyPem, caPem } = await generateServingCertificate(["localhost"], Date.now());
  const listener = createSecureListener({
    address: "127.0.0.1",
    port: 0,
    limits: { ...listenerLimits, ...limits },
    clock: systemClock,
    log: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    material: { main: keyPair(certPem, keyPem), sni: [] },
    handler: (request, response) => {
      served += 1;
      if (request.url?.startsWith("/known")) listener.keep(request, request.url);
      if (request.url === "/slow") response.write("ok");
      else response.end("ok");
    },
  });
  const { port } = await listener.listen();
  const close = (): Promise<void> => listener.close({ idleMs: 0, graceMs: 0 });
  onTestFinished(close);
  return { port, ca: caPem, served: () => served, close };
}

/** What came back until the server closed the connection. */
function untilClosed(at: { port: number; ca: string }, text: string): Promise<string> {
  return new Promise((resolve) => {
    let answer = "";
    const socket = connect({ port: at.port, host: "127.0.0.1", servername: "localhost", ca: at.ca });
    // Goes out with the end of the handshake.
    if (text !== "") socket.write(text);
    socket.on("data", (chunk) => {
      answer += chunk.toString();
    });
    socket.on("error", () => {});
    socket.on("close", () => resolve(answer));
  });
}

test("headers that dribble in are cut off with a Status", async () => {
  const at = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
  const answer = await untilClosed(at, "GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ");
  expect(answer).toMatch(/^HTTP\/1\.1 408 /);
  expect(answer).toContain('"kind":"Status"');
});

test("a connection that says nothing is closed", async () => {
  const at = await listen({ headersTimeoutMs: 50, requestTimeoutMs: 100 });
  expect(await untilClosed(at, "")).toMatch(/^(HTTP\/1\.1 408 |$)/);
});

test("a connection that never finishes its handshake is closed", async () => {
  const at = await listen({ handshakeTimeoutMs: 50 });
  const isClosed = await new Promise<boolean>((resolve) => {
    const socket = connectPlain(at.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.on("close", () => resolve(true));
  });
  expect(isClosed).toBe(true);
});

test("of the requests that one connection sends before the first response, 100 are served", async () => {
  const at = await listen({ inactivityTimeoutMs: 500 });
  await untilClosed(at, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n".repeat(1000));
  expect(at.served()).toBe(100);
});

test("a connection on which nothing moves is closed, also within a response", async () => {
  const at = await listen({ inactivityTimeoutMs: 50 });
  expect(await untilClosed(at, "GET /slow HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 OK/);
});

test("an idle connection is closed after its keep-alive", async () => {
  const at = await listen({ keepAliveTimeoutMs: 50 });
  expect(await untilClosed(at, "GET /known HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 OK/);
});

/** A connection that asks and stays; all that came on it so far. */
async function stay(at: { port: number; ca: string }, path: string) {
  const socket = connect({ port: at.port, host: "127.0.0.1", servername: "localhost", ca: at.ca });
  onTestFinished(() => void socket.destroy());
  let text = "";
  socket.on("error", () => {});
  socket.on("data", (chunk) => (text += chunk.toString()));
  const ask = async (): Promise<string> => {
    text = "";
    socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
    await until("there is a response, or the end", () => socket.closed || text.endsWith("ok"));
    return text.slice(0, 15);
  };
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  return { socket, ask };
}

test("there is an end to the number of connections, and who has an identity keeps its own", async () => {
  const at = await listen({ connections: 1 });
  const known = await stay(at, "/known");
  expect(await known.ask()).toBe("HTTP/1.1 200 OK");
  expect(await untilClosed(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toBe("");
  expect(await known.ask()).toBe("HTTP/1.1 200 OK");
});

test("one user does not take all connections", async () => {
  const at = await listen({ connections: 4 });
  const open = await Promise.all(["/known", "/known", "/known", "/known/b"].map((path) => stay(at, path)));
  for (const { ask } of open) expect(await ask()).toBe("HTTP/1.1 200 OK");
  expect(await untilClosed(at, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(await open[3]?.ask()).toBe("HTTP/1.1 200 OK");
});

test("when unauthenticated connections reach the limit, the oldest of them is closed", async () => {
  const at = await listen({ connections: 3 });
  const known = await stay(at, "/known");
  expect(await known.ask()).toBe("HTTP/1.1 200 OK");
  const [first, second] = [await stay(at, "/"), await stay(at, "/")];
  const another = await stay(at, "/known");
  await until("the oldest has made way", () => first.socket.closed);
  for (const open of [known, second, another]) expect(await open.ask()).toBe("HTTP/1.1 200 OK");
});

test("closing does not wait for a handshake that never ends", async () => {
  const at = await listen({});
  const socket = connectPlain(at.port, "127.0.0.1");
  const isClosed = new Promise<void>((resolve) => {
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
  await new Promise<void>((resolve) => {
    socket.once("connect", resolve);
  });
  await at.close();
  await isClosed;
  expect(socket.destroyed).toBe(true);
});
