import type { Clock } from "@plimsoll/component-base";
import { manualClock } from "@plimsoll/component-base/testing";
import type { KubeClient, KubeObject, RestMapper } from "@plimsoll/kube";
import { createPrometheusClient, type PrometheusClient } from "@plimsoll/prometheus";
import {
  type FakeHandler,
  type FakePrometheus,
  type SeenRequest,
  startFakePrometheus,
  success,
  vector,
} from "@plimsoll/prometheus/testing";
import { type CompiledRules, loadRules } from "@plimsoll/rules";
import { until } from "@plimsoll/testbed/world";
import type { Registry } from "prom-client";
import type { CreateLive } from "../../../src/backends/live/live.ts";
import { loadMetricRules } from "../../../src/backends/metric-rules/load.ts";
import type { Engine } from "../../../src/backends/prometheus/engine.ts";
import { assembleEngine } from "../../../src/backends/prometheus/engine.ts";
import type {
  CustomMetricQuery,
  CustomMetricValue,
} from "../../../src/backends/prometheus/providers/custom-api.ts";
import type { ExternalMetricValue } from "../../../src/backends/prometheus/providers/external.ts";
import type { Outcome, ProviderFailure } from "../../../src/backends/prometheus/providers/outcome.ts";
import { maxItemBytes } from "../../../src/backends/prometheus/query/response-budgets.ts";
import { type FakeCluster, fakeCluster, fakeMapper } from "./cluster.ts";
import { inMemory } from "./in-memory.ts";

export interface LogLine {
  readonly level: string;
  readonly fields: object;
  readonly message: string;
}

export interface Harness {
  readonly engine: Engine;
  readonly fake: Pick<FakePrometheus, "requests" | "handle" | "close">;
  readonly cluster: FakeCluster;
  readonly clock: ReturnType<typeof manualClock>;
  readonly log: readonly LogLine[];
  /** Queries that reached Prometheus, without those for the scrape interval. */
  queries(): readonly string[];
  custom(
    query: Partial<CustomMetricQuery> & { metric: string },
  ): Promise<Outcome<readonly CustomMetricValue[]>>;
  external(
    metric: string,
    namespace?: string,
    labelSelector?: string,
  ): Promise<Outcome<readonly ExternalMetricValue[]>>;
  stop(): Promise<void>;
}

export interface HarnessOptions {
  readonly rules: string;
  /** Series that Prometheus has, for discovery: each a label set with __name__. */
  readonly series?: readonly Readonly<Record<string, string>>[];
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>;
  /** Answers everything but queries, instead of the series above. */
  readonly discover?: FakeHandler;
  /** Answers queries. */
  readonly query?: FakeHandler;
  /** Answers the query for the scrape interval. */
  readonly scrapes?: FakeHandler;
  readonly resultMaxAgeMs?: number;
  readonly timeoutMs?: number;
  /** Queries end when the harness's clock says so: Prometheus is in this process then, behind no socket. */
  readonly isTimedByClock?: boolean;
  readonly queryTimeoutMs?: number;
  readonly registry?: Registry;
  /** Replaces the fixed list of resources. */
  readonly mapper?: (clock: Clock) => RestMapper;
  /** Serves MetricRules, from this API server. */
  readonly metricRules?: (clock: Clock) => KubeClient;
  /** Scrapes pods for them. */
  readonly createLive?: CreateLive;
  /** Whether to wait for the first relist; default true. */
  readonly waits?: boolean;
}

/** Less than a whole test may take, so that its failure says where it waited. */
const limitMs = 100_000;

/** The query for the scrape interval. */
export const scrapes = "max(count_over_time(up[5m]))";

const ruleOptions = { namespaceLabel: "namespace", rulesPerNamespace: 50 };

export function rulesOf(text: string): CompiledRules {
  const loaded = loadRules(text, "rules.yaml");
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.problems));
  return loaded.rules;
}

export async function startHarness(options: HarnessOptions): Promise<Harness> {
  const series = options.series ?? [];
  const discover = options.discover ?? ((request) => discovery(series, request));
  const answer: FakeHandler = (request) => {
    if (request.parameters.get("query") === scrapes) return options.scrapes?.(request) ?? vector([]);
    return request.path === "/api/v1/query" && options.query !== undefined
      ? options.query(request)
      : discover(request);
  };
  const clock = manualClock(1_700_000_000_000);
  // Without a word of the test it never times out, however slow the machine is.
  const { timeoutMs = limitMs } = options;
  const { fake, client: prometheus } =
    options.isTimedByClock === true
      ? inMemory(answer, { clock, timeoutMs })
      : await overHttp(answer, timeoutMs);
  const mapper = options.mapper?.(clock);
  const cluster = fakeCluster(options.objects ?? {});
  const log: LogLine[] = [];
  const write = (level: string) => (fields: object, message: string) =>
    void log.push({ level, fields, message });
  const engine = assembleEngine({
    rules: rulesOf(options.rules),
    source: {
      client: prometheus,
      resultMaxAgeMs: options.resultMaxAgeMs ?? 0,
      queryTimeoutMs: options.queryTimeoutMs,
    },
    mapper: mapper ?? fakeMapper(),
    ...(mapper === undefined ? {} : { cluster: mapper }),
    reflect: (info) => cluster.reflect(info),
    clock,
    relistIntervalMs: 60_000,
    maxAgeMs: 600_000,
    ...(options.registry === undefined ? {} : { registry: options.registry }),
    ...(options.metricRules === undefined
      ? {}
      : {
          createMetricRules: required(await loadMetricRules(ruleOptions)),
          createLive: options.createLive,
          api: { client: options.metricRules(clock) },
        }),
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
  });
  await engine.start();
  if (options.waits !== false) await waitFor(() => engine.readiness().ready);
  const signal = () => new AbortController().signal;
  return {
    engine,
    fake,
    cluster,
    clock,
    log,
    queries: () =>
      fake.requests.flatMap(({ path, parameters }) =>
        path === "/api/v1/query" ? parameters.getAll("query").filter((promql) => promql !== scrapes) : [],
      ),
    custom: async (query) =>
      required(engine.custom).get({
        groupResource: "pods",
        namespace: "ns",
        name: "*",
        labelSelector: "",
        metricLabelSelector: "",
        signal,
        ...query,
      }),
    external: async (metric, namespace = "ns", labelSelector = "") =>
      required(engine.external).get({ metric, namespace, labelSelector, signal }),
    async stop() {
      await engine.stop();
      await prometheus.close();
      await fake.close();
    },
  };
}

async function overHttp(
  handler: FakeHandler,
  timeoutMs: number,
): Promise<{ readonly fake: FakePrometheus; readonly client: PrometheusClient }> {
  const fake = await startFakePrometheus(handler);
  return { fake, client: createPrometheusClient({ url: fake.url, timeoutMs, maxItemBytes }) };
}

export function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error("missing");
  return value;
}

export const waitFor = (condition: () => boolean): Promise<void> => until(String(condition), condition);

export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.failure.code}: ${outcome.failure.message}`);
  return outcome.value;
}

export function failureIn(outcome: Outcome<unknown>): ProviderFailure {
  if (outcome.ok) throw new Error(`no failure: ${JSON.stringify(outcome.value)}`);
  return outcome.failure;
}

/** Answers the discovery endpoints from a list of series, as far as the rules of these tests need it. */
export function discovery(
  series: readonly Readonly<Record<string, string>>[],
  request: SeenRequest,
): ReturnType<typeof success> {
  const [match = ""] = request.parameters.getAll("match[]");
  const found = series.filter((labels) => matchesSelector(match, labels));
  if (request.path === "/api/v1/series") return success(found);
  if (request.path === "/api/v1/labels")
    return success([...new Set(found.flatMap((labels) => Object.keys(labels)))]);
  if (request.path === "/api/v1/label/__name__/values") {
    return success([...new Set(found.map((labels) => labels["__name__"] ?? ""))].sort());
  }
  return success({ resultType: "vector", result: [] });
}

function matchesSelector(selector: string, labels: Readonly<Record<string, string>>): boolean {
  const [, name = "", body = ""] = /^([\w:]*)(?:\{(.*)\})?$/.exec(selector) ?? [];
  if (name !== "" && labels["__name__"] !== name) return false;
  return [...body.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].every(([, label = "", operator, value = ""]) => {
    const actual = labels[label] ?? "";
    if (operator === "=") return actual === value;
    if (operator === "!=") return actual !== value;
    return new RegExp(`^(?:${value})$`).test(actual) === (operator === "=~");
  });
}
