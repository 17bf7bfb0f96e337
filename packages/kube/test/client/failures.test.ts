import { redact } from "@plimsoll/core/redact";
import { ApiError, ConnectionError } from "@plimsoll/kube";
import { until } from "@plimsoll/testbed/world";
import { expect, test } from "vitest";
import { createAuthority, issue } from "../../src/testing/pki.ts";
import { type Handler, sendJson, status } from "../fake/api-server.ts";
import { client, failure, serve } from "../fake/tls-server.ts";

test("a Status becomes an ApiError with its code, reason, message and Retry-After", async () => {
  const server = await serve((seen, res) => {
    if (seen.path === "/header")
      sendJson(res, 429, status(429, "TooManyRequests", "slow"), { "retry-after": "7" });
    else sendJson(res, 504, status(504, "Timeout", "later", { retryAfterSeconds: 2 }));
  });
  const kube = await client(server);
  const one = await failure(kube.request({ path: "/header" }));
  expect(one).toBeInstanceOf(ApiError);
  expect(one).toMatchObject({ code: 429, reason: "TooManyRequests", message: "slow", retryAfterMs: 7000 });
  expect(await failure(kube.request({ path: "/details" }))).toMatchObject({ code: 504, retryAfterMs: 2000 });
});

test("an error that is not a Status keeps its text", async () => {
  const server = await serve((_, res) => res.writeHead(404).end("404 page not found\n"));
  const kube = await client(server);
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({
    name: "ApiError",
    code: 404,
    reason: "",
    message: "404 page not found",
    status: "404 page not found\n",
  });
});

test.each<[string, Handler, string]>([
  ["a redirect", (_, res) => res.writeHead(302, { location: "http://127.0.0.1:1/" }).end(), "bad_response"],
  ["a response that is not JSON", (_, res) => res.end("<html>"), "bad_response"],
  [
    "a response that is cut off",
    (_, res) => {
      res.writeHead(200, { "content-length": "100" });
      res.write("{", () => res.socket?.destroy());
    },
    "reset",
  ],
  ["a response that is too long", (_, res) => res.end(JSON.stringify({ x: "y".repeat(5000) })), "too_large"],
  ["no response in time", () => undefined, "timeout"],
  ["a response that never ends", (_, res) => res.writeHead(200).write("{"), "timeout"],
])("%s is a ConnectionError", async (_, handle, kind) => {
  const server = await serve(handle);
  const kube = await client(server, {}, { maxResponseBytes: 4096 });
  const error = await failure(kube.request({ path: "/x", timeoutMs: kind === "timeout" ? 200 : 60_000 }));
  expect(error).toBeInstanceOf(ConnectionError);
  expect(error).toMatchObject({ kind });
});

test("no server, a foreign certificate and a caller who gives up are different errors", async () => {
  const server = await serve(() => undefined);
  const foreign = await createAuthority("foreign");
  const other = await serve((_, res) => sendJson(res, 200, {}), {
    tls: {
      ...(await issue(foreign, "CN=127.0.0.1", { usage: "server", hosts: ["127.0.0.1"] })),
      ca: foreign.pem,
    },
  });
  expect(await failure((await client(other)).request({ path: "/x" }))).toMatchObject({ kind: "tls" });
  const kube = await client(server);
  const giveUp = new AbortController();
  const asked = failure(kube.request({ path: "/x", signal: giveUp.signal }));
  await until("the server got the request", () => server.seen.length === 1);
  giveUp.abort();
  expect(await asked).toMatchObject({ kind: "aborted" });
  expect(await failure(kube.request({ path: "/x", signal: AbortSignal.abort() }))).toMatchObject({
    kind: "aborted",
  });
  await server.close();
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "refused" });
});

test("a read whose kept connection was cut is sent again, a write is not", async () => {
  let cuts = 0;
  const server = await serve((seen, res) => {
    if (cuts > 0) {
      cuts -= 1;
      res.socket?.destroy();
    } else {
      sendJson(res, 200, { path: seen.path });
    }
  });
  const kube = await client(server);
  cuts = 1;
  expect(await kube.request({ path: "/read" })).toEqual({ path: "/read" });
  cuts = 1;
  expect(await failure(kube.request({ method: "PUT", path: "/write", body: {} }))).toMatchObject({
    kind: "reset",
  });
  expect(server.seen.map((seen) => seen.path)).toEqual(["/read", "/read", "/write"]);
});

test.each([
  ["a token", { token: "t0ken-of-a/service+account" }],
  ["a password", { username: "adapter", password: "pa55word of an admin" }],
])("a server or a proxy that repeats %s shows it to no client", async (_kind, user) => {
  let answer = 0;
  const encodings = ["utf8", "base64", "base64url", "hex"] as const;
  const server = await serve((seen, res) => {
    const sent = String(seen.headers["authorization"]);
    const pair = Buffer.from(sent.replace("Basic ", ""), "base64").toString();
    const echo = Buffer.from(`x${sent} ${pair}`).toString(encodings[answer % encodings.length]);
    answer += 1;
    if (answer % 2 === 0) sendJson(res, 403, status(403, "Forbidden", `no: ${echo}`));
    else res.writeHead(502).end(`<html>no: ${echo}</html>`);
  });
  const kube = await client(server, user);
  const hidden = "token" in user ? user.token : user.password;
  for (let times = 0; times < 8; times += 1) {
    const error = await failure(kube.request({ path: "/x" }));
    const { message } = error as Error;
    expect(message).toMatch(/no: .*\*\*\*/);
    for (const form of [
      hidden,
      Buffer.from(hidden).toString("base64").slice(0, -3),
      Buffer.from(`x${hidden}`).toString("base64").slice(4, -4),
      Buffer.from(hidden).toString("hex"),
    ])
      expect(message).not.toContain(form);
    expect(redact(JSON.stringify(error))).not.toContain(hidden);
  }
});
