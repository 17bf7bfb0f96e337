import { expect, test } from "vitest";
import { createPrometheusClient, type FetchLike, PrometheusError } from "../src/index.ts";

const mib = 1024 * 1024;

interface Sent {
  readonly status?: number;
  readonly body: string;
  /** How often the body is sent, one after the other. */
  readonly times?: number;
}

/** Asks a server that responds like this; counts what was read of the response. */
async function ask({ status = 200, body, times = 1 }: Sent): Promise<{ outcome: unknown; bytes: number }> {
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for (let time = 0; time < times; time += 1) {
      const chunk = Buffer.from(body);
      bytes += chunk.byteLength;
      yield chunk;
    }
  }
  const fetch: FetchLike = async () => ({ status, headers: { get: () => null }, body: chunks() });
  const client = createPrometheusClient({ url: "http://prometheus.test", fetch });
  const outcome: unknown = await client.query("up").catch((error: unknown) => error);
  return { outcome, bytes };
}

function errorIn(outcome: unknown): PrometheusError {
  if (outcome instanceof PrometheusError) return outcome;
  throw new Error(`no PrometheusError: ${String(outcome)}`);
}

const long = "x".repeat(20 * mib);
const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
const query = (data: string): string => `{"status":"success","data":${data}}`;

test.each([
  [
    "an error of the API",
    400,
    JSON.stringify({ status: "error", errorType: "bad_data", error: long }),
    "bad_data",
  ],
  ["a timeout", 503, JSON.stringify({ status: "error", errorType: "timeout", error: long }), "timeout"],
  [
    "another error",
    422,
    JSON.stringify({ status: "error", errorType: "execution", error: long }),
    "execution",
  ],
  ["a page", 502, `<html>${long}`, "server_error"],
  ["a type of error", 400, JSON.stringify({ status: "error", errorType: long, error: "" }), "bad_data"],
])("a text of 20 MB is cut: %s", async (_, status, body, kind) => {
  const error = errorIn((await ask({ status, body })).outcome);
  expect(error.kind).toBe(kind);
  expect(error.message.length).toBeLessThan(600);
  expect(error.message).toMatch(/^HTTP \d+: .*…"?$/);
});

test("of a failure that never ends the start is read, and no more", async () => {
  const { outcome, bytes } = await ask({ status: 500, body: "x".repeat(10_000), times: 1_000_000 });
  expect(errorIn(outcome).kind).toBe("server_error");
  expect(bytes).toBeLessThan(100_000);
});

test("warnings are cut in length and number, and one that data are missing is not lost", async () => {
  const hints = Array.from({ length: 10_000 }, (_, at) => `PromQL info: ${String(at)} ${"x".repeat(2_000)}`);
  const warnings = [...hints, `remote read failed ${"x".repeat(2_000)}`];
  const vector = { resultType: "vector", result: [] };
  const body = JSON.stringify({ status: "success", data: vector, warnings, infos: hints });
  const { outcome } = await ask({ body });
  expect(JSON.stringify(outcome).length).toBeLessThan(12_000);
  expect(outcome).toMatchObject({
    warnings: { length: 11, 0: expect.stringMatching(/^remote read failed/), 10: "and 9991 more" },
    infos: { length: 11 },
  });
});

test.each([
  ["resultType", query(`{"resultType":${nested},"result":[]}`)],
  ["result", query(`{"resultType":"vector","result":${nested}}`)],
  ["sample", query(`{"resultType":"vector","result":[{"metric":{},"value":${nested}}]}`)],
  ["label", query(`{"resultType":"vector","result":[{"metric":{"a":${nested}},"value":[1,"1"]}]}`)],
  ["everything", nested],
])("a response that is nested too deep is none: %s", async (_, body) => {
  const error = errorIn((await ask({ body })).outcome);
  expect(error.kind).toBe("bad_response");
  expect(error.message.length).toBeLessThan(600);
});

test("warnings that are nested too deep do no harm", async () => {
  const vector = `{"resultType":"vector","result":[]}`;
  const { outcome } = await ask({ body: `{"status":"success","data":${vector},"warnings":[${nested}]}` });
  expect(outcome).toMatchObject({ type: "vector", warnings: ["a warning that is not a string"] });
});

test.each([
  ["a type of result", query(`{"resultType":"${"y".repeat(mib)}","result":[]}`)],
  ["a value", query(`{"resultType":"vector","result":[{"metric":{},"value":[1,"${"y".repeat(mib)}"]}]}`)],
  [
    "the name of a label",
    query(`{"resultType":"vector","result":[{"metric":{"${"y".repeat(mib)}":1},"value":[1,"1"]}]}`),
  ],
])("what is long and wrong is cut: %s", async (_, body) => {
  expect(errorIn((await ask({ body })).outcome).message.length).toBeLessThan(600);
});
