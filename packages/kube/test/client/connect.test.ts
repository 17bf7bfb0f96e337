import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { connect, type KubeClient, KubeconfigError, openConnection } from "@plimsoll/kube";
import { testFolder, until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { sendJson } from "../fake/api-server.ts";
import { client, clientIdentity, failure, kubeconfig, serve } from "../fake/tls-server.ts";

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

test("requests share a kept TLS connection with a client certificate, and name the client", async () => {
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
  // The pool may open a second one while the first response is being finished.
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

test("a body goes out as JSON with the requested content type", async () => {
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
  await kube.request({ method: "POST", path: "/x", body: {} });
  expect(server.seen[1]?.headers["content-type"]).toBe("application/json");
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
    kubeconfig: kubeconfig(testFolder(), `${server.url}/k8s/clusters/c1/`, { username: "u", password: "p" }),
    userAgent: "t",
  });
  onTestFinished(() => kube.close());
  expect(await kube.request({ path: "/version" })).toEqual({ path: "/k8s/clusters/c1/version" });
  expect(server.seen[0]?.headers.authorization).toBe("Basic dTpw");
});

test.each<[string, string, string | undefined, string]>([
  ["a missing file", "", undefined, "file not found"],
  ["broken YAML", "a: [", undefined, "cannot load the kubeconfig"],
  ["no context", '{"clusters":[],"users":[],"contexts":[]}', undefined, "no current context"],
  ["an unknown context", '{"clusters":[],"users":[],"contexts":[]}', "prod", 'context "prod" does not exist'],
])("%s is a KubeconfigError", async (_, text, context, message) => {
  const path = join(testFolder(), "config");
  if (text !== "") writeFileSync(path, text);
  const options = { kubeconfig: path, userAgent: "t", ...(context === undefined ? {} : { context }) };
  const error = await failure(connect(options));
  expect(error).toBeInstanceOf(KubeconfigError);
  expect((error as Error).message).toContain(message);
});

const twoOfEach = JSON.stringify({
  clusters: [
    { name: "one", cluster: { server: "https://one.example" } },
    { name: "two", cluster: { server: "https://two.example" } },
  ],
  users: [
    { name: "alice", user: { token: "a" } },
    { name: "bob", user: { token: "b" } },
  ],
  contexts: [
    { name: "first", context: { cluster: "one", user: "alice", namespace: "web" } },
    { name: "second", context: { cluster: "two", user: "bob" } },
  ],
  "current-context": "first",
});

test.each([
  [{}, { name: "first", cluster: "one", user: "alice", namespace: "web" }, "https://one.example"],
  [{ context: "second" }, { name: "second", cluster: "two", user: "bob" }, "https://two.example"],
  [
    { cluster: "two", user: "bob" },
    { name: "first", cluster: "two", user: "bob", namespace: "web" },
    "https://two.example",
  ],
])("%j chooses of a kubeconfig", async (choice, context, server) => {
  const kubeconfig = join(testFolder(), "config");
  writeFileSync(kubeconfig, twoOfEach);
  const { client: kube, access } = await openConnection({ kubeconfig, userAgent: "t", ...choice });
  onTestFinished(() => kube.close());
  expect(access).toMatchObject({ server, context });
});

test.each([
  [{ context: "x" }, 'context "x" does not exist; there are: first, second'],
  [{ cluster: "x" }, 'cluster "x" does not exist; there are: one, two'],
  [{ user: "x" }, 'user "x" does not exist; there are: alice, bob'],
])("%j names those that there are", async (choice, message) => {
  const kubeconfig = join(testFolder(), "config");
  writeFileSync(kubeconfig, twoOfEach);
  const error = await failure(connect({ kubeconfig, userAgent: "t", ...choice }));
  expect((error as Error).message).toBe(message);
});

test("requests of another user name whom they are made as, with each group", async () => {
  const server = await serve((_, res) => sendJson(res, 200, {}), {});
  const kube = await connect({
    kubeconfig: kubeconfig(testFolder(), server.url, { token: "t0" }),
    userAgent: "t",
    impersonate: { user: "alice", groups: ["a", "b"] },
  });
  onTestFinished(() => kube.close());
  await kube.request({ path: "/version" });
  expect(server.seen[0]?.headers).toMatchObject({
    authorization: "Bearer t0",
    "impersonate-user": "alice",
    "impersonate-group": "a, b",
  });
});

test("a closed client rejects requests", async () => {
  const server = await serve((_, res) => sendJson(res, 200, {}));
  const kube = await client(server);
  await kube.request({ path: "/x" });
  await kube.close();
  expect(await failure(kube.request({ path: "/x" }))).toMatchObject({ kind: "closed" });
});

test.each<[string, string]>([
  ["an alias where a password begins with an asterisk", "users: [{name: u, user: {password: *s3cret}}]"],
  ["a line that is not a mapping", "users:\n- user:\n    token: s3cret\n   broken"],
  ["a server that is not an address", server("http://user:s3cret@host:notaport")],
  ["a server of another kind", server("ftp://user:s3cret@host")],
  ["a proxy that is not an address", server("http://h", { "proxy-url": "http://user:s3cret@host:notaport" })],
  ["a proxy of another kind", server("http://h", { "proxy-url": "ftp://user:s3cret@host" })],
  ["a proxy without a scheme", server("http://h", { "proxy-url": "user:s3cret@host:3128" })],
  ["a proxy whose password is not encoded", server("http://h", { "proxy-url": "http://u:s3cret%@host" })],
])("a kubeconfig with %s is refused without its secrets", async (_, text) => {
  const path = join(testFolder(), "config");
  writeFileSync(path, text);
  const error = await failure(connect({ kubeconfig: path, userAgent: "t" }));
  expect(error).toBeInstanceOf(KubeconfigError);
  expect(`${String(error)} ${String((error as Error).cause)}`).not.toContain("s3cret");
});

test("the address that a client says it uses has no password", async () => {
  const path = join(testFolder(), "config");
  writeFileSync(path, server("http://user:s3cret@127.0.0.1:1"));
  const kube = await connect({ kubeconfig: path, userAgent: "t" });
  onTestFinished(() => kube.close());
  expect(kube.server).toBe("http://***@127.0.0.1:1");
});

test.each<[string, string, RegExp]>([
  ["much", "yes xx | head -c 100000 >&2; exit 1", /^no credentials for the API server: [x\n]{1000}…$/],
  [
    "nothing",
    "exit 1",
    /^no credentials for the API server: a plugin failed without any output on standard error/,
  ],
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
