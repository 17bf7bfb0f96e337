// metrics.k8s.io: requests to the provider, values to replies.
import { type Awaitable, chain } from "@plimsoll/component-base";
import { formatGoDuration } from "@plimsoll/core/duration";
import { addQuantity, formatQuantity, parseQuantity } from "@plimsoll/core/quantity";
import type { Outcome } from "../backends/prometheus/providers/outcome.ts";
import type {
  NodeMetrics,
  PodMetrics,
  ResourceMetricsProvider,
} from "../backends/prometheus/providers/resource-api.ts";
import { badRequest, internalError, routeNotFound, watchNotSupported } from "./failure.ts";
import { readFieldSelector } from "./field-selector.ts";
import { refusedListOptions } from "./list-options.ts";
import { failed, type Reply } from "./reply.ts";
import type { RequestInfo } from "./request-info.ts";
import { podListJson } from "./resource-json.ts";
import { column, type TableSource } from "./table.ts";
import { rfc3339 } from "./wire-time.ts";

const apiVersion = "metrics.k8s.io/v1beta1";

interface Target {
  readonly kind: "NodeMetrics" | "PodMetrics";
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

interface Shape<T> {
  readonly kind: string;
  readonly item: (value: T, typed: boolean) => object;
  readonly cells: (value: T) => readonly string[];
  readonly metadata: (value: T) => object;
  readonly listJson?: (values: readonly T[]) => string;
}

export interface ResourceApi {
  readonly provider: ResourceMetricsProvider;
  readonly nowMs: () => number;
}

/** metrics.k8s.io: a bare object for one, a list for many. */
export function resourceMetrics(
  api: ResourceApi,
  info: RequestInfo,
  signal: () => AbortSignal,
): Awaitable<Reply> {
  const target = targetOf(info.resource?.segments ?? []);
  if (target === undefined) return failed(routeNotFound);
  if (info.verb === "watch")
    return failed(watchNotSupported("metrics.k8s.io", target.kind === "NodeMetrics" ? "nodes" : "pods"));
  const refused = refusedListOptions(info.query);
  if (refused !== undefined) return failed(refused);
  const fieldSelector = info.query.get("fieldSelector") ?? "";
  const fields = readFieldSelector(fieldSelector);
  if (!fields.ok) return failed(badRequest(fields.message));
  const query = {
    namespace: target.namespace,
    ...(target.name === undefined ? {} : { name: target.name }),
    labelSelector: info.query.get("labelSelector") ?? "",
    fieldSelector,
    signal,
  };
  const createdAt = rfc3339(api.nowMs());
  return target.kind === "NodeMetrics"
    ? chain(api.provider.nodes(query), (outcome) => replyOf(outcome, nodeShape(createdAt), target))
    : chain(api.provider.pods(query), (outcome) => replyOf(outcome, podShape(createdAt), target));
}

function targetOf(segments: readonly string[]): Target | undefined {
  if (segments.includes("")) return undefined;
  const [first, second, third, fourth] = segments;
  if (first === "nodes" && segments.length <= 2)
    return { kind: "NodeMetrics", namespace: undefined, name: second };
  if (first === "pods" && segments.length === 1)
    return { kind: "PodMetrics", namespace: undefined, name: undefined };
  if (first === "namespaces" && third === "pods" && segments.length <= 4)
    return { kind: "PodMetrics", namespace: second, name: fourth };
  return undefined;
}

function replyOf<T>(outcome: Outcome<readonly T[]>, shape: Shape<T>, target: Target): Reply {
  if (!outcome.ok) return failed(outcome.failure);
  const values = outcome.value;
  const { listJson } = shape;
  const rows = (): TableSource => ({
    columns: [
      column("Name", "Name of the object."),
      column("cpu", "CPU usage."),
      column("memory", "Memory usage."),
      column("Window", "The time over which usage was measured."),
    ],
    rows: values.map((value) => ({
      cells: shape.cells(value),
      metadata: shape.metadata(value),
      object: () => shape.item(value, true),
    })),
  });
  const items = (): readonly object[] => values.map((value) => shape.metadata(value));
  if (target.name === undefined) {
    return {
      type: "metrics",
      object: () => ({
        kind: `${shape.kind}List`,
        apiVersion,
        metadata: {},
        items: values.map((value) => shape.item(value, false)),
      }),
      json: listJson === undefined ? undefined : () => listJson(values),
      table: rows,
      metadata: { kind: `${shape.kind}List`, isList: true, items },
      items: values.length,
      freshness: outcome.freshness,
    };
  }
  const [value] = values;
  return value === undefined
    ? failed(internalError(`no ${shape.kind} came back for ${target.name}`))
    : {
        type: "metrics",
        object: () => shape.item(value, true),
        table: rows,
        metadata: { kind: shape.kind, isList: false, items },
        items: 1,
        freshness: outcome.freshness,
      };
}

function podShape(createdAt: string): Shape<PodMetrics> {
  const metadata = (pod: PodMetrics): object => ({
    name: pod.name,
    namespace: pod.namespace,
    creationTimestamp: createdAt,
    ...labelsOf(pod),
  });
  return {
    kind: "PodMetrics",
    metadata,
    listJson: (pods) => podListJson(pods, createdAt),
    item: (pod, typed) => ({
      ...(typed ? { kind: "PodMetrics", apiVersion } : {}),
      metadata: metadata(pod),
      timestamp: rfc3339(pod.atMs),
      window: formatGoDuration(1000 * pod.windowSeconds),
      containers: pod.containers.map(({ name, usage }) => ({
        name,
        usage: { cpu: usage.cpu, memory: usage.memory },
      })),
    }),
    cells: (pod) => [
      pod.name,
      total(pod.containers.map((container) => container.usage.cpu)),
      total(pod.containers.map((container) => container.usage.memory)),
      formatGoDuration(1000 * pod.windowSeconds),
    ],
  };
}

function nodeShape(createdAt: string): Shape<NodeMetrics> {
  const metadata = (node: NodeMetrics): object => ({
    name: node.name,
    creationTimestamp: createdAt,
    ...labelsOf(node),
  });
  return {
    kind: "NodeMetrics",
    metadata,
    item: (node, typed) => ({
      ...(typed ? { kind: "NodeMetrics", apiVersion } : {}),
      metadata: metadata(node),
      timestamp: rfc3339(node.atMs),
      window: formatGoDuration(1000 * node.windowSeconds),
      usage: { cpu: node.usage.cpu, memory: node.usage.memory },
    }),
    cells: (node) => [
      node.name,
      node.usage.cpu,
      node.usage.memory,
      formatGoDuration(1000 * node.windowSeconds),
    ],
  };
}

function labelsOf(object: { readonly labels: Readonly<Record<string, string>> }): object {
  return Object.keys(object.labels).length === 0 ? {} : { labels: object.labels };
}

function total(quantities: readonly string[]): string {
  const [first, ...rest] = quantities.map(parseQuantity);
  return first === undefined ? "0" : formatQuantity(rest.reduce(addQuantity, first));
}
