// A server that repeats what it was sent, with every kind of credentials: nothing of it is shown to anyone, and to tenants no
// address either.
import { createServer, type IncomingMessage } from "node:http";
import { createLogger } from "@plimsoll/component-base/logger";
import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeRequest } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClientOptions } from "@plimsoll/prometheus";
import { loadSources } from "@plimsoll/rules";
import { listen, until } from "@plimsoll/testbed/world";
import { expect, onTestFinished, test } from "vitest";
import { toStatus } from "../../src/api/status.ts";
import { connectSource } from "../../src/app/sources.ts";
import { loadMetricRules } from "../../src/backends/metric-rules/load.ts";
import { assembleEngine } from "../../src/backends/prometheus/engine.ts";
import type { Source } from "../../src/backends/prometheus/source.ts";
import { fakeRules } from "./metric-rules/fake-rules.ts";
import { fakeCluster, fakeMapper } from "./prometheus/cluster.ts";
import { failureIn, required, rulesOf } from "./prometheus/harness.ts";

/** With marks that encoders escape. */
const secret = `hunter2<&"'>/+= \\%?#ok`;
/** Of those that a header has as they are. */
const token = "s3cr3t.To-ken_with/marks+and==";

/** What a server or a proxy may make of a request in its error. */
const echoes: Readonly<Record<string, (text: string) => string>> = {
  "as it is": (text) => text,
  base64: (text) => Buffer.from(text).toString("base64"),
  "base64, one letter later": (text) => Buffer.from(`x${text}`).toString("base64url"),
  "base64, two letters later": (text) => Buffer.from(`xx${text}`).toString("base64"),
  hex: (text) => Buffer.from(text).toString("hex"),
  "hex in upper case": (text) => Buffer.from(text).toString("hex").toUpperCase(),
  "an address": (text) => encodeURIComponent(text),
  "a form": (text) => new URLSearchParams({ text }).toString(),
  JSON: (text) => JSON.stringify(JSON.stringify(text)),
  HTML: (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&#34;"),
  "credentials decoded": (text) =>
    text.replaceAll(/Basic ([\w+/=]+)/g, (_all, pair: string) => Buffer.from(pair, "base64").toString()),
};

const internal = [
  "dial tcp 10.20.30.40:9090: connect: connection refused",
  "lookup thanos.monitoring.svc.cluster.local on 10.96.0.10:53: no such host",
];

interface Echo {
  readonly host: string;
  how: (text: string) => string;
}

/** Answers in three ways in turn: as Prometheus, as a proxy, and with something that is no response. */
async function startEcho(): Promise<Echo> {
  let requests = 0;
  const server = createServer((request, response) => {
    const text = echo.how(sent(request));
    requests += 1;
    if (request.url?.startsWith("/token") === true)
      return void response
        .writeHead(200, { "content-type": "application/json" })
        .end(JSON.stringify({ access_token: token, token_type: "Bearer", expires_in: 600 }));
    const error = `${internal.join(", ")}: ${text}`;
    const body = JSON.stringify({ status: "error", errorType: "execution", error });
    const kinds = [
      [422, body],
      [502, `<pre>${error}</pre>`],
      [200, `{"at":${JSON.stringify(error)}}`],
    ] as const;
    const [code, shown] = kinds[requests % kinds.length] ?? kinds[0];
    response.writeHead(code, { "content-type": "application/json" }).end(shown);
  });
  const { host } = await listen(server);
  const echo: Echo = { host, how: String };
  return echo;
}

/** The part with the credentials comes first: an error is cut. */
function sent({ url, headers }: IncomingMessage): string {
  const { authorization, host, ...others } = headers;
  const at = new URL(url ?? "", "http://x").search.slice(0, 100);
  return `${authorization ?? ""} ${others["x-key"]?.toString() ?? ""} ${at} host ${host ?? ""}`;
}

/** The forms in which a secret could be read. */
function forms(hidden: string): readonly string[] {
  const bytes = Buffer.from(hidden);
  const within = (before: number): string =>
    Buffer.concat([Buffer.alloc(before), bytes])
      .toString("base64")
      .slice(4, -4);
  return [
    hidden,
    hidden.slice(0, 12),
    within(0),
    within(1),
    within(2),
    bytes.toString("base64url").slice(0, -3),
    bytes.toString("hex"),
    bytes.toString("hex").toUpperCase(),
    encodeURIComponent(hidden),
    JSON.stringify(hidden).slice(1, -1),
  ];
}

async function ofFile(host: string, fields: string): Promise<Source> {
  const loaded = loadSources(`sources: [{name: team, url: "http://${host}", ${fields}}]`);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  const files: Record<string, string> = { "/secret": secret, "/token": token };
  const seams = {
    readText: async (path: string) => files[path] ?? "",
    clock: manualClock(1_700_000_000_000),
    log: createLogger("silent", { write: () => undefined }),
  };
  return await connectSource(required(loaded.config.sources[0]), { sources: 1, resultMaxAgeMs: 0 }, seams);
}

const client = (options: PrometheusClientOptions): Source => ({
  client: createPrometheusClient(options),
  resultMaxAgeMs: 0,
});

const sources: Readonly<Record<string, (host: string) => Promise<Source>>> = {
  basic: (host) => ofFile(host, "auth: {type: basic, username: adapter, passwordFile: /secret}"),
  bearer: (host) => ofFile(host, "auth: {type: bearer, tokenFile: /token}"),
  "a header": (host) => ofFile(host, "headersFrom: [{name: X-Key, file: /token}]"),
  oauth2: (host) =>
    ofFile(
      host,
      `auth: {type: oauth2, tokenUrl: "http://${host}/token", clientId: adapter, clientSecretFile: /secret}`,
    ),
  "an address with a password": async (host) =>
    client({ url: `http://adapter:${encodeURIComponent(secret)}@${host}` }),
  "an address with a parameter": async (host) =>
    client({ url: `http://${host}/?key=${encodeURIComponent(secret)}` }),
  "a token that is fetched": async (host) =>
    client({
      url: `http://${host}`,
      authorization: { headersOf: async () => ({ authorization: `Bearer ${token}` }), refused: () => false },
    }),
};

test.each(Object.keys(sources))("%s, echoed in any form, is shown nowhere", async (kind) => {
  const echo = await startEcho();
  const source = required(await sources[kind]?.(echo.host));
  const plain = client({ url: `http://${echo.host}/plain` });
  const clock = manualClock(1_700_000_000_000);
  const lines: string[] = [];
  const log = createLogger("debug", { write: (line) => void lines.push(line) });
  const api = fakeRules();
  const kube = api.client(clock);
  const statuses: KubeRequest[] = [];
  const create = required(await loadMetricRules({ namespaceLabel: "namespace", rulesPerNamespace: 50 }));
  const engine = assembleEngine({
    rules: rulesOf("rules: []"),
    source: plain,
    sources: new Map([["team", source]]),
    mapper: fakeMapper(),
    reflect: (info) => fakeCluster({}).reflect(info),
    createMetricRules: create,
    api: {
      client: {
        ...kube,
        request: (request) => {
          if (request.path.endsWith("/status")) statuses.push(request);
          return kube.request(request);
        },
      },
    },
    clock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    log,
  });
  onTestFinished(async () => {
    await engine.stop();
    await Promise.all([source.client.close(), plain.client.close()]);
  });
  await engine.start();
  await clock.advance(200);
  api.put("ns", "own", { type: "External", query: "up", source: "team" });
  await clock.advance(2_000);
  const responses: string[] = [];
  for (const how of Object.values(echoes))
    for (let times = 0; times < 3; times += 1) {
      echo.how = how;
      const outcome = await required(engine.external).get({
        metric: "own",
        namespace: "ns",
        labelSelector: "",
        signal: () => new AbortController().signal,
      });
      const { httpCode, status } = toStatus(failureIn(outcome));
      expect(httpCode).toBeGreaterThanOrEqual(500);
      expect(status.message).toContain("the source team ");
      responses.push(JSON.stringify(status));
      // A query that fails rests for a while.
      await clock.advance(61_000);
    }
  await until("a status is written", () => statuses.length > 0);
  const written = statuses.map(({ body }) => JSON.stringify(body));
  const logged = lines.filter((line) => line.includes("a request to a source failed"));
  expect(written.join("\n")).toContain("QueryFailed");
  expect(responses.join("\n")).toContain("***");
  expect(logged.join("\n")).toContain("10.20.30.40:9090");
  for (const line of logged) expect(JSON.parse(line)).toMatchObject({ code: "PLM2046", source: "team" });
  for (const text of [...responses, ...written, ...lines])
    for (const hidden of [secret, token]) for (const form of forms(hidden)) expect(text).not.toContain(form);
  for (const text of [...responses, ...written])
    for (const address of [echo.host, "127.0.0.1", "10.20.30.40", "thanos", ".svc", "10.96.0.10"])
      expect(text).not.toContain(address);
});
