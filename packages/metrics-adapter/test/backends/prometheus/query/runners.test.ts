import { expect, test } from "vitest";
import type { ExecutableQuery } from "../../../../src/backends/prometheus/query/execute.ts";
import type { QueryRunner } from "../../../../src/backends/prometheus/query/runner.ts";
import { createRunners } from "../../../../src/backends/prometheus/query/runners.ts";
import { required } from "../harness.ts";

const never = new Promise<never>(() => {});

/** A source that does not respond. */
const silent = {
  prepare: () => {
    throw new Error("no query is prepared here");
  },
  run: () => never,
  unanswered: () => 0,
  ofRules: {
    get: () => never,
    cached: () => undefined,
    isShared: () => false,
    freshnessOf: () => ({ isFresh: () => true, reused: () => {} }),
  },
} satisfies QueryRunner;

const query = {} as ExecutableQuery;

test("requests for MetricRules count among those that wait for a source", async () => {
  const runners = createRunners(
    { name: "default", runner: { ...silent } },
    [{ name: "team-a", runner: { ...silent } }],
    20,
  );
  const runnerOf = (source: string): QueryRunner => {
    const found = runners.of({ source }, "ns");
    return required(found.ok ? found.value : undefined);
  };
  for (let at = 0; at < 10; at += 1) void runnerOf("team-a").ofRules.get(query);
  await expect(runnerOf("team-a").ofRules.get(query)).rejects.toThrow(
    "10 requests are already waiting for source team-a",
  );
  expect(runnerOf("default").ofRules.get(query)).toBeInstanceOf(Promise);
});
