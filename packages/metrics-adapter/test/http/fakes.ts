import type { Awaitable, Logger } from "@plimsoll/component-base";
import type { KubeClient, KubeRequest } from "@plimsoll/kube";
import type { MetricInfo } from "@plimsoll/rules";
import type { Engine } from "../../src/backends/prometheus/engine.ts";
import type {
  CustomMetricQuery,
  CustomMetricValue,
} from "../../src/backends/prometheus/providers/custom-api.ts";
import type {
  ExternalMetricQuery,
  ExternalMetricValue,
} from "../../src/backends/prometheus/providers/external.ts";
import type { Outcome } from "../../src/backends/prometheus/providers/outcome.ts";
import type {
  NodeMetrics,
  PodMetrics,
  ResourceMetricsQuery,
} from "../../src/backends/prometheus/providers/resource-api.ts";

/** A provider's answers, replaceable in the middle of a test. */
export interface FakeEngine extends Engine {
  customRows: readonly MetricInfo[];
  externalRows: readonly string[];
  state: { ready: boolean; message: string };
  onCustom: (query: CustomMetricQuery) => Awaitable<Outcome<readonly CustomMetricValue[]>>;
  onExternal: (query: ExternalMetricQuery) => Awaitable<Outcome<readonly ExternalMetricValue[]>>;
  onPods: (query: ResourceMetricsQuery) => Awaitable<Outcome<readonly PodMetrics[]>>;
  onNodes: (query: ResourceMetricsQuery) => Awaitable<Outcome<readonly NodeMetrics[]>>;
  readonly queries: (CustomMetricQuery | ExternalMetricQuery | ResourceMetricsQuery)[];
  isStarted: boolean;
  isStopped: boolean;
}

/** 2026-01-02T03:04:05.678Z: the milliseconds must not show. */
export const sampleAtMs = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

export function podValue(name: string, value: string, namespace = "default"): CustomMetricValue {
  return {
    kind: "Pod",
    apiVersion: "/v1",
    namespace,
    name,
    metric: "packets-per-second",
    value,
    atMs: sampleAtMs,
    windowSeconds: 120,
    selector: undefined,
  };
}

export function fakeEngine(
  parts: { custom?: boolean; external?: boolean; resource?: boolean } = {},
): FakeEngine {
  const queries: FakeEngine["queries"] = [];
  const engine: FakeEngine = {
    queries,
    customRows: [
      { groupResource: "pods", namespaced: true, metric: "packets-per-second" },
      { groupResource: "ingresses.networking.k8s.io", namespaced: true, metric: "requests-per-second" },
      { groupResource: "namespaces", namespaced: false, metric: "packets-per-second" },
    ],
    externalRows: ["queue_depth"],
    state: { ready: true, message: "ok" },
    isStarted: false,
    isStopped: false,
    owns: ({ resource, metric }) =>
      resource === undefined
        ? engine.externalRows.includes(metric)
        : engine.customRows.some((row) => row.groupResource === resource && row.metric === metric),
    useSources: () => undefined,
    kindOf: () => undefined,
    onCustom: async () => ({ ok: true, value: [podValue("router-1", "1k")] }),
    onExternal: async () => ({
      ok: true,
      value: [
        {
          metric: "queue_depth",
          labels: { __name__: "queue_depth", queue: "jobs" },
          value: "30",
          atMs: sampleAtMs,
          windowSeconds: undefined,
        },
      ],
    }),
    onPods: async () => ({
      ok: true,
      value: [
        {
          name: "api-1",
          namespace: "default",
          labels: { app: "api" },
          atMs: sampleAtMs,
          windowSeconds: 300,
          containers: [
            { name: "main", usage: { cpu: "250m", memory: "64Mi" } },
            { name: "sidecar", usage: { cpu: "50m", memory: "32Mi" } },
          ],
        },
      ],
    }),
    onNodes: async () => ({
      ok: true,
      value: [
        { name: "n1", labels: {}, atMs: sampleAtMs, windowSeconds: 90, usage: { cpu: "2", memory: "4Gi" } },
      ],
    }),
    custom:
      parts.custom === false
        ? undefined
        : {
            list: () => engine.customRows,
            get: (query) => {
              queries.push(query);
              return engine.onCustom(query);
            },
          },
    external:
      parts.external === false
        ? undefined
        : {
            list: () => engine.externalRows,
            get: (query) => {
              queries.push(query);
              return engine.onExternal(query);
            },
          },
    resource:
      parts.resource === false
        ? undefined
        : {
            pods: (query) => {
              queries.push(query);
              return engine.onPods(query);
            },
            nodes: (query) => {
              queries.push(query);
              return engine.onNodes(query);
            },
          },
    start: async () => {
      engine.isStarted = true;
    },
    stop: async () => {
      engine.isStopped = true;
    },
    useRules: async () => {},
    readiness: () => engine.state,
  };
  return engine;
}

export interface AccessReviewSpec {
  readonly user: string;
  readonly groups: readonly string[];
  readonly uid?: string;
  readonly extra?: Record<string, readonly string[]>;
  readonly resourceAttributes?: Record<string, string>;
  readonly nonResourceAttributes?: { path: string; verb: string };
}

/** The few calls that the API server of the adapter makes to kube-apiserver. */
export interface FakeKube extends KubeClient {
  readonly accessReviews: AccessReviewSpec[];
  readonly tokenReviews: string[];
  onAccessReview: (spec: AccessReviewSpec) => Promise<{ allowed: boolean; reason?: string }>;
  onTokenReview: (token: string) => Promise<{ authenticated: boolean; user?: object; error?: string }>;
  onOther: (request: KubeRequest) => Promise<unknown>;
  onStream: (request: KubeRequest) => Promise<AsyncIterable<Uint8Array>>;
}

export function fakeKube(): FakeKube {
  const kube: FakeKube = {
    server: "https://fake",
    accessReviews: [],
    tokenReviews: [],
    onAccessReview: async () => ({ allowed: true }),
    onTokenReview: async () => ({ authenticated: false }),
    onOther: async (request) => {
      throw new Error(`unexpected request for ${request.path}`);
    },
    onStream: async (request) => {
      throw new Error(`unexpected stream of ${request.path}`);
    },
    request: async <T>(request: KubeRequest): Promise<T> => {
      const body = request.body as { spec: AccessReviewSpec & { token: string } } | undefined;
      if (request.path.endsWith("/subjectaccessreviews") && body !== undefined) {
        kube.accessReviews.push(body.spec);
        return { status: await kube.onAccessReview(body.spec) } as T;
      }
      if (request.path.endsWith("/tokenreviews") && body !== undefined) {
        kube.tokenReviews.push(body.spec.token);
        return { status: await kube.onTokenReview(body.spec.token) } as T;
      }
      return (await kube.onOther(request)) as T;
    },
    stream: (request) => kube.onStream(request),
    close: async () => {},
  };
  return kube;
}

export type LogLine = { level: string; message: string; fields: Record<string, unknown> };

export function recordingLog(): Logger & { readonly lines: LogLine[] } {
  const lines: LogLine[] = [];
  const at =
    (level: string) =>
    (fields: object, message: string): void => {
      lines.push({ level, message, fields: fields as Record<string, unknown> });
    };
  return { lines, debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
