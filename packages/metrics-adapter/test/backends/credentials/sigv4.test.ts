import { createPrometheusClient } from "@plimsoll/prometheus";
import { expect, onTestFinished, test } from "vitest";
import {
  type AwsCredentials,
  createSigV4Authorization,
} from "../../../src/backends/credentials/providers/sigv4.ts";
import { testClock } from "./clock.ts";
import { type SeenRequest, startServer, successOf } from "./local-server.ts";
import { signatureIn, signatureOf } from "./verify-sigv4.ts";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const example: AwsCredentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey };
const atMs = Date.UTC(2015, 7, 30, 12, 36);

const authorization = (service: string, credentials: AwsCredentials = example) =>
  createSigV4Authorization(
    { type: "sigv4", region: "us-east-1", service, profile: undefined },
    { clock: testClock(atMs), credentials: async () => credentials },
  );

/** Of AWS's test suite for signatures, by the names of its cases. */
const published: readonly (readonly [
  name: string,
  method: "GET" | "POST",
  target: string,
  signature: string,
])[] = [
  ["get-vanilla", "GET", "/", "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"],
  ["post-vanilla", "POST", "/", "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"],
  [
    "get-vanilla-query-order-key-case",
    "GET",
    "/?Param2=value2&Param1=value1",
    "b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500",
  ],
];

test.each(published)(
  "the published case %s, by what signs and by what verifies",
  async (_name, method, target, signature) => {
    const request = { method, url: `https://example.amazonaws.com${target}`, headers: {}, body: undefined };
    const headers = await authorization("service").headersOf(request);
    const signed: SeenRequest = {
      method,
      target,
      headers: { host: "example.amazonaws.com", ...headers },
      body: "",
    };
    expect(signatureIn(signed)).toBe(signature);
    expect(signatureOf(signed, { secret: secretAccessKey, region: "us-east-1", service: "service" })).toBe(
      signature,
    );
  },
);

/** Refuses what is not signed as it should be. */
async function startVerifying(): Promise<{ url: string; requests: readonly SeenRequest[] }> {
  const requests: SeenRequest[] = [];
  const key = { secret: secretAccessKey, region: "us-east-1", service: "aps" };
  const { url } = await startServer((request, response) => {
    requests.push(request);
    const data = request.target.includes("/query") ? { resultType: "vector", result: [] } : [];
    response.writeHead(signatureIn(request) === signatureOf(request, key) ? 200 : 403);
    response.end(successOf(data));
  });
  return { url, requests };
}

const queries = [
  "up",
  'sum(rate(http_requests_total{job=~"a.*|b", path!="/x y"}[5m])) / 2 > bool 0.5 + 1 * 3',
  `{"ü name'()!*~%"="line\\nfeed"}`,
  "x".repeat(5_000),
];

test.each(queries)("the server accepts the signature of %.40s", async (promql) => {
  const { url, requests } = await startVerifying();
  const client = createPrometheusClient({
    url: `${url}/workspaces/ws-1`,
    headers: { "X-A": "b" },
    authorization: authorization("aps", { ...example, sessionToken: "a+session/token==" }),
  });
  onTestFinished(() => client.close());
  expect(await client.query(promql, { atMs })).toMatchObject({ type: "vector" });
  const range = { startMs: 0, endMs: atMs };
  expect(await client.series(["up", '{a="b c"}'], range)).toEqual([]);
  expect(await client.labelValues("ü/x", ['{a="b c"}'], range)).toEqual([]);
  expect(requests.map(({ headers }) => headers["x-amz-security-token"])).toEqual(
    requests.map(() => "a+session/token=="),
  );
});

test("a request that was changed on its way is not accepted", async () => {
  const { url } = await startVerifying();
  const other = { ...example, secretAccessKey: "another" };
  const client = createPrometheusClient({ url, authorization: authorization("aps", other) });
  onTestFinished(() => client.close());
  await expect(client.query("up")).rejects.toMatchObject({ kind: "unauthorized", status: 403 });
});

/** Credentials that come one after the other, and the key that the signature of a request names. */
function keysOf(...next: readonly (() => Promise<AwsCredentials>)[]) {
  const clock = testClock(atMs);
  let asked = 0;
  const signing = createSigV4Authorization(
    { type: "sigv4", region: "us-east-1", service: "aps", profile: undefined },
    {
      clock,
      credentials: () => {
        asked += 1;
        return (next[asked - 1] ?? (async () => example))();
      },
    },
  );
  const request = { method: "GET", url: "http://aps/", headers: {}, body: undefined } as const;
  const key = async (): Promise<string | undefined> =>
    /Credential=(\w+)/.exec((await signing.headersOf(request))["authorization"] ?? "")?.[1];
  return { clock, key, asked: () => asked };
}

test("credentials that never come are asked for again", async () => {
  const { clock, key } = keysOf(() => new Promise(() => {}));
  const waiting = key();
  await expect.poll(() => clock.timers, { interval: 1 }).toBe(1);
  clock.advance(10_000);
  await expect(waiting).rejects.toThrow("no token within 10000 ms");
  clock.advance(5_000);
  expect(await key()).toBe("AKIDEXAMPLE");
});

test("where there are none they are asked for every five seconds, not for each request", async () => {
  const { clock, key, asked } = keysOf(() => Promise.reject(new Error("no keys")));
  for (let count = 0; count < 5; count += 1) await expect(key()).rejects.toThrow("no keys");
  expect(asked()).toBe(1);
  clock.advance(5_000);
  expect(await key()).toBe("AKIDEXAMPLE");
});

test("keys are read again: those that end before they do, others after five minutes", async () => {
  const other = (accessKeyId: string, lastsMs?: number) => async (): Promise<AwsCredentials> => ({
    ...example,
    accessKeyId,
    expiration: lastsMs === undefined ? undefined : new Date(clock.nowMs() + lastsMs),
  });
  const { clock, key } = keysOf(other("FIRST"), other("SECOND", 3_600_000), other("THIRD"));
  expect(await key()).toBe("FIRST");
  clock.advance(300_000);
  expect(await key()).toBe("SECOND");
  clock.advance(1_800_000);
  expect(await key()).toBe("SECOND");
  clock.advance(1_790_000);
  expect(await key()).toBe("THIRD");
});

test("the keys and the session token of a signature are hidden in errors of a server that repeats them", async () => {
  const sessionToken = "IQoJb3JpZ2luX2VjE/session+token==";
  const forms = (text: string): readonly string[] => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString("base64").replaceAll("=", "").slice(0, -1),
    Buffer.from(text).toString("hex"),
  ];
  let encode = (text: string): string => text;
  const { url } = await startServer(({ headers }, response) => {
    response.writeHead(403);
    response.end(encode(`${headers["x-amz-security-token"]?.toString() ?? ""} and ${secretAccessKey}`));
  });
  const client = createPrometheusClient({
    url,
    authorization: authorization("aps", { ...example, sessionToken }),
  });
  onTestFinished(() => client.close());
  for (const encoding of ["utf8", "base64", "base64url", "hex"] as const) {
    encode = (text) => Buffer.from(text).toString(encoding);
    const error = String(await client.query("up").catch((reason: unknown) => reason));
    expect(error).toContain("***");
    for (const form of [...forms(sessionToken), ...forms(secretAccessKey)]) expect(error).not.toContain(form);
  }
});
