import { createServer, type IncomingMessage, type RequestListener } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { TLSSocket } from "node:tls";
import { manualClock } from "@plimsoll/component-base/testing";
import { createAuthority, issue } from "@plimsoll/kube/testing";
import { missingPart } from "@plimsoll/prometheus";
import { loadSources, type SourceConfig } from "@plimsoll/rules";
import { listen, until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { connectSource } from "../../src/app/sources.ts";
import { recordingLog } from "../http/fakes.ts";
import { makeFolder, startProcess } from "./adapter-process.ts";

const empty = JSON.stringify({ status: "success", data: { resultType: "vector", result: [] } });

/** Answers whom it accepts, and 401 to all others. */
const answering =
  (accepts: (request: IncomingMessage) => boolean): RequestListener =>
  (request, response) => {
    response.writeHead(accepts(request) ? 200 : 401, { "content-type": "application/json" });
    response.end(empty);
  };

function configOf(fields: string): SourceConfig {
  const loaded = loadSources(`sources: [{name: a, ${fields}}]`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.config.sources[0] as SourceConfig;
}

async function connected(fields: string, files: Record<string, string> = {}) {
  const clock = manualClock(0);
  const log = recordingLog();
  const readText = async (path: string): Promise<string> => {
    const text = files[path];
    if (text === undefined) throw new Error(`ENOENT: ${path}`);
    return text;
  };
  const shared = { sources: 1, resultMaxAgeMs: 5_000 };
  const source = await connectSource(configOf(fields), shared, { readText, clock, log });
  onTestFinished(() => source.client.close());
  return { client: source.client, clock, log };
}

test.each<readonly [string, string, Record<string, string>, Record<string, string>]>([
  [
    "basic",
    "auth: {type: basic, username: adapter, passwordFile: /p}",
    { "/p": "s3cret\n" },
    { authorization: `Basic ${Buffer.from("adapter:s3cret").toString("base64")}` },
  ],
  ["bearer", "auth: {type: bearer, tokenFile: /t}", { "/t": "s3cret\n" }, { authorization: "Bearer s3cret" }],
  [
    "a tenant's headers",
    "headers: {X-Scope-OrgID: team-a}, headersFrom: [{name: X-Key, file: /k}]",
    { "/k": "s3cret" },
    { "x-scope-orgid": "team-a", "x-key": "s3cret" },
  ],
])(
  "a server that checks %s gets it, and no message shows a secret",
  async (_kind, fields, files, expected) => {
    const seen: IncomingMessage["headers"][] = [];
    let isAccepted = true;
    const { host: address } = await listen(
      createServer(
        answering(({ headers }) => {
          seen.push(headers);
          return isAccepted && Object.entries(expected).every(([name, value]) => headers[name] === value);
        }),
      ),
    );
    const { client } = await connected(`url: "http://${address}", ${fields}`, files);
    expect(await client.query("up")).toMatchObject({ type: "vector" });
    expect(seen[0]).toMatchObject(expected);
    isAccepted = false;
    await expect(client.query("up")).rejects.toMatchObject({
      kind: "unauthorized",
      message: expect.not.stringContaining("s3cret"),
    });
  },
);

test("a rotated secret is used without a restart, and one that cannot be read leaves the old one", async () => {
  const files: Record<string, string> = { "/t": "old" };
  const { host: address } = await listen(
    createServer(answering(({ headers }) => headers.authorization === "Bearer new")),
  );
  const { client, clock, log } = await connected(
    `url: "http://${address}", auth: {type: bearer, tokenFile: /t}`,
    files,
  );
  await expect(client.query("up")).rejects.toMatchObject({ kind: "unauthorized" });
  files["/t"] = "new";
  await clock.advance(10_000);
  await until("it is read again", () => log.lines.some(({ level }) => level === "info"));
  expect(log.lines).toEqual([
    { level: "info", message: "credentials for Prometheus reloaded", fields: { source: "a" } },
  ]);
  expect(await client.query("up")).toMatchObject({ type: "vector" });
  delete files["/t"];
  await clock.advance(10_000);
  await until("it cannot be read", () => log.lines.some(({ level }) => level === "warn"));
  expect(await client.query("up")).toMatchObject({ type: "vector" });
});

test("a secret that is refused is read again at once, and the request sent once more", async () => {
  const files: Record<string, string> = { "/t": "old" };
  let requests = 0;
  let wanted = "old";
  const { host: address } = await listen(
    createServer(
      answering(({ headers }) => {
        requests += 1;
        return headers.authorization === `Bearer ${wanted}`;
      }),
    ),
  );
  const { client } = await connected(`url: "http://${address}", auth: {type: bearer, tokenFile: /t}`, files);
  expect(await client.query("up")).toMatchObject({ type: "vector" });
  wanted = "new";
  files["/t"] = "new";
  const both = await Promise.all([client.query("up"), client.query("up")]);
  expect(both).toMatchObject([{ type: "vector" }, { type: "vector" }]);
  wanted = "other";
  requests = 0;
  await expect(client.query("up")).rejects.toMatchObject({ kind: "unauthorized" });
  expect(requests).toBe(1);
});

test("a CA that has not signed the server's certificate is said with the field that names it", async () => {
  const [authority, other] = await Promise.all([createAuthority("ca"), createAuthority("other")]);
  const { cert, key } = await issue(authority, "CN=prometheus", {
    usage: "server",
    hosts: ["localhost"],
  });
  const { port } = await listen(
    createTlsServer(
      { cert, key },
      answering(() => true),
    ),
  );
  const { client } = await connected(`url: "https://localhost:${port}", tls: {caFile: /ca}`, {
    "/ca": other.pem,
  });
  await expect(client.query("up")).rejects.toThrow(
    /^unable to verify the first certificate: set tls\.caFile of the source/,
  );
});

test("mtls: the server gets the client's certificate, and its own is checked", async () => {
  const authority = await createAuthority("ca");
  const [server, client] = await Promise.all([
    issue(authority, "CN=prometheus", { usage: "server", hosts: ["prometheus.example"] }),
    issue(authority, "CN=adapter"),
  ]);
  const names: unknown[] = [];
  const listener = answering(({ socket }) => {
    names.push(socket instanceof TLSSocket ? socket.getPeerCertificate().subject.CN : undefined);
    return true;
  });
  const options = { cert: server.cert, key: server.key, ca: authority.pem, requestCert: true };
  const { host: address } = await listen(createTlsServer({ ...options, rejectUnauthorized: true }, listener));
  const files = { "/ca": authority.pem, "/c": client.cert, "/k": client.key };
  const tls = "caFile: /ca, certFile: /c, keyFile: /k";
  const url = `url: "https://${address}", auth: {type: mtls}`;
  const trusted = await connected(`${url}, tls: {${tls}, serverName: prometheus.example}`, files);
  expect(await trusted.client.query("up")).toMatchObject({ type: "vector" });
  expect(names).toEqual(["adapter"]);
  const other = await connected(`${url}, tls: {${tls}, serverName: other.example}`, files);
  await expect(other.client.query("up")).rejects.toMatchObject({ kind: "unreachable" });
  expect(names).toEqual(["adapter"]);
});

test("oauth2: a token of an endpoint with a certificate of its own, and parameters for what the server is", async () => {
  const authority = await createAuthority("ca");
  const { cert, key } = await issue(authority, "CN=tokens", { usage: "server", hosts: ["127.0.0.1"] });
  const { host: tokens } = await listen(
    createTlsServer({ cert, key }, ({ headers }, response) => {
      const isClient = headers.authorization === `Basic ${Buffer.from("adapter:s3cret").toString("base64")}`;
      response.writeHead(isClient ? 200 : 401, { "content-type": "application/json" });
      response.end(
        JSON.stringify(
          isClient ? { access_token: "t0ken", token_type: "Bearer" } : { error: "invalid_client" },
        ),
      );
    }),
  );
  const targets: (string | undefined)[] = [];
  const { host: address } = await listen(
    createServer(
      answering(({ headers, url }) => {
        targets.push(url);
        return headers.authorization === "Bearer t0ken";
      }),
    ),
  );
  const auth = `type: oauth2, tokenUrl: "https://${tokens}/token", clientId: adapter, clientSecretFile: /s, caFile: /ca`;
  const fields = `url: "http://${address}", auth: {${auth}}, query: {partialResponse: reject, dedup: true}`;
  const { client } = await connected(fields, { "/s": "s3cret\n", "/ca": authority.pem });
  expect(await client.query("up")).toMatchObject({ type: "vector" });
  expect(targets[0]).toMatch(/[?&]partial_response=false&deny_partial_response=1&dedup=true$/);
  const other = await createAuthority("other");
  const wary = await connected(fields, { "/s": "s3cret", "/ca": other.pem });
  await expect(wary.client.query("up")).rejects.toMatchObject({
    kind: "unauthorized",
    message: expect.stringContaining(`the token endpoint ${tokens} returned no token: `) as string,
  });
  await expect(connected(fields, { "/ca": authority.pem })).rejects.toThrow("source a: ENOENT: /s");
});

test.each([
  [{}, "source a: ENOENT: /t"],
  [{ "/t": " \n" }, "source a: /t is empty"],
  [{ "/t": "s3cret\nX-Other: 1" }, "source a: /t has a character that no header may have"],
])("a file of a secret that cannot be used stops the start: %j", async (files, message) => {
  const fields = 'url: "http://127.0.0.1:1", auth: {type: bearer, tokenFile: /t}';
  await expect(connected(fields, files)).rejects.toThrow(new Error(message));
});

test.each([
  ["auth: {type: basic, username: u, passwordFile: /f}", "source a: /f is empty"],
  ["auth: {type: google, credentialsFile: /f}", "source a: /f is empty"],
  ["tls: {caFile: /f}", "source a: /f is empty"],
  ['auth: {type: oauth2, tokenUrl: "https://a", clientId: c, clientSecretFile: /f}', "source a: /f is empty"],
])("an empty file of %s stops the start", async (fields, message) => {
  await expect(connected(`url: "http://127.0.0.1:1", ${fields}`, { "/f": "\n" })).rejects.toThrow(message);
});

test("a tenant for each namespace, and labels that every query gets and no result has", async () => {
  const seen: string[] = [];
  const { host: address } = await listen(
    createServer((request, response) => {
      const query = new URL(request.url ?? "", "http://x").searchParams.get("query");
      seen.push(`${String(request.headers["x-scope-orgid"])} ${query ?? ""}`);
      const labels = { pod: "p", cluster: "eu-1" };
      const result = [{ metric: labels, value: [1, "1"] }];
      response.end(JSON.stringify({ status: "success", data: { resultType: "vector", result } }));
    }),
  );
  const fields = "headers: {X-Scope-OrgID: 'ns-{namespace}'}, query: {extraLabels: {cluster: eu-1}}";
  const { client } = await connected(`url: "http://${address}", ${fields}`);
  expect(await client.query("rate(up[1m])", { namespace: "shop" })).toMatchObject({
    samples: [{ labels: { pod: "p" } }],
  });
  expect(seen).toEqual(['ns-shop rate(up{cluster="eu-1"}[1m])']);
  await expect(client.query("up")).rejects.toMatchObject({ kind: "bad_data" });
  expect(seen).toHaveLength(1);
});

test("a process with a bad file of sources says all that is wrong with it, and ends", async () => {
  const folder = await makeFolder({
    "sources.yaml":
      "sources:\n- {name: a, url: 'ftp://a'}\n- {name: a, url: 'http://b', auth: {type: magic}}\n",
  });
  const running = startProcess(folder, ["--config=rules.yaml", "--sources-config=sources.yaml"]);
  expect(await running.ended).toBe(1);
  expect(running.err()).toContain(
    'sources.yaml:2:18: sources[0].url: "ftp://a" must be an http or https URL',
  );
  expect(running.err()).toContain(
    'unknown type "magic": use one of none, basic, bearer, mtls, oauth2, sigv4, google, azure',
  );
  expect(running.err()).toContain('the name "a" is taken by another source');
});

test.each([
  ["reject", "Prometheus has only part of the data: receive series from Addr: x"],
  ["allow", undefined],
])("a response with a warning where partial responses are %s", async (partial, problem) => {
  const warnings = ["receive series from Addr: x"];
  const result = [{ metric: { queue: "a" }, value: [1, "7"] }];
  const text = JSON.stringify({ status: "success", data: { resultType: "vector", result }, warnings });
  const { host: address } = await listen(createServer((_request, response) => void response.end(text)));
  const { client } = await connected(`url: "http://${address}", query: {partialResponse: ${partial}}`);
  const got = await client.query("queue");
  expect(got).toMatchObject({ samples: [{ value: 7 }], warnings });
  expect(missingPart(got)).toBe(problem);
});
