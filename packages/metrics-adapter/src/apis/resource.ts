import { addQuantity, formatQuantity, parseQuantity } from "@plimsoll/core/quantity";
import type { NodeMetrics, Outcome, PodMetrics, ResourceMetricsProvider } from "../provider/provider.ts";
import { badRequest, internalError, routeNotFound, watchNotSupported } from "../server/failure.ts";
import type { RequestInfo } from "../server/request-info.ts";
import { column, table } from "../server/table.ts";
import { readFieldSelector } from "./field-selector.ts";
import { refusedListOptions } from "./list-options.ts";
import { failed, type Reply } from "./reply.ts";
import { podListJson } from "./resource-json.ts";
import { goDuration, rfc3339 } from "./wire-time.ts";

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
export async function resourceMetrics(
  api: ResourceApi,
  info: RequestInfo,
  signal: AbortSignal,
): Promise<Reply> {
  const target = targetOf(info.resource?.segments ?? []);
  if (target === undefined) {
    return failed(routeNotFound);
  }
  if (info.verb === "watch") {
    return failed(watchNotSupported("metrics.k8s.io", target.kind === "NodeMetrics" ? "nodes" : "pods"));
  }
  const refused = refusedListOptions(info.query);
  if (refused !== undefined) {
    return failed(refused);
  }
  const fieldSelector = info.query.get("fieldSelector") ?? "";
  const fields = readFieldSelector(fieldSelector, ["metadata.name", "metadata.namespace"]);
  if (!fields.ok) {
    return failed(badRequest(fields.message));
  }
  const query = {
    namespace: target.namespace,
    ...(target.name === undefined ? {} : { name: target.name }),
    labelSelector: info.query.get("labelSelector") ?? "",
    fieldSelector,
    signal,
  };
  const createdAt = rfc3339(api.nowMs());
  return target.kind === "NodeMetrics"
    ? answer(await api.provider.nodes(query), nodeShape(createdAt), target)
    : answer(await api.provider.pods(query), podShape(createdAt), target);
}

function targetOf(segments: readonly string[]): Target | undefined {
  if (segments.includes("")) {
    return undefined;
  }
  const [first, second, third, fourth] = segments;
  if (first === "nodes" && segments.length <= 2) {
    return { kind: "NodeMetrics", namespace: undefined, name: second };
  }
  if (first === "pods" && segments.length === 1) {
    return { kind: "PodMetrics", namespace: undefined, name: undefined };
  }
  if (first === "namespaces" && third === "pods" && segments.length <= 4) {
    return { kind: "PodMetrics", namespace: second, name: fourth };
  }
  return undefined;
}

function answer<T>(outcome: Outcome<readonly T[]>, shape: Shape<T>, target: Target): Reply {
  if (!outcome.ok) {
    return failed(outcome.failure);
  }
  const values = outcome.value;
  const { listJson } = shape;
  const rows = () =>
    table(
      [
        column("Name", "Name of the object."),
        column("cpu", "CPU usage."),
        column("memory", "Memory usage."),
        column("Window", "The time over which usage was measured."),
      ],
      values.map((value) => ({ cells: shape.cells(value), metadata: shape.metadata(value) })),
    );
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
      items: values.length,
      again: outcome.again,
    };
  }
  const [value] = values;
  return value === undefined
    ? failed(internalError(`no ${shape.kind} came back for ${target.name}`))
    : {
        type: "metrics",
        object: () => shape.item(value, true),
        table: rows,
        items: 1,
        again: outcome.again,
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
      window: goDuration(pod.windowSeconds),
      containers: pod.containers.map(({ name, usage }) => ({
        name,
        usage: { cpu: usage.cpu, memory: usage.memory },
      })),
    }),
    cells: (pod) => [
      pod.name,
      total(pod.containers.map((container) => container.usage.cpu)),
      total(pod.containers.map((container) => container.usage.memory)),
      goDuration(pod.windowSeconds),
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
      window: goDuration(node.windowSeconds),
      usage: { cpu: node.usage.cpu, memory: node.usage.memory },
    }),
    cells: (node) => [node.name, node.usage.cpu, node.usage.memory, goDuration(node.windowSeconds)],
  };
}

function labelsOf(object: { readonly labels: Readonly<Record<string, string>> }): object {
  return Object.keys(object.labels).length === 0 ? {} : { labels: object.labels };
}

function total(quantities: readonly string[]): string {
  const [first, ...rest] = quantities.map(parseQuantity);
  return first === undefined ? "0" : formatQuantity(rest.reduce(addQuantity, first));
}
