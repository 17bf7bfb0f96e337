// Credentials that are made for each request.
import { expect, test } from "vitest";
import type { PrometheusClientOptions, RequestAuthorization, RequestToAuthorize } from "../src/index.ts";
import { failure, success } from "../src/testing.ts";
import { errorOf, start } from "./client-rig.ts";

const empty = success({ resultType: "vector", result: [] });

interface Tokens {
  readonly authorization: RequestAuthorization;
  readonly asked: RequestToAuthorize[];
  readonly refused: string[];
}

/** A credential whose tokens are taken one after the other; each refused one makes way for the next. */
function tokensOf(...tokens: readonly string[]): Tokens {
  const asked: RequestToAuthorize[] = [];
  const refused: string[] = [];
  return {
    asked,
    refused,
    authorization: {
      headersOf: async (request) => {
        asked.push(request);
        return { authorization: `Bearer ${tokens[refused.length] ?? ""}` };
      },
      refused: ({ authorization = "" }) => {
        refused.push(authorization);
        return refused.length < tokens.length;
      },
    },
  };
}

const using = (authorization: RequestAuthorization): Partial<PrometheusClientOptions> => ({ authorization });

test("asks for the headers of each request, with all that is sent", async () => {
  const { authorization, asked } = tokensOf("first");
  const { fake, client } = await start(() => empty, { ...using(authorization), headers: { "X-A": "b" } });
  await client.query("up");
  await client.query("x".repeat(5_000));
  expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual(["Bearer first", "Bearer first"]);
  expect(asked.map(({ method }) => method)).toEqual(["GET", "POST"]);
  expect(asked[0]?.url).toMatch(/\/api\/v1\/query\?query=up&timeout=10000ms$/);
  expect(asked[0]?.headers["x-a"]).toBe("b");
  expect(asked[1]?.body).toMatch(/^query=x{5000}&/);
});

test("a credential that expired in flight is replaced, and the request sent again", async () => {
  const { authorization, refused } = tokensOf("old", "new");
  const { fake, client } = await start(
    ({ headers }) => (headers.authorization === "Bearer new" ? empty : failure(401, "unauthorized", "old")),
    using(authorization),
  );
  await client.query("up");
  expect(refused).toEqual(["Bearer old"]);
  expect(fake.requests.length).toBe(2);
});

test("a request is repeated once, and not where there is no other credential", async () => {
  const many = tokensOf("a", "b", "c", "d");
  const refusing = { status: 401, body: "no" };
  const rig = await start(() => refusing, using(many.authorization));
  expect((await errorOf(rig.client.query("up"))).kind).toBe("unauthorized");
  expect(rig.fake.requests.length).toBe(2);

  const one = tokensOf("a");
  const other = await start(() => refusing, using(one.authorization));
  expect((await errorOf(other.client.query("up"))).kind).toBe("unauthorized");
  expect(other.fake.requests.length).toBe(1);
});

test("a clock that is set back does not lengthen the time of a request", async () => {
  const { authorization } = tokensOf("old", "new");
  let nowMs = 10_000_000;
  const delays: number[] = [];
  const { client } = await start(
    () => {
      nowMs -= 3_600_000;
      return { status: 401, body: "no" };
    },
    {
      ...using(authorization),
      timeoutMs: 5_000,
      clock: {
        nowMs: () => nowMs,
        after(delayMs) {
          delays.push(delayMs);
          return () => {};
        },
      },
    },
  );
  await errorOf(client.query("up"));
  expect(delays).toEqual([5_000, 5_000, 5_000, 5_000]);
});

test("blanks, of which each takes three characters in a signed address, count for what has to be sent by POST", async () => {
  const { authorization, asked } = tokensOf("first");
  const { client } = await start(() => empty, using(authorization));
  await client.query("a ".repeat(1_500));
  expect(asked.map(({ method }) => method)).toEqual(["POST"]);
});

test("without a credential nothing is sent, and the error says why", async () => {
  const { fake, client } = await start(
    () => empty,
    using({ headersOf: () => Promise.reject(new Error("the token endpoint is down")), refused: () => false }),
  );
  const error = await errorOf(client.query("up"));
  expect(error).toMatchObject({
    kind: "unauthorized",
    message: "there is no credential for it: the token endpoint is down",
  });
  expect(fake.requests).toEqual([]);
});

test("waiting for a credential ends at the deadline, and when the caller aborts", async () => {
  const { client } = await start(
    () => empty,
    using({ headersOf: () => new Promise(() => {}), refused: () => false }),
  );
  expect(await errorOf(client.query("up", { timeoutMs: 20 }))).toMatchObject({
    kind: "timeout",
    message: "no credential within 20 ms",
  });
  const reason = new Error("the caller left");
  const controller = new AbortController();
  const query = client.query("up", { signal: controller.signal });
  controller.abort(reason);
  await expect(query).rejects.toBe(reason);
});

test("a credential is in no message", async () => {
  const { authorization } = tokensOf("hunter2");
  const { client } = await start(
    ({ headers }) => ({ status: 500, body: `bad ${headers.authorization ?? ""}` }),
    using(authorization),
  );
  const { message } = await errorOf(client.query("up"));
  expect(message).toMatch(/HTTP 500/);
  expect(message).not.toContain("hunter2");
});
