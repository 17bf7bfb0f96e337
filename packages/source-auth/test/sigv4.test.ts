import { createPrometheusClient } from "@plimsoll/prometheus";
import { expect, onTestFinished, test } from "vitest";
import { type AwsCredentials, createSigV4Authorization } from "../src/providers/sigv4.ts";
import { type SeenRequest, startServer, successOf } from "./local-server.ts";
import { signatureIn, signatureOf } from "./verify-sigv4.ts";

const secretAccessKey = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
const example: AwsCredentials = { accessKeyId: "AKIDEXAMPLE", secretAccessKey };
const atMs = Date.UTC(2015, 7, 30, 12, 36);

const authorization = (service: string, credentials: AwsCredentials = example) =>
  createSigV4Authorization(
    { type: "sigv4", region: "us-east-1", service, profile: undefined },
    { nowMs: () => atMs, credentials: async () => credentials },
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
