// Reads pod usage from metrics.k8s.io.
import type { PodSamples, ResourceSample } from "@plimsoll/core";
import { parseGoDuration } from "@plimsoll/core/duration";
import { type Fields, fieldsOf } from "@plimsoll/core/internal/values";
import { type PodUsage, podUsageReader, readPage, setOwn } from "@plimsoll/kube/protobuf";
import { instantOf, itemsOf, type MetricCall, parameter, quantityOf, textOf } from "./wire.ts";

/** Usage of all pods that the selector matches, for Resource and ContainerResource metrics. */
export function resourceCall(namespace: string, podSelector: string): MetricCall<PodSamples> {
  return {
    api: "resource",
    path: `/apis/metrics.k8s.io/v1beta1/namespaces/${encodeURIComponent(namespace)}/pods`,
    query: parameter("labelSelector", podSelector),
    read: (body) => {
      const samples = itemsOf(body).map((item) => sampleOf(item, namespace));
      return { pods: samples.filter((sample) => sample !== undefined) };
    },
    readProtobuf: (bytes) => {
      const samples = readPage(bytes, podUsageReader).items.map((item) => sampleOfUsage(item, namespace));
      return { pods: samples.filter((sample) => sample !== undefined) };
    },
  };
}

/** The same as `sampleOf`, of an item that came as protobuf. */
export function sampleOfUsage(item: PodUsage, namespace: string): ResourceSample | undefined {
  const { name, timestamp, windowNs, containers } = item;
  if (name === "" || (item.namespace || namespace) !== namespace) return undefined;
  for (const container in containers) {
    const usage = containers[container];
    const checked = usageOf(usage);
    if (checked !== usage) setOwn(containers as Record<string, typeof checked>, container, checked);
  }
  const windowSeconds = windowNs === undefined ? undefined : secondsOf(windowNs);
  return sampleFrom({ name, timestamp, windowSeconds, containers });
}

/** As of its text: "15.3s" is 15,300 ms, and those are 15.3 s. */
function secondsOf(ns: number): number {
  const wholeMs = Math.trunc(ns / 1e6);
  const unitMs = Math.abs(wholeMs) < 1000 ? 1 : 1000;
  const whole = Math.trunc(wholeMs / unitMs) * unitMs;
  return (whole + (ns - whole * 1e6) / 1e6) / 1000;
}

/** Undefined when the item is unusable, or of another namespace. */
export function sampleOf(item: Fields, namespace: string): ResourceSample | undefined {
  const metadata = fieldsOf(item["metadata"]);
  const name = textOf(metadata["name"]);
  // A value from another namespace is never taken, whatever the API serves.
  if (name === undefined || (textOf(metadata["namespace"]) ?? namespace) !== namespace) return undefined;
  const containers = containersOf(item["containers"]);
  const timestamp = instantOf(item);
  const windowSeconds = windowOf(item["window"]);
  return sampleFrom({ name, timestamp, windowSeconds, containers });
}

/** One literal for what nearly all samples have: an object that grows field by field takes more memory. */
function sampleFrom({
  name,
  timestamp,
  windowSeconds,
  containers,
}: Pick<ResourceSample, "name" | "containers"> & {
  readonly timestamp: string | undefined;
  readonly windowSeconds: number | undefined;
}): ResourceSample {
  if (timestamp !== undefined && windowSeconds !== undefined)
    return { name, timestamp, windowSeconds, containers };
  return {
    name,
    ...(timestamp === undefined ? {} : { timestamp }),
    ...(windowSeconds === undefined ? {} : { windowSeconds }),
    containers,
  };
}

/** Of two containers of one name the last counts. */
function containersOf(list: unknown): ResourceSample["containers"] {
  const containers: Record<string, Readonly<Record<string, string>>> = {};
  if (!Array.isArray(list)) return containers;
  for (const container of list) {
    const fields = fieldsOf(container);
    const name = textOf(fields["name"]);
    if (name === undefined) continue;
    const usage = usageOf(fields["usage"]);
    setOwn(containers, name, usage);
  }
  return containers;
}

/** What is not a quantity is left out, so that the pod counts as missing and not as idle. */
function usageOf(usage: unknown): Readonly<Record<string, string>> {
  const fields = fieldsOf(usage);
  for (const resource in fields)
    if (quantityOf(fields[resource]) !== fields[resource]) return quantitiesOf(fields);
  // Nearly all are quantities as text: a copy of each would be most of what reading a response takes.
  return fields as Readonly<Record<string, string>>;
}

function quantitiesOf(fields: Fields): Readonly<Record<string, string>> {
  const quantities: Record<string, string> = {};
  for (const resource of Object.keys(fields)) {
    const quantity = quantityOf(fields[resource]);
    if (quantity === undefined) continue;
    setOwn(quantities, resource, quantity);
  }
  return quantities;
}

function windowOf(window: unknown): number | undefined {
  const text = textOf(window);
  if (text === undefined) return undefined;
  if (text !== lastWindow.text) lastWindow = { text, ms: parseGoDuration(text) };
  return lastWindow.ms === undefined ? undefined : lastWindow.ms / 1000;
}

/** All items of a response mostly have the same. */
let lastWindow: { readonly text: string; readonly ms: number | undefined } = { text: "", ms: undefined };
