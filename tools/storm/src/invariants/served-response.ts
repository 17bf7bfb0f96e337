// Reads what an adapter served: which values of which objects, in response to which request.
import { isQueryName } from "@plimsoll/core/queries";
import { lookAt } from "../network/parsed.ts";
import { rulePrefix } from "../objects/metric-rules.ts";
import type { Observed } from "../run/world.ts";

export type AdapterServed = Observed<"adapter-served">;

/** What a request for metrics wants. */
export interface MetricsRequest {
  readonly api: "custom" | "external" | "resource";
  readonly namespace: string | undefined;
  /** Of an object; undefined for all that the selector selects. */
  readonly name: string | undefined;
  /** As in the path; "" for usage. */
  readonly metric: string;
  readonly labelSelector: string;
}

/** One value of a response. */
export interface ServedValue {
  /** The series that it comes from: "busy_workers shop/web-1". */
  readonly identity: string;
  readonly value: string;
  readonly format: "DecimalSI" | "BinarySI";
  /** Usage of a container, which is served as 0 when Prometheus gives less. */
  readonly isUsage: boolean;
}

/** One item of a response: the values of one object, or of one queue. */
export interface ServedItem {
  readonly namespace: string | undefined;
  /** Of the object, or of the queue. */
  readonly name: string;
  readonly metric: string;
  readonly labels: Readonly<Record<string, string>> | undefined;
  readonly timestamp: string;
  readonly values: readonly ServedValue[];
}

export interface ServedMetrics {
  readonly request: MetricsRequest;
  readonly items: readonly ServedItem[];
}

/** Several invariants look at one response after another. */
const read = new WeakMap<AdapterServed, ServedMetrics>();

/** Of the three metrics APIs: their lists and single objects. Undefined for everything else, such as a failure. */
export function readServed(served: AdapterServed): ServedMetrics | undefined {
  if (served.code !== 200) return undefined;
  const known = read.get(served) ?? parseServed(served);
  if (known !== undefined) read.set(served, known);
  return known;
}

function parseServed({ url, body }: AdapterServed): ServedMetrics | undefined {
  const request = readRequest(url);
  if (request === undefined) return undefined;
  const document = lookAt(body) as { readonly items?: readonly Item[] } & Item;
  const items = document.items ?? [document];
  return { request, items: items.map((item) => readItem(request, item)) };
}

const path = /^\/apis\/(custom\.|external\.|)metrics\.k8s\.io\/v1beta[12]\/(?:namespaces\/([^/]+)\/)?(.+)$/;

export function readRequest(url: string): MetricsRequest | undefined {
  const [place = "", query = ""] = url.split("?");
  const [, group, namespace, rest = ""] = path.exec(place) ?? [];
  const labelSelector = new URLSearchParams(query).get("labelSelector") ?? "";
  const [first = "", second, third] = rest.split("/").map(decodeURIComponent);
  switch (group) {
    case "custom.":
      if (third === undefined) return undefined;
      return {
        api: "custom",
        namespace,
        name: second === "*" ? undefined : second,
        metric: third,
        labelSelector,
      };
    case "external.":
      return { api: "external", namespace, name: undefined, metric: first, labelSelector };
    case "":
      return { api: "resource", namespace, name: second, metric: "", labelSelector };
    case undefined:
    default:
      return undefined;
  }
}

/** An item of any of the three APIs. */
interface Item {
  readonly describedObject?: { readonly namespace?: string; readonly name: string };
  readonly metric?: { readonly name: string };
  readonly metricName?: string;
  readonly metricLabels?: Readonly<Record<string, string>> | null;
  readonly metadata?: { readonly namespace?: string; readonly name: string };
  readonly containers?: readonly {
    readonly name: string;
    readonly usage: Readonly<Record<string, string>>;
  }[];
  readonly timestamp: string;
  readonly value?: string;
}

function readItem(request: MetricsRequest, item: Item): ServedItem {
  const { metadata, timestamp, value = "" } = item;
  const metric = item.metric?.name ?? item.metricName ?? "";
  const labels = item.metricLabels ?? undefined;
  const single = (object: string): readonly ServedValue[] => [
    { identity: `${seriesOf(metric, request.api)} ${object}`, value, format: "DecimalSI", isUsage: false },
  ];
  if (request.api === "external") {
    const { namespace } = request;
    const name = labels?.["queue"] ?? "";
    return { namespace, name, metric, labels, timestamp, values: single(`${namespace ?? ""}/${name}`) };
  }
  const { namespace, name = "" } = item.describedObject ?? metadata ?? {};
  const object = `${namespace ?? ""}/${name}`;
  const values = request.api === "custom" ? single(object) : usageOf(object, item);
  return { namespace, name, metric, labels, timestamp, values };
}

function usageOf(object: string, { containers = [] }: Item): readonly ServedValue[] {
  return containers.flatMap(({ name, usage: { cpu = "", memory = "" } }) => {
    const identity = (series: string) => `container_${series} ${object}/${name}`;
    return [
      { identity: identity("cpu_usage_seconds_total"), value: cpu, format: "DecimalSI", isUsage: true },
      { identity: identity("memory_working_set_bytes"), value: memory, format: "BinarySI", isUsage: true },
    ];
  });
}

/** The rules name what is a rate after its counter; MetricRules have the whole name, and queries none. */
function seriesOf(metric: string, api: MetricsRequest["api"]): string {
  if (isQueryName(metric)) return api === "external" ? "queue_depth" : "http_requests_total";
  if (metric.startsWith(rulePrefix)) return metric.slice(rulePrefix.length);
  return metric.endsWith("_per_second") ? `${metric.slice(0, -"_per_second".length)}_total` : metric;
}
