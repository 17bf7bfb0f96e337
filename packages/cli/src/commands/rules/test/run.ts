// Runs tests of rules, each against a Prometheus of its own.
import { messageOf } from "@plimsoll/component-base";
import { compareQuantity, parseQuantity } from "@plimsoll/core/quantity";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import { type RealPrometheus, startRealPrometheus, type WrittenSeries } from "@plimsoll/prometheus/server";
import {
  type CompiledRules,
  createBuiltinMapper,
  createSeriesSource,
  listMetrics,
  type Served,
  serveMetric,
} from "@plimsoll/rules";
import { CliError } from "../../../seams.ts";
import type { Expected, ExpectedItem, RulesTest } from "./test-file.ts";

/** What a test expected, and what it got. */
export interface TestResult {
  readonly name: string;
  readonly get: string;
  readonly ok: boolean;
  readonly expected: Expected;
  readonly got: Expected;
}

export interface RunOptions {
  readonly rules: CompiledRules;
  /** The program Prometheus. */
  readonly binary: string;
  /** How far back series count as existing. */
  readonly maxAgeMs: number;
  readonly signal: AbortSignal;
}

/** The time of the first value: any time whose minutes and hours are whole. */
const startMs = Date.UTC(2001, 0, 1);

/** @throws CliError when Prometheus cannot be started */
export async function runTest(test: RulesTest, options: RunOptions): Promise<TestResult> {
  const prometheus = await start(options);
  const client = createPrometheusClient({ url: prometheus.url });
  try {
    await prometheus.write(test.series.map((series) => writtenSeries(series, test.intervalMs)));
    const got = await serve(test, client, options);
    const { name, get, expected } = test;
    return { name, get, ok: agrees(expected, got), expected, got };
  } finally {
    await client.close();
    await prometheus.stop();
  }
}

async function start({ binary, signal }: RunOptions): Promise<RealPrometheus> {
  try {
    return await startRealPrometheus(binary, signal);
  } catch (error) {
    signal.throwIfAborted();
    const message = messageOf(error).trim();
    throw new CliError(
      /ENOENT|EACCES/.test(message)
        ? `cannot start ${binary}: it is not a program; name the program Prometheus with --prometheus-bin`
        : `cannot start ${binary}: ${message}`,
    );
  }
}

function writtenSeries({ labels, values }: RulesTest["series"][number], intervalMs: number): WrittenSeries {
  const samples = values.flatMap((value, n) =>
    value === undefined ? [] : [[startMs + n * intervalMs, value] as const],
  );
  return { labels, samples };
}

async function serve(
  { atMs: afterMs, request }: RulesTest,
  client: PrometheusClient,
  { rules, maxAgeMs, signal }: RunOptions,
): Promise<Expected> {
  const atMs = startMs + afterMs;
  // Everything at the time of the test, and not at that of the server.
  const prometheus: PrometheusClient = {
    ...client,
    query: (promql, limits) => client.query(promql, { atMs, ...limits }),
  };
  const source = createSeriesSource({ prometheus, nowMs: atMs, maxAgeMs, signal });
  const { snapshot, rules: listed } = await listMetrics(
    rules,
    { source, mapper: createBuiltinMapper(rules) },
    signal,
  );
  const served = await serveMetric(snapshot, request, { prometheus, atMs, maxAgeMs, signal });
  const problems = listed.flatMap(({ rule, problem }) =>
    problem === undefined ? [] : [`${rule.path}: ${problem}`],
  );
  const whole =
    served.ok || problems.length === 0
      ? served
      : { ...served, message: `${served.message} (${problems.join("; ")})` };
  const entry =
    request.resource === undefined ? undefined : snapshot.custom(request.resource, request.metric);
  return gotOf(whole, entry?.info.singular ?? "name");
}

/** @param singular of the objects, as their label is mostly called */
function gotOf(served: Served, singular: string): Expected {
  if (!served.ok) return { error: `${served.status}: ${served.message}` };
  return served.items.map(({ name, labels = {}, value }) =>
    name === undefined ? { ...labels, value } : { [singular]: name, value },
  );
}

function agrees(expected: Expected, got: Expected): boolean {
  if ("error" in expected || "error" in got)
    return "error" in expected && "error" in got && got.error.includes(expected.error);
  const rest = [...got];
  return (
    expected.length === got.length &&
    expected.every((item) => {
      const at = rest.findIndex((other) => isSame(item, other));
      return at >= 0 && rest.splice(at, 1).length === 1;
    })
  );
}

function isSame(a: ExpectedItem, b: ExpectedItem): boolean {
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...keys].every((key) =>
    key === "value" ? isSameQuantity(a[key] ?? "", b[key] ?? "") : a[key] === b[key],
  );
}

function isSameQuantity(a: string, b: string): boolean {
  return compareQuantity(parseQuantity(a), parseQuantity(b)) === 0;
}
