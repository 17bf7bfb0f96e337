import { expect, test } from "vitest";
import { createPrometheusClient } from "../src/index.ts";
import { success, vector } from "../src/testing.ts";
import { clientOf, start } from "./client-rig.ts";

test("decodes a vector with every kind of number", async () => {
  const values = ["1.5", "NaN", "+Inf", "-Inf", "1e3", "-0", "1e-320", "inf", "-inf", "nan"];
  const { client } = await start(() =>
    vector(values.map((value, at) => ({ labels: { n: String(at) }, value }))),
  );
  const result = await client.query("x");
  expect(result.type === "vector" && result.samples.map((sample) => sample.value)).toEqual([
    1.5,
    Number.NaN,
    Infinity,
    -Infinity,
    1000,
    -0,
    1e-320,
    Infinity,
    -Infinity,
    Number.NaN,
  ]);
  expect(result.type === "vector" && result.samples[0]).toEqual({
    labels: { n: "0" },
    atMs: 1_700_000_000_000,
    value: 1.5,
  });
});

test("an empty list can be null", async () => {
  const { fake, client } = await start(() => success({ resultType: "vector", result: null }));
  expect(await client.query("a")).toMatchObject({ type: "vector", samples: [] });
  fake.handle(() => success(null));
  expect(await client.labelValues("__name__", [], { startMs: 0 })).toEqual([]);
  expect(await client.series(["up"], { startMs: 0 })).toEqual([]);
});

test("decodes scalar, string and matrix, warnings and infos", async () => {
  const { fake, client } = await start(() =>
    success({ resultType: "scalar", result: [1.5, "2"] }, { warnings: ["w"], infos: ["i"] }),
  );
  expect(await client.query("a")).toEqual({
    type: "scalar",
    atMs: 1500,
    value: 2,
    warnings: ["w"],
    infos: ["i"],
  });
  fake.handle(() => success({ resultType: "string", result: [1, "text"] }));
  expect(await client.query("b")).toMatchObject({ type: "string", text: "text" });
  fake.handle(() =>
    success({
      resultType: "matrix",
      result: [
        {
          metric: { a: "b" },
          values: [
            [1, "2"],
            [3.25, "NaN"],
          ],
        },
      ],
    }),
  );
  expect(await client.queryRange("c", { startMs: 0, endMs: 1, stepMs: 1 })).toMatchObject({
    type: "matrix",
    series: [
      {
        labels: { a: "b" },
        points: [
          [1000, 2],
          [3250, Number.NaN],
        ],
      },
    ],
  });
});

test("a response that says it is partial comes with a warning", async () => {
  const data = { resultType: "vector", result: [] };
  const { client } = await start(() => ({
    body: JSON.stringify({ status: "success", isPartial: true, data }),
  }));
  expect((await client.query("a")).warnings).toEqual(["the response is partial"]);
});

test("labels named like object members are data, not members", async () => {
  const body =
    '{"status":"success","data":{"resultType":"vector","result":[{"metric":{"__proto__":"p","constructor":"c"},"value":[1,"1"]}]}}';
  const { client } = await start(() => ({ body }));
  const result = await client.query("x");
  expect(result.type === "vector" && Object.entries(result.samples[0]?.labels ?? {})).toEqual([
    ["__proto__", "p"],
    ["constructor", "c"],
  ]);
  expect(({} as Record<string, unknown>)["p"]).toBeUndefined();
});

test("sends a real timeout, the time only when requested, and keeps the base's path and parameters", async () => {
  const { fake, client } = await start(() => vector([]));
  await client.query("up", { timeoutMs: 1_500 });
  await client.query("up", { atMs: 1_234_567 });
  const prefixed = clientOf({
    url: `${fake.url}/prefix/?tenant=a`,
    headers: { "X-Scope": "s" },
  });
  await prefixed.query("up");
  const [first, second, third] = fake.requests;
  expect([first?.path, first?.parameters.get("timeout"), first?.parameters.get("time")]).toEqual([
    "/api/v1/query",
    "1500ms",
    null,
  ]);
  expect(second?.parameters.get("time")).toBe("1234.567");
  expect([third?.path, third?.parameters.get("tenant"), third?.headers["x-scope"]]).toEqual([
    "/prefix/api/v1/query",
    "a",
    "s",
  ]);
});

test("GET for short queries, POST for long ones and on request", async () => {
  const { fake, client } = await start(() => vector([]));
  const long = `up{a=~"${"x|".repeat(3_000)}"}`;
  await client.query("up");
  await client.query(long);
  const poster = clientOf({ url: fake.url, verb: "POST" });
  await poster.query("up");
  expect(fake.requests.map(({ method }) => method)).toEqual(["GET", "POST", "POST"]);
  expect(fake.requests[1]?.parameters.get("query")).toBe(long);
});

test("reads the token each time, and takes user and password from the address", async () => {
  let token = "one";
  const { fake, client } = await start(() => vector([]), { bearerToken: () => token });
  await client.query("a");
  token = "two";
  await client.query("b");
  const basic = clientOf({ url: fake.url.replace("//", "//user:p%40ss@") });
  await basic.query("c");
  expect(fake.requests.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer one",
    "Bearer two",
    `Basic ${Buffer.from("user:p@ss").toString("base64")}`,
  ]);
});

test("series, label names and label values", async () => {
  const { fake, client } = await start(({ path }) =>
    path === "/api/v1/series" ? success([{ __name__: "a" }]) : success(["b"]),
  );
  const range = { startMs: 1_000, endMs: 2_500 };
  expect(await client.series(["x", "y"], range)).toEqual([{ __name__: "a" }]);
  expect(await client.labelNames(["x"], range)).toEqual(["b"]);
  expect(await client.labelValues("__name__", ["x"], range)).toEqual(["b"]);
  expect(fake.requests.map(({ path }) => path)).toEqual([
    "/api/v1/series",
    "/api/v1/labels",
    "/api/v1/label/__name__/values",
  ]);
  expect([...(fake.requests[0]?.parameters ?? [])]).toEqual([
    ["match[]", "x"],
    ["match[]", "y"],
    ["start", "1.000"],
    ["end", "2.500"],
  ]);
});

test("identical queries in flight are one request", async () => {
  let answer: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const { fake, client } = await start(async () => {
    await gate;
    return vector([]);
  });
  const all = [client.query("up"), client.query("up"), client.query("down")];
  await expect.poll(() => fake.requests.length).toBe(2);
  answer();
  await Promise.all(all);
  expect(fake.requests).toHaveLength(2);
});

test("connections are kept alive", async () => {
  const { fake, client } = await start(() => vector([]));
  for (let i = 0; i < 5; i += 1) await client.query(`q${i}`);
  expect(fake.connections).toBe(1);
});

test("refuses an address that is not a http URL", () => {
  expect(() => createPrometheusClient({ url: "ftp://x" })).toThrow(/http or https/);
  expect(() => createPrometheusClient({ url: "nonsense" })).toThrow(TypeError);
});
