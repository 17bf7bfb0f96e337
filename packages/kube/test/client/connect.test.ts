import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { manualClock } from "@plimsoll/component-base/testing";
import { ApiError, ConnectionError, connect, type KubeClient, KubeconfigError } from "@plimsoll/kube";
import { expect, onTestFinished, test } from "vitest";
import { type FakeServer, type Handler, sendJson, startFakeServer, status } from "../fake/api-server.ts";
import { createAuthority } from "../fake/pki.ts";
import { tempDir } from "../fake/temp-dir.ts";
import { until } from "../fake/until.ts";

const authority = await createAuthority("fake-ca");
const serverIdentity = await authority.issue("127.0.0.1");
const clientIdentity = await authority.issue("alice");
const tls = { ...serverIdentity, ca: authority.pem };

async function serve(
  handle: Handler,
  options: Parameters<typeof startFakeServer>[1] = { tls },
): Promise<FakeServer> {
  const server = await startFakeServer(handle, options);
  onTestFinished(() => server.close());
  return server;
}

function kubeconfig(dir: string, server: string, user: Record<string, unknown>, cluster = {}): string {
  const path = join(dir, "config");
  const data = Buffer.from(authority.pem).toString("base64");
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      "current-context": "main",
      clusters: [{ name: "c", cluster: { server, "certificate-authority-data": data, ...cluster } }],
      users: [{ name: "u", user }],
      contexts: [{ name: "main", context: { cluster: "c", user: "u" } }],
    }),
  );
  return path;
}

async function client(server: FakeServer, user = {}, options: Partial<Parameters<typeof connect>[0]> = {}) {
  const connected = await connect({
    kubeconfig: kubeconfig(tempDir(), server.url, user),
    userAgent: "plimsoll-test/1",
    ...options,
  });
  onTestFinished(() => connected.close());
  return connected;
}

function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => expect.fail("it succeeded"),
    (error: unknown) => error,
  );
}

test("what may not be sent any more when the connection is open is not sent", async () => {
  const server = await serve((_, res) => sendJson(res, 200, { stored: true }));
  const kube = await client(server);
  let isAllowed = true;
  const write = () =>
    kube.request({ method: "PUT", path: "/api/v1/x", body: { n: 1 }, maySend: () => isAllowed });
  const refused = write();
  isAllowed = false;
  expect(await failure(refused)).toMatchObject({
    kind: "aborted",
    message: "PUT /api/v1/x: not sent, because this process lost the right to it",
  });
  expect(server.seen).toEqual([]);
  isAllowed = true;
  expect(await write()).toEqual({ stored: true });
  expect(server.seen).toHaveLength(1);
});

test("requests share a kept TLS connection with a client certificate, and say who asks", async () => {
  const server = await serve((_, res) => sendJson(res, 200, { hello: "world" }));
  const kube = await client(server, {
    "client-certificate-data": Buffer.from(clientIdentity.cert).toString("base64"),
    "client-key-data": Buffer.from(clientIdentity.key).toString("base64"),
  });
  for (let i = 0; i < 5; i += 1) {
    expect(await kube.request({ path: "/api/v1/pods", query: { limit: 1, watch: undefined } })).toEqual({
      hello: "world",
    });
  }
  // The pool may open a second one while the first answer is being finished.
  expect(server.connections).toBeLessThanOrEqual(2);
  expect(server.seen).toHaveLength(5);
  expect(server.seen[0]).toMatchObject({
    method: "GET",
    path: "/api/v1/pods",
    query: { limit: "1" },
    clientName: "alice",
  });
  expect(server.seen[0]?.headers["user-agent"]).toBe("plimsoll-test/1");
  expect(kube.server).toBe(server.url);
});

test("a body goes out as JSON with the content type asked for", async () => {
  const server = await serve((_, res) => sendJson(res, 201, {}));
  const kube = await client(server, { token: "t0" });
  await kube.request({
    method: "PATCH",
    path: "/x",
    body: { spec: { replicas: 3 } },
    contentType: "application/merge-patch+json",
  });
  expect(server.seen[0]).toMatchObject({ method: "PATCH", body: '{"spec":{"replicas":3}}' });
  expect(server.seen[0]?.headers).toMatchObject({
    "content-type": "application/merge-patch+json",
    authorization: "Bearer t0",
  });
});

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

test("an error that is no Status keeps its text", async () => {
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
  ["an answer that is not JSON", (_, res) => res.end("<html>"), "bad_response"],
  [
    "an answer that is cut off",
    (_, res) => {
      res.writeHead(200, { "content-length": "100" });
      res.write("{", () => res.socket?.destroy());
    },
    "reset",
  ],
  ["an answer that is too long", (_, res) => res.end(JSON.stringify({ x: "y".repeat(5000) })), "too_large"],
  ["no answer in time", () => undefined, "timeout"],
  ["an answer that never ends", (_, res) => res.writeHead(200).write("{"), "timeout"],
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
    tls: { ...(await foreign.issue("127.0.0.1")), ca: foreign.pem },
  });
  expect(await failure((await client(other)).request({ path: "/x" }))).toMatchObject({ kind: "tls" });
  const kube = await client(server);
  const giveUp = new AbortController();
  const asked = failure(kube.request({ path: "/x", signal: giveUp.signal }));
  await until("the server was asked", () => server.seen.length === 1);
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

test("a refused token is read again from its file, once, and the request is retried", async () => {
  let wanted = "one";
  const server = await serve((seen, res) => {
    if (seen.headers.authorization === `Bearer ${wanted}`) sendJson(res, 200, { ok: true });
    else sendJson(res, 401, status(401, "Unauthorized", "Unauthorized"));
  });
  const dir = tempDir();
  const tokenFile = join(dir, "token");
  writeFileSync(tokenFile, "one\n");
  const kube = await client(server, { "auth-provider": { name: "tokenFile", config: { tokenFile } } });
  expect(await kube.request({ path: "/x" })).toEqual({ ok: true });
  wanted = "two";
  writeFileSync(tokenFile, "two\n");
  expect(await kube.request({ method: "POST", path: "/x", body: {} })).toEqual({ ok: true });
  wanted = "three";
  // Nothing new to be had: the refusal stands, and sources are not asked again at once.
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ code: 401 });
  expect(server.seen).toHaveLength(4);
});

test("a plugin is run once and again when its credential has expired", async () => {
  const server = await serve((seen, res) => sendJson(res, 200, { token: seen.headers.authorization }));
  const dir = tempDir();
  const script = join(dir, "plugin.sh");
  const expires = new Date(Date.now() - 1000).toISOString();
  writeFileSync(
    script,
    `#!/bin/sh\necho "$KUBERNETES_EXEC_INFO" >>${dir}/runs\nn=$(wc -l <${dir}/runs)\necho "{\\"apiVersion\\":\\"client.authentication.k8s.io/v1\\",\\"kind\\":\\"ExecCredential\\",\\"status\\":{\\"token\\":\\"run-$((n))\\",\\"expirationTimestamp\\":\\"${expires}\\"}}"\n`,
  );
  chmodSync(script, 0o755);
  const clock = manualClock(Date.now());
  const kube = await client(
    server,
    { exec: { apiVersion: "client.authentication.k8s.io/v1", command: script } },
    { clock },
  );
  const many = await Promise.all([1, 2, 3].map(() => kube.request({ path: "/x" })));
  expect(many).toEqual([1, 2, 3].map(() => ({ token: "Bearer run-1" })));
  await clock.advance(11_000);
  expect(await kube.request({ path: "/x" })).toEqual({ token: "Bearer run-2" });
  expect(JSON.parse(readFileSync(join(dir, "runs"), "utf8").split("\n")[0] ?? "")).toMatchObject({
    apiVersion: "client.authentication.k8s.io/v1",
    kind: "ExecCredential",
    spec: { interactive: false },
  });
});

test("a plugin that fails is a ConnectionError that says why", async () => {
  const server = await serve((_, res) => sendJson(res, 200, {}));
  const kube = await client(server, {
    exec: { apiVersion: "client.authentication.k8s.io/v1", command: "/nonexistent/plugin" },
  });
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({
    kind: "credentials",
    message: expect.stringContaining("/nonexistent/plugin") as string,
  });
});

test("a CA file that is replaced is trusted without a restart", async () => {
  const dir = tempDir();
  const caFile = join(dir, "ca.crt");
  const foreign = await createAuthority("next");
  writeFileSync(caFile, authority.pem);
  const server = await serve((_, res) => sendJson(res, 200, { ok: 1 }), {
    tls: { ...(await foreign.issue("127.0.0.1")), ca: foreign.pem },
  });
  const path = kubeconfig(
    dir,
    server.url,
    {},
    {
      "certificate-authority-data": undefined,
      "certificate-authority": "ca.crt",
    },
  );
  const clock = manualClock(0);
  const kube = await connect({ kubeconfig: path, userAgent: "t", clock });
  onTestFinished(() => kube.close());
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "tls" });
  writeFileSync(caFile, foreign.pem);
  await clock.advance(11_000);
  expect(await kube.request({ path: "/x" })).toEqual({ ok: 1 });
});

test("a stream gives bytes as they come, outlives the timeout, and ends with its signal", async () => {
  const server = await serve((_, res) => {
    res.writeHead(200);
    res.write("one");
    // Real time: the timeout of a request is a timer of the runtime.
    setTimeout(() => res.write("two"), 1200);
  });
  const kube = await client(server);
  const giveUp = new AbortController();
  const bytes = await kube.stream({ path: "/x", timeoutMs: 1000, signal: giveUp.signal });
  const texts: string[] = [];
  const error = await failure(
    (async () => {
      for await (const chunk of bytes) {
        texts.push(Buffer.from(chunk).toString());
        if (texts.length === 2) giveUp.abort();
      }
    })(),
  );
  expect(texts).toEqual(["one", "two"]);
  expect(error).toMatchObject({ kind: "aborted" });
});

test("leaving a stream early closes its connection", async () => {
  let closed = 0;
  const server = await serve((_, res) => {
    res.on("close", () => (closed += 1));
    res.writeHead(200);
    res.write("one");
  });
  const kube = await client(server);
  for await (const chunk of await kube.stream({ path: "/x" })) {
    expect(Buffer.from(chunk).toString()).toBe("one");
    break;
  }
  await until("the connection is closed", () => closed === 1);
});

test("plain http and a path in front of the API work", async () => {
  const server = await serve((seen, res) => sendJson(res, 200, { path: seen.path }), {});
  const kube: KubeClient = await connect({
    kubeconfig: kubeconfig(tempDir(), `${server.url}/k8s/clusters/c1/`, { username: "u", password: "p" }),
    userAgent: "t",
  });
  onTestFinished(() => kube.close());
  expect(await kube.request({ path: "/version" })).toEqual({ path: "/k8s/clusters/c1/version" });
  expect(server.seen[0]?.headers.authorization).toBe("Basic dTpw");
});

test.each<[string, string, string | undefined, string]>([
  ["a missing file", "", undefined, "there is no such file"],
  ["broken YAML", "a: [", undefined, "cannot load the kubeconfig"],
  ["no context", '{"clusters":[],"users":[],"contexts":[]}', undefined, "no current context"],
  ["an unknown context", '{"clusters":[],"users":[],"contexts":[]}', "prod", 'context "prod" does not exist'],
])("%s is a KubeconfigError", async (_, text, context, message) => {
  const path = join(tempDir(), "config");
  if (text !== "") writeFileSync(path, text);
  const options = { kubeconfig: path, userAgent: "t", ...(context === undefined ? {} : { context }) };
  const error = await failure(connect(options));
  expect(error).toBeInstanceOf(KubeconfigError);
  expect((error as Error).message).toContain(message);
});

test("a closed client answers no more", async () => {
  const server = await serve((_, res) => sendJson(res, 200, {}));
  const kube = await client(server);
  await kube.request({ path: "/x" });
  await kube.close();
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "closed" });
});

test.each<[string, string]>([
  ["an alias where a password begins with an asterisk", "users: [{name: u, user: {password: *s3cret}}]"],
  ["a line that is no mapping", "users:\n- user:\n    token: s3cret\n   broken"],
  ["a server that is no address", server("http://user:s3cret@host:notaport")],
  ["a server of another kind", server("ftp://user:s3cret@host")],
  ["a proxy that is no address", server("http://h", { "proxy-url": "http://user:s3cret@host:notaport" })],
  ["a proxy of another kind", server("http://h", { "proxy-url": "ftp://user:s3cret@host" })],
  ["a proxy without a scheme", server("http://h", { "proxy-url": "user:s3cret@host:3128" })],
  ["a proxy whose password is not encoded", server("http://h", { "proxy-url": "http://u:s3cret%@host" })],
])("a kubeconfig with %s is refused without its secrets", async (_, text) => {
  const path = join(tempDir(), "config");
  writeFileSync(path, text);
  const error = await failure(connect({ kubeconfig: path, userAgent: "t" }));
  expect(error).toBeInstanceOf(KubeconfigError);
  expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain("s3cret");
});

test("the address that a client says it uses has no password", async () => {
  const path = join(tempDir(), "config");
  writeFileSync(path, server("http://user:s3cret@127.0.0.1:1"));
  const kube = await connect({ kubeconfig: path, userAgent: "t" });
  onTestFinished(() => kube.close());
  expect(kube.server).toBe("http://***@127.0.0.1:1");
});

test.each<[string, string, RegExp]>([
  ["much", "yes xx | head -c 100000 >&2; exit 1", /^no credentials for the API server: [x\n]{1000}…$/],
  ["nothing", "exit 1", /^no credentials for the API server: a plugin failed without a word/],
  ["a header", "echo 'Authorization: Bearer s3cret' >&2; exit 1", /: Authorization: Bearer \*\*\*$/],
])("a plugin that fails and writes %s is one readable message", async (_, script, message) => {
  const server = await serve((_, res) => sendJson(res, 200, {}));
  const exec = { apiVersion: "client.authentication.k8s.io/v1", command: "sh", args: ["-c", script] };
  const kube = await client(server, { exec });
  expect(((await failure(kube.request({ path: "/x" }))) as Error).message).toMatch(message);
});

function server(address: string, more: object = {}): string {
  return JSON.stringify({
    "current-context": "c",
    contexts: [{ name: "c", context: { cluster: "c", user: "u" } }],
    clusters: [{ name: "c", cluster: { server: address, ...more } }],
    users: [{ name: "u", user: {} }],
  });
}
