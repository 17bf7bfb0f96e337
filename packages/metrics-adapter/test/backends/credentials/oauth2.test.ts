// Tokens of a token endpoint on a real socket.
import type { ServerResponse } from "node:http";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { startFakePrometheus, success } from "@plimsoll/prometheus/testing";
import type { OAuth2Auth } from "@plimsoll/rules";
import { expect, onTestFinished, test } from "vitest";
import { createSourceAuthorization } from "../../../src/backends/credentials/index.ts";
import { testClock } from "./clock.ts";
import { startServer } from "./local-server.ts";

const empty = success({ resultType: "vector", result: [] });

interface Grant {
  readonly authorization: string | undefined;
  readonly form: Record<string, string>;
}

type Endpoint = (response: ServerResponse, count: number) => void;

const granted: Endpoint = (response, count) => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ access_token: `token-${count}`, token_type: "Bearer", expires_in: 600 }));
};

async function startEndpoint(endpoint: Endpoint): Promise<{ url: string; grants: readonly Grant[] }> {
  const grants: Grant[] = [];
  const { url } = await startServer(({ headers, body }, response) => {
    const form = Object.fromEntries(new URLSearchParams(body));
    grants.push({ authorization: headers["authorization"], form });
    endpoint(response, grants.length);
  });
  return { url: `${url}/token`, grants };
}

async function rig(
  endpoint: Endpoint,
  options: Partial<OAuth2Auth> = {},
  secrets: readonly string[] = ["hunter2\n", "hunter3\n"],
) {
  const { url, grants } = await startEndpoint(endpoint);
  const auth: OAuth2Auth = {
    type: "oauth2",
    tokenUrl: url,
    clientId: "adapter",
    clientSecretFile: "/secret",
    tokenAuthMethod: "client_secret_basic",
    scopes: [],
    parameters: [],
    caFile: undefined,
    ...options,
  };
  const fake = await startFakePrometheus(() => empty);
  onTestFinished(() => fake.close());
  const clock = testClock();
  const authorization = createSourceAuthorization(auth, {
    readText: async () => secrets[Math.min(grants.length, 1)] ?? "",
    clock,
  });
  const client: PrometheusClient = createPrometheusClient({ url: fake.url, authorization });
  onTestFinished(() => client.close());
  return {
    client,
    clock,
    fake,
    grants,
    seen: () => fake.requests.map(({ headers }) => headers.authorization),
  };
}

const basic = (text: string): string => `Basic ${Buffer.from(text).toString("base64")}`;

test("queries carry a token of the endpoint, and a new one with the rotated secret before it ends", async () => {
  const { client, clock, grants, seen } = await rig(granted, {
    scopes: ["metrics", "read"],
    parameters: [["audience", "mimir"]],
  });
  await client.query("up");
  await client.query("up");
  clock.advance(595_000);
  await client.query("up");
  expect(seen()).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
  const form = { grant_type: "client_credentials", scope: "metrics read", audience: "mimir" };
  expect(grants).toEqual([
    { authorization: basic("adapter:hunter2"), form },
    { authorization: basic("adapter:hunter3"), form },
  ]);
});

test("the secret is in the body where the endpoint wants it there", async () => {
  const { client, grants } = await rig(granted, { tokenAuthMethod: "client_secret_post" });
  await client.query("up");
  expect(grants).toEqual([
    {
      authorization: undefined,
      form: { grant_type: "client_credentials", client_id: "adapter", client_secret: "hunter2" },
    },
  ]);
});

test("an empty secret is not sent: the error names its file", async () => {
  const { client, grants } = await rig(granted, {}, [" \n", " \n"]);
  await expect(client.query("up")).rejects.toMatchObject({
    kind: "unauthorized",
    message: expect.stringMatching(/^there is no credential for it: \/secret is empty/) as string,
  });
  expect(grants).toEqual([]);
});

test("a token that the server refuses is replaced once", async () => {
  const { client, clock, fake, seen } = await rig(granted);
  await client.query("up");
  clock.advance(60_000);
  fake.handle(({ headers }) =>
    headers.authorization === "Bearer token-1" ? { status: 401, body: "revoked" } : empty,
  );
  await client.query("up");
  expect(seen()).toEqual(["Bearer token-1", "Bearer token-1", "Bearer token-2"]);
});

test("a token that ends while requests are in flight is replaced once for all of them", async () => {
  const { client, clock, fake, grants, seen } = await rig(granted);
  await client.query("up");
  clock.advance(580_000);
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  fake.handle(async ({ headers }) => {
    if (headers.authorization !== "Bearer token-1") return empty;
    await held;
    return { status: 401, body: "the token has expired" };
  });
  const inFlight = Array.from({ length: 8 }, (_, at) => client.query(`up offset ${at}s`));
  await expect.poll(() => seen().length).toBe(9);
  clock.advance(60_000);
  release();
  await Promise.all(inFlight);
  expect(grants).toHaveLength(2);
  expect(seen().slice(9)).toEqual(Array(8).fill("Bearer token-2"));
});

const json =
  (status: number, body: unknown): Endpoint =>
  (response) => {
    response.writeHead(status, { "content-type": "application/json" });
    response.end(JSON.stringify(body));
  };

const token = "t".repeat(100_000);

test.each<[string, Endpoint, RegExp]>([
  [
    "a refusal",
    json(401, { error: "invalid_client", error_description: "no such client" }),
    /returned no token: HTTP 401: invalid_client: no such client/,
  ],
  [
    "a refusal that repeats the secret",
    json(400, { error: "hunter2", error_description: "client_secret hunter2 is wrong" }),
    /returned no token: HTTP 400: \*\*\*: client_secret \*\*\* is wrong/,
  ],
  [
    "a page",
    (response) => response.end("<html>"),
    /returned no token: HTTP 200 without an OAuth 2.0 response/,
  ],
  ["a failure without a body", (response) => response.writeHead(503).end(), /returned no token: HTTP 503/],
  [
    "a redirect",
    (response) => response.writeHead(302, { location: "http://127.0.0.1:1/" }).end(),
    /returned no token: HTTP 302/,
  ],
  [
    "an unknown type of token",
    json(200, { access_token: "a", token_type: "mac" }),
    /unsupported `token_type`/,
  ],
  ["a token of another type", json(200, { access_token: "a", token_type: "DPoP" }), /only bearer tokens/],
  ["no token", json(200, { token_type: "bearer" }), /"access_token"/],
  ["a response without an end", json(200, { access_token: token }), /larger than 65536 bytes/],
  ["a connection that breaks", (response) => response.destroy(), /returned no token: .*(hang up|ECONNRESET)/],
])("nothing is sent to the server after %s", async (_what, endpoint, expected) => {
  const { client, fake } = await rig(endpoint);
  const message = await client.query("up").then(
    () => "",
    (error: unknown) => (error as Error).message,
  );
  expect(message).toMatch(/^there is no credential for it: the token endpoint 127\.0\.0\.1:\d+ /);
  expect(message).toMatch(expected);
  expect(message).not.toContain("hunter");
  expect(fake.requests).toEqual([]);
});
