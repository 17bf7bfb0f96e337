// Requests in parts of a day, four at once, and halves of what is too large.
import { createPrometheusClient, type FetchLike } from "@plimsoll/prometheus";
import { expect, test } from "vitest";
import { type HistoryError, readHistory } from "../../src/prometheus/index.ts";
import { createRunner, daysOf } from "../../src/prometheus/plan.ts";
import { hpa } from "../../src/testing/index.ts";

const dayMs = 86_400_000;

function answering(status: number, body: string): FetchLike {
  return async () => ({
    status,
    headers: { get: () => null },
    body: [body] as unknown as AsyncIterable<string>,
  });
}

async function failure(fetch: FetchLike, span = { fromMs: 0, toMs: dayMs }): Promise<HistoryError> {
  const client = createPrometheusClient({ url: "http://prometheus.test", fetch });
  return await readHistory({ client, object: hpa, span, nowMs: () => dayMs }).then(
    () => expect.fail("it was read"),
    (error: unknown) => error as HistoryError,
  );
}

test("a week is seven parts, the last shorter", () => {
  const days = daysOf({ fromMs: 0, toMs: 6.5 * dayMs });
  expect(days.length).toBe(7);
  expect(days.at(-1)).toEqual({ fromMs: 6 * dayMs, toMs: 6.5 * dayMs });
});

test("no more than four requests are under way, and what is too large is halved", async () => {
  let [open, highest] = [0, 0];
  const fetch: FetchLike = async (url) => {
    highest = Math.max(highest, ++open);
    await Promise.resolve();
    open--;
    const isLong = new URL(url).searchParams.get("query")?.includes("[86400000ms]") === true;
    const body = isLong
      ? {
          status: "error",
          errorType: "execution",
          error: "query processing would load too many samples into memory",
        }
      : { status: "success", data: { resultType: "matrix", result: [{ metric: {}, values: [[1, "1"]] }] } };
    const text = JSON.stringify(body);
    return {
      status: isLong ? 422 : 200,
      headers: { get: () => null },
      body: [text] as unknown as AsyncIterable<string>,
    };
  };
  const client = createPrometheusClient({ url: "http://prometheus.test", fetch });
  const { signal } = new AbortController();
  const runner = createRunner({ signal, maxSamples: 100 });
  const parts = daysOf({ fromMs: 0, toMs: 7 * dayMs });
  const query = {
    promql: ({ fromMs, toMs }: { fromMs: number; toMs: number }) => `up[${toMs - fromMs}ms]`,
    request: (promql: string, { toMs }: { toMs: number }) => client.query(promql, { atMs: toMs }),
  };
  const found = await runner.run(query, parts);
  expect(found.map((tracks) => tracks.length)).toEqual([2, 2, 2, 2, 2, 2, 2]);
  expect(runner.requests()).toBe(21);
  expect(highest).toBe(4);
  await expect(createRunner({ signal, maxSamples: 10 }).run(query, parts)).rejects.toThrow(
    "more than 10 samples",
  );
});

test("errors of the client are given with the query and its span", async () => {
  const refused = await failure(answering(401, ""));
  expect(refused.code).toBe("prometheus");
  expect(refused.message).toMatch(/HTTP 401.*query \{.*1970-01-01T00:00:00Z to 1970-01-02T00:00:00Z/);
  expect((await failure(answering(200, "<html>log in</html>"))).message).toContain("<html>log in");
  const broken = async () => {
    throw new Error("connect ECONNREFUSED");
  };
  expect((await failure(broken)).message).toContain("connect ECONNREFUSED");
  const invalid = JSON.stringify({ status: "error", errorType: "execution", error: "many-to-many matching" });
  expect((await failure(answering(422, invalid))).message).toContain("many-to-many matching");
});

test("without kube-state-metrics it says what remains", async () => {
  const matrix = JSON.stringify({ status: "success", data: { resultType: "matrix", result: [] } });
  const none = JSON.stringify({ status: "success", data: [] });
  const fetch: FetchLike = async (url, init) =>
    await answering(200, url.includes("/series") ? none : matrix)(url, init);
  const error = await failure(fetch);
  expect(error.code).toBe("no-kube-state-metrics");
  expect(error.message).toContain("--record-inputs");
});

test("a span that has not begun is refused", async () => {
  const error = await failure(answering(200, ""), { fromMs: 2 * dayMs, toMs: 3 * dayMs });
  expect(error.message).toContain("is empty");
});
