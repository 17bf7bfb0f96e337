import { IncomingMessage, ServerResponse } from "node:http";
import { Agent } from "node:https";
import { connect as connectTcp, createServer, Socket } from "node:net";
import { type ConnectionOptions, connect, type TLSSocket } from "node:tls";
import { listen } from "@plimsoll/testbed/world";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { ApiContext } from "../../src/http/request-context.ts";
import { sendText } from "../../src/http/respond.ts";
import { fakeEngine } from "./fakes.ts";
import { type Answer, askAs, type Harness, startAdapter } from "./harness.ts";

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

const path = "/apis/custom.metrics.k8s.io/v1beta1/namespaces/ns/pods/p/m";

function connectAsProxy(options: ConnectionOptions = {}): TLSSocket {
  return connect({
    port: harness.port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: harness.pki.serving.pem,
    cert: harness.pki.proxy.cert,
    key: harness.pki.proxy.key,
    ...options,
  });
}

/** Writes bytes, more after the first response, and returns all that comes back until the server ends the connection. */
function exchange(
  text: string,
  options: { maxVersion?: "TLSv1.1" | "TLSv1.2"; minVersion?: "TLSv1" } = {},
  more = "",
): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = "";
    const socket = connectAsProxy(options);
    socket.once("secureConnect", () => socket.write(text, "latin1"));
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1");
    });
    socket.once("data", () => socket.write(more));
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
  });
}

const identity = "Host: x\r\nX-Remote-User: a\r\nX-Remote-Group: system:masters\r\n";

test("an upgrade is refused and the connection closed, whatever follows", async () => {
  const answer = await exchange(
    `GET ${path} HTTP/1.1\r\n${identity}Connection: Upgrade\r\nUpgrade: websocket\r\n\r\nGET /apis HTTP/1.1\r\n${identity}\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
  expect(answer).toContain("this server does not upgrade connections");
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test.each(["Content-Length: 4\r\n\r\nbody", "Transfer-Encoding: chunked\r\n\r\n4\r\nbody\r\n0\r\n\r\n"])(
  "a body on a GET is refused and the connection closed: %j",
  async (body) => {
    const answer = await exchange(
      `GET ${path} HTTP/1.1\r\n${identity}${body}GET /apis HTTP/1.1\r\n${identity}\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toContain("a GET request must not have a body");
    expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
  },
);

test("two identity headers that differ only in case are two", async () => {
  const answer = await exchange(
    `GET ${path} HTTP/1.1\r\n${identity}x-remote-user: b\r\nConnection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 401 /);
});

test("absolute targets get nowhere", async () => {
  const absolute = await exchange(
    `GET https://other${path} HTTP/1.1\r\n${identity}Connection: close\r\n\r\n`,
  );
  expect(absolute).toMatch(/^HTTP\/1\.1 400 /);
});

test.each([
  ["GET / HTTP/1.1\r\nHost: x\r\nBad Header: 1\r\n\r\n", 400],
  ["nonsense\r\n\r\n", 400],
  [`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(70_000)}\r\n\r\n`, 431],
  [`GET / HTTP/1.1\r\nHost: x\r\nX-Big: ${"a".repeat(4_000_000)}\r\n\r\n`, 431],
  [`GET /apis?x=${"a".repeat(4_000_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431],
  ["GET /livez\r\n\r\n", 400],
  [`CONNECT other:443 HTTP/1.1\r\n${identity}\r\n`, 400],
  ["GET /livez HTTP/1.1\r\n\r\n", 400],
  [`GET /livez HTTP/2.0\r\n${identity}\r\n`, 400],
  [
    `POST ${path} HTTP/1.1\r\n${identity}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
    400,
  ],
  [`GET ${path} HTTP/1.1\r\n${identity}Connection: close, X-Remote-User\r\n\r\n`, 400],
  [`GET ${path} HTTP/1.1\r\n${identity}X-Folded: a\r\n X-Remote-User: b\r\n\r\n`, 400],
  [`GET ${path} HTTP/1.1\r\n${identity}X-Remote-User : b\r\n\r\n`, 400],
  [`GET /metrics\xa0 HTTP/1.1\r\n${identity}Connection: close\r\n\r\n`, 400],
  [`GET /metrics#x HTTP/1.1\r\n${identity}Connection: close\r\n\r\n`, 400],
  [`GET /metrics?a#x HTTP/1.1\r\n${identity}Connection: close\r\n\r\n`, 400],
])("bytes that are no request get a Status and the end (%#)", async (text, code) => {
  const answer = await exchange(text);
  expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${code} `));
  expect(JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))).toMatchObject({ kind: "Status", code });
});

test("TLS below 1.2 is not spoken", async () => {
  await expect(exchange("", { minVersion: "TLSv1", maxVersion: "TLSv1.1" })).rejects.toThrow(
    /alert|version|protocol|ssl/i,
  );
});

test.each([
  ["a user in thousands of groups", "HTTP/1.1", "X-Remote-Group: g\r\n".repeat(3_000)],
  ["an expectation that there is none of", "HTTP/1.1", "Expect: tea\r\n"],
  ["HTTP/1.0 without a host", "HTTP/1.0", ""],
])("%s is served", async (_, version, headers) => {
  const host = version === "HTTP/1.0" ? "" : "Host: x\r\n";
  const user = "X-Remote-User: a\r\nX-Remote-Group: system:masters\r\n";
  const answer = await exchange(
    `GET ${path} ${version}\r\n${host}${headers}${user}Connection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1\.1 200 /);
});

test("what follows the response to a request that is still sent gets no response of its own", async () => {
  const answer = await exchange(
    `POST ${path} HTTP/1.1\r\n${identity}Transfer-Encoding: chunked\r\n\r\n`,
    {},
    "no chunk\r\n",
  );
  expect(answer).toMatch(/^HTTP\/1\.1 405 /);
  expect(answer.match(/HTTP\/1\.1/g)).toHaveLength(1);
});

test("expectations of a body are not met", async () => {
  const answer = await exchange(
    `GET ${path} HTTP/1.1\r\n${identity}Expect: 100-continue\r\nContent-Length: 4\r\n\r\n`,
  );
  expect(answer).not.toContain("100 Continue");
  expect(answer).toMatch(/^HTTP\/1\.1 400 /);
});

test("no response is ever a redirect", async () => {
  for (const odd of [
    "//apis",
    "/apis//",
    "/healthz//",
    "/openapi/v2/",
    "/HEALTHZ",
    "/apis/../metrics",
    "/version/",
  ]) {
    const answer = await askAs(harness, odd);
    expect(answer.code >= 300 && answer.code < 400).toBe(false);
  }
});

test("a HEAD is not allowed, and says nothing more", async () => {
  const answer = await askAs(harness, path, { method: "HEAD" });
  expect([answer.code, answer.text]).toEqual([405, ""]);
  expect(answer.headers["allow"]).toBe("GET");
});

test("one connection serves many requests, each with its own user", async () => {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  harness.kube.accessReviews.length = 0;
  const answers: Answer[] = [];
  for (const user of ["ann", "ben", "ann"]) {
    answers.push(await askAs(harness, path, { agent, user, groups: ["shared"] }));
  }
  agent.destroy();
  expect(answers.map((answer) => answer.code)).toEqual([200, 200, 200]);
  expect(harness.kube.accessReviews.map((review) => review.user)).toEqual(["ann", "ben"]);
});

test("long lists follow each other on one connection, and who leaves within one holds up nobody", async () => {
  const before = harness.engine.customRows;
  harness.engine.customRows = Array.from({ length: 20_000 }, (_, at) => ({
    groupResource: "pods",
    namespaced: true,
    metric: `metric_${at}`,
  }));
  const list = `GET /apis/custom.metrics.k8s.io/v1beta1 HTTP/1.1\r\n${identity}`;
  const leaver = connectAsProxy();
  leaver.write(`${list}\r\n`);
  await new Promise((resolve) => leaver.once("data", resolve));
  leaver.destroy();
  const answer = await exchange(`${list}\r\n${list}Connection: close\r\n\r\n`);
  harness.engine.customRows = before;
  const bodies = answer.split(/HTTP\/1\.1 200 [^]*?\r\n\r\n/).slice(1);
  expect(bodies.map((body) => (JSON.parse(body) as { resources: unknown[] }).resources.length)).toEqual([
    20_000, 20_000,
  ]);
});

test("HTTP/2 is not offered", async () => {
  const socket = connect({
    port: harness.port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: harness.pki.serving.pem,
    ALPNProtocols: ["h2", "http/1.1"],
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  expect(socket.alpnProtocol).toBe("http/1.1");
  socket.destroy();
});

test("the handshake names no authorities, so that clients send whichever certificate they have", async () => {
  const seen: Buffer[] = [];
  const relay = createServer((near) => {
    const far = connectTcp(harness.port, "127.0.0.1");
    far.on("data", (chunk) => seen.push(chunk));
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
  });
  const { port } = await listen(relay);
  const socket = connect({
    port,
    host: "127.0.0.1",
    servername: "localhost",
    ca: harness.pki.serving.pem,
    // Above it the request for a certificate is encrypted.
    maxVersion: "TLSv1.2",
  });
  await new Promise((resolve) => socket.once("secureConnect", resolve));
  expect(certificateRequest(Buffer.concat(seen))).toEqual({ authoritiesBytes: 0 });
  socket.destroy();
});

/** The server's CertificateRequest (RFC 5246, 7.4.4) among its unencrypted handshake messages. */
function certificateRequest(flight: Buffer): { readonly authoritiesBytes: number } | undefined {
  const messages: Buffer[] = [];
  for (let at = 0; at + 5 <= flight.length && flight[at] === 22; at += 5 + flight.readUInt16BE(at + 3)) {
    messages.push(flight.subarray(at + 5, at + 5 + flight.readUInt16BE(at + 3)));
  }
  const all = Buffer.concat(messages);
  for (let at = 0; at + 4 <= all.length; at += 4 + all.readUIntBE(at + 1, 3)) {
    if (all[at] !== 13) continue;
    const body = all.subarray(at + 4, at + 4 + all.readUIntBE(at + 1, 3));
    const algorithmsAt = 1 + (body[0] ?? 0);
    return { authoritiesBytes: body.readUInt16BE(algorithmsAt + 2 + body.readUInt16BE(algorithmsAt)) };
  }
  return undefined;
}

test("the first response to a request is the only one, and none is written to a caller who has gone", () => {
  const [once, gone] = [0, 0].map(() => new ServerResponse(new IncomingMessage(new Socket())));
  const send = (response: ServerResponse | undefined, code: number) =>
    sendText({ request: { headers: {} }, response, auditId: "a" } as unknown as ApiContext, code, "text");
  send(once, 200);
  send(once, 503);
  gone?.destroy();
  send(gone, 200);
  expect([once?.statusCode, gone?.headersSent]).toEqual([200, false]);
});
