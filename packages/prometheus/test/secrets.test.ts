import { inspect } from "node:util";
import { redact, registerSecret } from "@plimsoll/core/redact";
import { assertProperty } from "@plimsoll/properties";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { createPrometheusClient, type FetchLike, PrometheusError } from "../src/index.ts";

const secret = fc
  .string({ unit: "grapheme-ascii", maxLength: 20 })
  .map((middle) => `s3cr${middle.trim()}t0k3n`);

/** What a misconfigured proxy may do: repeat everything that it was sent. */
const echoes: readonly ((url: string, headers: Record<string, string>) => ReturnType<FetchLike>)[] = [
  async (url, headers) => answer(401, `<pre>${url}\n${Object.entries(headers).join("\n")}</pre>`),
  async (url, headers) => answer(200, JSON.stringify({ url, headers })),
  async (url, headers) => answer(422, failure(`${url} ${JSON.stringify(headers)}`)),
  async (url) => answer(302, "", url),
  ...(["base64", "base64url", "hex"] as const).map(
    (encoding) => async (url: string, headers: Record<string, string>) => {
      const start = "x".repeat(Object.keys(headers).length % 3);
      const { authorization = "", "x-key": key = "" } = headers;
      return answer(500, Buffer.from(`${start}${authorization} ${key} ${url}`).toString(encoding));
    },
  ),
  async (_, { authorization = "" }) =>
    answer(401, Buffer.from(authorization.replace(/^Basic /, ""), "base64").toString()),
  async (url, headers) => {
    throw new TypeError(`request to ${url} failed: ${Object.values(headers).join()}`);
  },
];

test("no error of the client holds a password, a header's value, a token or a parameter of the address", async () => {
  const property = fc.asyncProperty(
    fc.record({ password: secret, header: secret, token: secret, parameter: secret, isBasic: fc.boolean() }),
    fc.constantFrom(...echoes),
    async (secrets, echo) => {
      const url = new URL("http://prometheus:9090/");
      url.username = "user";
      url.password = secrets.password;
      url.searchParams.set("apikey", secrets.parameter);
      const client = createPrometheusClient({
        url: url.href,
        fetch: (target, init) => echo(target, init.headers),
        headers: { "X-Key": secrets.header },
        ...(secrets.isBasic ? {} : { bearerToken: () => secrets.token }),
      });
      const error: unknown = await client.query("up").catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(PrometheusError);
      const shown = `${String(error)} ${JSON.stringify(error)} ${String((error as Error).cause)}`;
      for (const text of [shown, ...decoded(shown)])
        for (const hidden of ["s3cr", "t0k3n"]) expect(text).not.toContain(hidden);
    },
  );
  await assertProperty(property, { numRuns: 500 });
});

/** What whoever reads the text may get out of it. */
function decoded(text: string): readonly string[] {
  const runs = text.match(/[\w+/-]{6,}/g) ?? [];
  return runs.flatMap((run) => [
    ...[0, 1, 2, 3].map((from) => Buffer.from(run.slice(from), "base64").toString("latin1")),
    ...[0, 1].map((from) => Buffer.from(run.slice(from), "hex").toString("latin1")),
  ]);
}

test.each(["X-Scope-OrgID", "THANOS-TENANT"])("the name of a tenant in %s hides no words", async (header) => {
  const client = createPrometheusClient({
    url: "http://prometheus:9090",
    headers: { [header]: "production" },
    fetch: async () => answer(422, failure("no series in production")),
  });
  await expect(client.query("up")).rejects.toThrow("no series in production");
});

test("an address that cannot be used is refused without its credentials", () => {
  assertProperty(
    fc.property(secret, fc.constantFrom("host:notaport", "ho st", "h:99999"), (password, place) => {
      let refused: unknown;
      try {
        createPrometheusClient({ url: `http://user:${password}@${place}` });
      } catch (error) {
        refused = error;
      }
      expect(refused).toBeInstanceOf(TypeError);
      expect(inspect(refused)).not.toMatch(/s3cr|t0k3n/);
    }),
  );
});

test.each([
  "http://user:s3cr@host#t0k3n@prometheus:9090",
  "http://user:s3cr@host/t0k3n@prometheus:9090",
  "http://user:s3cr@host?t0k3n@prometheus:9090",
  "http://prometheus:9090/#graph",
])("an address that a delimiter in the password leads elsewhere is refused: %s", (url) => {
  expect(() => createPrometheusClient({ url })).toThrow('must have no fragment, and "/", "?" and "#"');
});

test.each(["http://user:s3cr@t0k3n@prometheus:9090/path", "http://prometheus:9090/team@example?from=a@b"])(
  "an address that leads where it seems to is taken: %s",
  (url) => {
    expect(() => createPrometheusClient({ url })).not.toThrow();
  },
);

test("a percent sign in a password is kept when it encodes nothing", async () => {
  let authorization = "";
  const client = createPrometheusClient({
    url: "http://user:100%@prometheus:9090",
    fetch: async (_, { headers }) => {
      authorization = headers["authorization"] ?? "";
      return answer(200, JSON.stringify({ status: "success", data: { resultType: "vector", result: [] } }));
    },
  });
  await client.query("up");
  expect(authorization).toBe(`Basic ${Buffer.from("user:100%").toString("base64")}`);
});

function answer(status: number, text: string, location?: string): Awaited<ReturnType<FetchLike>> {
  return {
    status,
    headers: { get: (name) => (name === "location" ? (location ?? null) : null) },
    body: (async function* () {
      yield Buffer.from(text);
    })(),
  };
}

function failure(error: string): string {
  return JSON.stringify({ status: "error", errorType: "execution", error });
}

test("what is no credential by its name is not hidden in texts about other things", () => {
  createPrometheusClient({
    url: "http://prometheus:9090/?engine=production&apikey=of-the-address",
    headers: { "X-Region": "production", "X-Api-Key": "of-the-headers" },
  });
  expect(redact("production, of-the-address, of-the-headers")).toBe("production, ***, ***");
});

test("a password in use stays hidden in all texts, however many tokens were rotated since the client was made", async () => {
  const client = createPrometheusClient({
    url: "http://user:pa55w0rd-of-url@prometheus:9090",
    fetch: async () => answer(200, '{"status":"success","data":{"resultType":"vector","result":[]}}'),
  });
  for (let n = 0; n < 300; n += 1) registerSecret(`rotated-token-${n}`);
  await client.query("up");
  expect(redact("it is pa55w0rd-of-url")).toBe("it is ***");
});
